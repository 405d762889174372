import { CAPABILITIES } from '../../../src/config/capabilities.js';
import type { ViolationCode } from '../../../src/config/violations.js';

/** Names as `--set` has them: `headless`, `A.headless`, `A.0.headless`. */
export type Settings = Readonly<Record<string, unknown>>;

/**
 * One violation. In its texts `{A.headless}` stands for that name as the source writes it, `{=}` for the value at fault as it
 * is written, and `{a list}` for what the source calls one.
 */
export interface Expected {
  code: ViolationCode;
  /** The names at fault. */
  at: readonly string[];
  message: string;
  fix: string;
}

export interface Broken {
  what: string;
  settings: Settings;
  expected: readonly Expected[];
}

const A: Settings = { 'A.instances': 3, 'A.is_default': true };
const B: Settings = { 'B.instances': 1 };

const MILLISECONDS = 'a whole number of milliseconds from 1 to 2147483647';
const COUNT = 'a whole number, 1 or more';
const BROWSERS =
  'one of chromium, firefox, webkit, chrome, msedge, chrome-beta, chrome-dev, chrome-canary, msedge-beta, msedge-dev, msedge-canary';

/** One setting whose value does not have the form of its key. */
function wrongValue(at: string, value: unknown, must: string, isRequired = false): Broken {
  return {
    what: `${at}: ${JSON.stringify(value)}`,
    settings: { ...A, [at]: value },
    expected: [
      {
        code: 'INVALID_VALUE',
        at: [at],
        message: `{${at}} is {=}, but must be ${must}`,
        fix: `Set it to ${must}${isRequired ? '' : ', or remove it'}.`,
      },
    ],
  };
}

/** One setting that is set where its key may not be. */
function wrongLevel(at: string, key: string, where: string, levels: string, allowed: string): Broken {
  const isGlobalInstances = key === 'INSTANCES' && where === 'globally';
  return {
    what: `${key} ${where}`,
    settings: { ...A, [at]: { INSTANCES: 2, IS_DEFAULT: true, LAZY: true }[key] ?? 'x' },
    expected: [
      {
        code: isGlobalInstances ? 'INSTANCES_DEFINED_GLOBALLY' : 'WRONG_LEVEL',
        at: [at],
        message: `${key} defined ${where}, but it belongs to the ${levels} level`,
        fix: `Move it to ${levels} level: ${allowed}.`,
      },
    ],
  };
}

/** A name that is nearly a key. */
function misspelt(at: string, meant: string): Broken {
  return {
    what: `${at} in place of ${meant}`,
    settings: { ...A, [at]: true },
    expected: [{ code: 'UNKNOWN_KEY', at: [at], message: `{?${at}}`, fix: `Did you mean {${meant}}?` }],
  };
}

/** Seed 000, "Startup Validation Errors": those that a configuration can have. */
export const OF_THE_SEED: readonly Broken[] = [
  {
    what: 'Pool missing INSTANCES configuration',
    settings: { ...A, 'B.headless': true },
    expected: [
      {
        code: 'POOL_MISSING_INSTANCES',
        at: ['B.instances'],
        message: 'Pool missing INSTANCES configuration: B',
        fix: 'Set {B.instances} to a whole number from 1 to 1000, or correct {B.headless} if there is no such pool.',
      },
    ],
  },
  {
    what: 'Multiple default pools defined',
    settings: { ...A, ...B, 'B.is_default': true },
    expected: [
      {
        code: 'MULTIPLE_DEFAULT_POOLS',
        at: ['A.is_default', 'B.is_default'],
        message: 'Multiple default pools defined: A, B',
        fix: 'Set exactly one pool as default, and remove the others.',
      },
    ],
  },
  {
    what: 'No default pool defined',
    settings: B,
    expected: [
      {
        code: 'NO_DEFAULT_POOL',
        at: ['B.is_default'],
        message: 'No default pool defined',
        fix: 'Set it to true.',
      },
    ],
  },
  {
    what: 'Invalid instance ID in override',
    settings: { ...A, 'A.5.browser': 'firefox' },
    expected: [
      {
        code: 'INVALID_INSTANCE_ID',
        at: ['A.5.browser'],
        message: 'Invalid instance ID in override: 5, but pool A has INSTANCES=3',
        fix: 'Use ID 0-2 or increase INSTANCES to at least 6.',
      },
    ],
  },
  {
    what: 'Duplicate alias in pool',
    settings: { ...A, 'A.0.alias': 'x', 'A.2.alias': 'x' },
    expected: [
      {
        code: 'DUPLICATE_ALIAS',
        at: ['A.0.alias', 'A.2.alias'],
        message: 'Duplicate alias in pool: 2 instances of A are called "x"',
        fix: 'Give each instance of the pool an alias of its own.',
      },
    ],
  },
  wrongLevel('instances', 'INSTANCES', 'globally', 'pool', '{<POOL>.instances}'),
];

