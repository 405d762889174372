import { describe, expect, it } from 'vitest';
import { KEY_NAMES } from '../../src/config/keys.js';
import { configOf, violationsOf } from './sources.js';

const BROWSERS =
  'one of chromium, firefox, webkit, chrome, msedge, chrome-beta, chrome-dev, chrome-canary, msedge-beta, msedge-dev, msedge-canary';
const ENDPOINT =
  'a URL with ws, wss, http, https, cdp+ws, cdp+wss, mcp+http, mcp+https, sse+http or sse+https';
const FILE_NAME = 'the beginning of a file name: no slash, and no dot at its start';

const firstInstance = (variables: Record<string, string>) => {
  const settings = configOf(variables).pools[0]?.instances[0]?.settings;
  if (!settings) throw new Error('There is no instance.');
  return settings;
};

describe('values of variables', () => {
  it.each([
    ['true', true],
    ['TRUE', true],
    ['False', false],
  ])('the boolean %s [000-key-05]', (text, value) => {
    expect(firstInstance({ HEADLESS: text }).headless).toBe(value);
  });

  it('whole numbers, choices and paths [000-key-06, 000-key-08]', () => {
    const variables = { TIMEOUT: '0045', TIMEOUT_SETTLE: '0', BROWSER: 'webkit', PROFILE_DIR: '/tmp/a b' };
    expect(firstInstance(variables)).toMatchObject({
      timeout: 45,
      timeoutSettle: 0,
      browser: 'webkit',
      profileDir: '/tmp/a b',
      executablePath: undefined,
    });
  });

  it('a time to settle is waited for exactly, unless the wait is to adapt [arch-settle-02]', () => {
    expect(firstInstance({})).toMatchObject({ settle: 'adaptive', timeoutSettle: 500 });
    expect(firstInstance({ TIMEOUT_SETTLE: '500' })).toMatchObject({ settle: 'fixed', timeoutSettle: 500 });
    const both = { TIMEOUT_SETTLE: '200', SETTLE: 'adaptive' };
    expect(firstInstance(both)).toMatchObject({ settle: 'adaptive', timeoutSettle: 200 });
    expect(firstInstance({ SETTLE: 'fixed' })).toMatchObject({ settle: 'fixed', timeoutSettle: 500 });
  });

  it.each([
    ['HEADLESS', 'yes', 'true or false'],
    ['HEADLESS', '1', 'true or false'],
    ['HEADLESS', '', 'true or false'],
    ['HEADLESS', ' true', 'true or false'],
    ['TIMEOUT', '', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT', '0', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT', '-5', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT', '+5', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT', '1e3', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT', '0x10', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT', '30s', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT', '1.5', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT', '2147483648', 'a whole number of milliseconds from 1 to 2147483647'],
    ['TIMEOUT_SETTLE', '-1', 'a whole number of milliseconds from 0 to 2147483647'],
    ['START_CONCURRENCY', '0', 'a whole number, 1 or more'],
    ['MAX_RESTARTS', '9'.repeat(400), 'a whole number, 0 or more'],
    ['_X_INSTANCES', '0', 'a whole number from 1 to 1000'],
    ['_X_INSTANCES', '1001', 'a whole number from 1 to 1000'],
    ['_X_INSTANCES', 'three', 'a whole number from 1 to 1000'],
    ['BROWSER', 'Chromium', BROWSERS],
    ['BROWSER', 'opera', BROWSERS],
    ['BROWSER', '', BROWSERS],
    ['RESET', 'always', 'one of never, session, lease'],
    ['AFFINITY', 'session', 'one of client, call'],
    ['DRIVER', 'worker', 'one of embedded, process'],
    ['STRATEGY', 'random', 'one of fifo, lifo, round-robin, least-used'],
    ['CDP_PORT_BASE', '0', 'a whole number from 1 to 65535'],
    ['CDP_PORT_BASE', '65536', 'a whole number from 1 to 65535'],
    ['CONTEXTS_PER_BROWSER', '0', 'a whole number, 1 or more'],
    ['MIN_IDLE', '-1', 'a whole number, 0 or more'],
    ['IDLE_TIMEOUT', '5m', 'a whole number of milliseconds from 0 to 2147483647'],
    ['MEMORY_HIGH_WATER', '101', 'a whole number from 1 to 100'],
    ['ENDPOINT', '127.0.0.1:9222', ENDPOINT],
    ['ENDPOINT', 'ftp://127.0.0.1/', ENDPOINT],
    ['PROFILE_PREFIX', '', FILE_NAME],
    ['PROFILE_PREFIX', ' ', FILE_NAME],
    ['PROFILE_PREFIX', '../Lyra-', FILE_NAME],
    ['PROFILE_PREFIX', 'a/b', FILE_NAME],
    ['PROFILE_PREFIX', 'a\\b', FILE_NAME],
    ['PROFILE_PREFIX', 'a\nb', FILE_NAME],
    ['PROFILE_PREFIX', '.hidden', FILE_NAME],
    ['EXECUTABLE_PATH', ' ', 'a path'],
    ['OUTPUT_DIR', '', 'a path'],
    ['_X__0_ALIAS', '', 'a name that is not empty and not made of digits only'],
    ['_X__0_ALIAS', '0', 'a name that is not empty and not made of digits only'],
    ['_X__0_ALIAS', '123', 'a name that is not empty and not made of digits only'],
  ])(
    '%s=%j is refused [arch-config-05, 000-key-01, 000-key-06, 000-key-08, 000-alias-01]',
    (name, value, expected) => {
      const pool = name.startsWith('_X') ? { _X_INSTANCES: '1', _X_IS_DEFAULT: 'true' } : {};
      const variable = `PW_MCP_PROXY_${name}`;
      expect(violationsOf({ ...pool, [name]: value })).toEqual([
        {
          code: 'INVALID_VALUE',
          message: `${variable} is ${JSON.stringify(value)}, but must be ${expected}`,
          variable,
          // Every pool has INSTANCES.
          fix: `Set it to ${expected}${name.endsWith('INSTANCES') ? '' : ', or remove it'}.`,
        },
      ]);
    },
  );

  it.each(['Lyra-', 'Worker 1.', 'Ünï', '_'])('the profile prefix %s', (PROFILE_PREFIX) => {
    expect(firstInstance({ PROFILE_PREFIX }).profilePrefix).toBe(PROFILE_PREFIX);
  });

  it.each(['main_browser', 'debug-firefox', 'test1', '1a', 'Ünï'])('the alias %s [000-alias-01]', (alias) => {
    const config = configOf({ _X_INSTANCES: '1', _X_IS_DEFAULT: 'true', _X__0_ALIAS: alias });
    expect(config.pools[0]?.instances[0]?.alias).toBe(alias);
  });

  it('the description may be empty', () => {
    const config = configOf({ _X_INSTANCES: '1', _X_IS_DEFAULT: 'true', _X_DESCRIPTION: '' });
    expect(config.pools[0]?.description).toBe('');
  });

  it('an empty value is refused for every key but the description', () => {
    const pool = { _X_INSTANCES: '1', _X_IS_DEFAULT: 'true' };
    const globalKeys = KEY_NAMES.filter(
      (key) => !['INSTANCES', 'IS_DEFAULT', 'DESCRIPTION', 'ALIAS'].includes(key),
    );
    const empty = Object.fromEntries(globalKeys.map((key) => [key, '']));
    expect(violationsOf({ ...pool, ...empty }).map(({ code }) => code)).toEqual(
      globalKeys.map(() => 'INVALID_VALUE'),
    );
  });
});