/** More that people get wrong. */
export const OTHERS: readonly Broken[] = [
  wrongValue('headless', 'yes', 'true or false'),
  wrongValue('A.headless', 2, 'true or false'),
  wrongValue('A.0.headless', 'on', 'true or false'),
  wrongValue('isolated', '', 'true or false'),
  wrongValue('A.lazy', 'maybe', 'true or false'),
  wrongValue('timeout', 'soon', MILLISECONDS),
  wrongValue('timeout', '30s', MILLISECONDS),
  wrongValue('timeout', 0, MILLISECONDS),
  wrongValue('A.timeout', -1, MILLISECONDS),
  wrongValue('A.1.timeout', 1.5, MILLISECONDS),
  wrongValue('timeout', 2_147_483_648, MILLISECONDS),
  wrongValue('timeout_action', '1e3', MILLISECONDS),
  wrongValue('A.lease_timeout', 'never', MILLISECONDS),
  wrongValue('A.max_uses', 0, COUNT),
  wrongValue('session_limit', 'none', COUNT),
  wrongValue('cpu_high_water', 101, 'a whole number from 1 to 100'),
  wrongValue('A.instances', 0, 'a whole number from 1 to 1000', true),
  wrongValue('A.instances', 1001, 'a whole number from 1 to 1000', true),
  wrongValue('A.instances', 'many', 'a whole number from 1 to 1000', true),
  wrongValue('browser', 'opera', BROWSERS),
  wrongValue('A.0.browser', 'Chromium', BROWSERS),
  wrongValue('A.strategy', 'random', 'one of fifo, lifo, round-robin, least-used'),
  wrongValue('affinity', 'session', 'one of client, call'),
  wrongValue('viewport', '1280', 'a size such as 1280x720, or window'),
  wrongValue('A.viewport', '0x720', 'a size such as 1280x720, or window'),
  wrongValue(
    'proxy_server',
    'ftp://proxy',
    'an address such as http://proxy:3128, with http, https, socks4 or socks5',
  ),
  wrongValue(
    'A.endpoint',
    'localhost:9222',
    'a URL with ws, wss, http, https, cdp+ws, cdp+wss, mcp+http, mcp+https, sse+http or sse+https',
  ),
  wrongValue('A.0.alias', '7', 'a name that is not empty and not made of digits only'),
  wrongValue('A.0.alias', ' ', 'a name that is not empty and not made of digits only'),
  wrongValue('output_dir', ' ', 'a path'),
  wrongValue('A.profile_prefix', '../up', 'the beginning of a file name: no slash, and no dot at its start'),
  wrongValue('caps', ['pdf', 'bogus'], `{a list} of ${CAPABILITIES.join(', ')}`),
  wrongLevel('is_default', 'IS_DEFAULT', 'globally', 'pool', '{<POOL>.is_default}'),
  wrongLevel('alias', 'ALIAS', 'globally', 'instance', '{<POOL>.<ID>.alias}'),
  wrongLevel('A.alias', 'ALIAS', 'for a pool', 'instance', '{A.<ID>.alias}'),
  wrongLevel('A.affinity', 'AFFINITY', 'for a pool', 'global', '{affinity}'),
  wrongLevel('A.0.output_dir', 'OUTPUT_DIR', 'for an instance', 'global', '{output_dir}'),
  wrongLevel('A.0.instances', 'INSTANCES', 'for an instance', 'pool', '{A.instances}'),
  wrongLevel('A.0.lazy', 'LAZY', 'for an instance', 'global or pool', '{lazy} or {A.lazy}'),
  misspelt('headles', 'headless'),
  misspelt('A.headles', 'A.headless'),
  misspelt('A.0.aliaz', 'A.0.alias'),
  misspelt('A.is_defualt', 'A.is_default'),
  misspelt('lease_time_out', 'lease_timeout'),
  misspelt('A.browsr', 'A.browser'),
  {
    what: 'a pool that an instance names alone',
    settings: { ...A, 'B.0.headless': true },
    expected: [
      {
        code: 'POOL_MISSING_INSTANCES',
        at: ['B.instances'],
        message: 'Pool missing INSTANCES configuration: B',
        fix: 'Set {B.instances} to a whole number from 1 to 1000, or correct {B.0.headless} if there is no such pool.',
      },
    ],
  },
  {
    what: 'no pool says that it is the default one',
    settings: { ...B, 'B.is_default': false, 'C.instances': 1 },
    expected: [
      {
        code: 'NO_DEFAULT_POOL',
        at: ['B.is_default', 'C.is_default'],
        message: 'No default pool defined',
        fix: 'Set exactly one of them to true.',
      },
    ],
  },
  {
    what: 'more idle browsers than instances',
    settings: { ...A, 'A.min_idle': 4 },
    expected: [
      {
        code: 'MIN_IDLE_ABOVE_INSTANCES',
        at: ['A.min_idle', 'A.instances'],
        message: 'MIN_IDLE above INSTANCES: 4, but pool A has INSTANCES=3',
        fix: 'Set MIN_IDLE of A to 3 or less, or increase INSTANCES.',
      },
    ],
  },
  {
    what: 'two drivers',
    settings: { ...A, 'A.driver': 'process', 'A.0.endpoint': 'ws://127.0.0.1:1/' },
    expected: [
      {
        code: 'MULTIPLE_DRIVERS',
        at: ['A.driver', 'A.0.endpoint'],
        message: 'More than one driver chosen for instance 0 of A: DRIVER, ENDPOINT',
        fix: 'Keep one of them for an instance, and remove the others.',
      },
    ],
  },
  {
    what: 'a profile for browsers that keep none',
    settings: { ...A, isolated: true, 'A.user_data_dir': '/tmp/profile' },
    expected: [
      {
        code: 'UNUSED_SETTING',
        at: ['A.user_data_dir', 'isolated'],
        message:
          'USER_DATA_DIR means nothing for 3 instances of A: with ISOLATED=true there is no profile on disk',
        fix: 'Set ISOLATED to false, or remove USER_DATA_DIR.',
      },
    ],
  },
  {
    what: 'ports beyond the last one',
    settings: { ...A, 'A.cdp_port_base': 65_534 },
    expected: [
      {
        code: 'PORT_OUT_OF_RANGE',
        at: ['A.cdp_port_base'],
        message: 'CDP_PORT_BASE too high: instance 2 of A would have port 65536',
        fix: 'Set CDP_PORT_BASE to 65533 or less.',
      },
    ],
  },
  {
    what: 'several at once, each once',
    settings: {
      ...A,
      instances: 3,
      timeout: 'soon',
      'A.headles': true,
      'A.3.alias': 'x',
      'B.browser': 'firefox',
    },
    expected: [
      {
        code: 'INSTANCES_DEFINED_GLOBALLY',
        at: ['instances'],
        message: 'INSTANCES defined globally, but it belongs to the pool level',
        fix: 'Move it to pool level: {<POOL>.instances}.',
      },
      {
        code: 'INVALID_VALUE',
        at: ['timeout'],
        message: `{timeout} is {=}, but must be ${MILLISECONDS}`,
        fix: `Set it to ${MILLISECONDS}, or remove it.`,
      },
      { code: 'UNKNOWN_KEY', at: ['A.headles'], message: '{?A.headles}', fix: 'Did you mean {A.headless}?' },
      {
        code: 'INVALID_INSTANCE_ID',
        at: ['A.3.alias'],
        message: 'Invalid instance ID in override: 3, but pool A has INSTANCES=3',
        fix: 'Use ID 0-2 or increase INSTANCES to at least 4.',
      },
      {
        code: 'POOL_MISSING_INSTANCES',
        at: ['B.instances'],
        message: 'Pool missing INSTANCES configuration: B',
        fix: 'Set {B.instances} to a whole number from 1 to 1000, or correct {B.browser} if there is no such pool.',
      },
    ],
  },
];
