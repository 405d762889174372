import { cdpEndpointOf, driverChoices, driverOf, type InstanceKey, workerPortOf } from './instance-driver.js';
import { KEYS } from './keys.js';
import type { ConfigLevel, InstanceConfig, Origin, PoolConfig } from './model.js';
import type { Violation, ViolationCode } from './violations.js';

const HIGHEST_PORT = 65_535;

/** Settings of one instance that do not go together. */
interface Combination {
  code: ViolationCode;
  has: (instance: InstanceConfig) => boolean;
  /** @param whom the instances of a pool that have it, in words */
  message: (whom: string) => string;
  keys: readonly InstanceKey[];
  fix: string;
}

const COMBINATIONS: readonly Combination[] = [
  {
    code: 'CONTEXTS_PER_BROWSER_CONFLICT',
    has: (instance) =>
      isPacked(instance) && ['process', 'endpoint', 'worker'].includes(driverOf(instance) ?? ''),
    message: (whom) =>
      `CONTEXTS_PER_BROWSER means nothing for ${whom}: only browsers of DRIVER=embedded are shared`,
    keys: ['CONTEXTS_PER_BROWSER'],
    fix: 'Set CONTEXTS_PER_BROWSER to 1 for them, or remove it.',
  },
  {
    code: 'CONTEXTS_PER_BROWSER_CONFLICT',
    has: (instance) =>
      isPacked(instance) && driverOf(instance) === 'embedded' && instance.settings.isolated === false,
    message: (whom) =>
      `CONTEXTS_PER_BROWSER above 1 with ISOLATED=false for ${whom}: a profile on disk needs a browser of its own`,
    keys: ['CONTEXTS_PER_BROWSER', 'ISOLATED'],
    fix: 'Set ISOLATED to true for them, or CONTEXTS_PER_BROWSER to 1.',
  },
  {
    code: 'CDP_NEEDS_CHROMIUM',
    has: (instance) =>
      ['firefox', 'webkit'].includes(instance.settings.browser) &&
      (cdpEndpointOf(instance) !== undefined || driverOf(instance) === 'worker'),
    message: (whom) =>
      `BROWSER without a debugging port (CDP) for ${whom}: only chromium, chrome and msedge have one`,
    keys: ['BROWSER', 'ENDPOINT', 'CDP_PORT_BASE'],
    fix: 'Set BROWSER to chromium, chrome or msedge for them.',
  },
  {
    code: 'UNUSED_SETTING',
    has: ({ settings }) => settings.userDataDir !== undefined && settings.isolated,
    message: (whom) =>
      `USER_DATA_DIR means nothing for ${whom}: with ISOLATED=true there is no profile on disk`,
    keys: ['USER_DATA_DIR', 'ISOLATED'],
    fix: 'Set ISOLATED to false, or remove USER_DATA_DIR.',
  },
  {
    code: 'UNUSED_SETTING',
    has: ({ settings }) => settings.storageState !== undefined && settings.isolated === false,
    message: (whom) =>
      `STORAGE_STATE means nothing for ${whom}: with ISOLATED=false the profile has its own cookies`,
    keys: ['STORAGE_STATE', 'ISOLATED'],
    fix: 'Set ISOLATED to true, or remove STORAGE_STATE.',
  },
  {
    code: 'DEVICE_CONFLICT',
    has: ({ settings }) => settings.mobile && settings.device !== undefined,
    message: (whom) => `MOBILE and DEVICE both set for ${whom}`,
    keys: ['MOBILE', 'DEVICE'],
    fix: 'Keep one of them.',
  },
  {
    code: 'DEVICE_CONFLICT',
    has: ({ settings }) => settings.mobile && settings.browser === 'firefox',
    message: (whom) => `MOBILE with BROWSER=firefox for ${whom}: Firefox emulates no phone`,
    keys: ['MOBILE', 'BROWSER'],
    fix: 'Set MOBILE to false, or BROWSER to chromium or webkit.',
  },
  {
    code: 'UNUSED_SETTING',
    has: (instance) =>
      instance.settings.attachTab === 'existing' &&
      (instance.settings.isolated !== false || cdpEndpointOf(instance) === undefined),
    message: (whom) =>
      `ATTACH_TAB=existing means nothing for ${whom}: only the profile of a browser with a debugging port (CDP) has tabs that are open`,
    keys: ['ATTACH_TAB', 'ENDPOINT', 'ISOLATED'],
    fix: 'Set ISOLATED to false and ENDPOINT to http://… or ws://…/devtools/… of that browser, or remove ATTACH_TAB.',
  },
];

function found({ code, has, message, keys, fix }: Combination, { instances }: PoolConfig): Violation[] {
  const having = instances.filter(has);
  if (having.length === 0) return [];
  return [{ code, message: message(howMany(having)), variable: namesOf(having, keys), fix }];
}

/**
 * The rules over what instances end up with, from whichever level: their driver, and what goes with it
 * [arch-config-08]. A value that was refused is undefined here, whatever its type says, and breaks no rule
 * a second time. What an instance has beside two drivers is looked at when it has one.
 */
export function checkResolvedRules(pools: readonly PoolConfig[]): Violation[] {
  const instances = pools.flatMap((pool) => pool.instances);
  return [
    ...pools.flatMap((pool) => [
      ...idleAboveInstances(pool),
      ...multipleDrivers(pool),
      ...COMBINATIONS.flatMap((combination) => found(combination, pool)),
      ...portsOutOfRange(pool),
    ]),
    ...unused(instances, 'ENDPOINT_HEADERS', 'ENDPOINT', ['global', 'pool', 'instance']),
    // A prefix for all pools may wait for a pool of worker browsers.
    ...unused(instances, 'PROFILE_PREFIX', 'CDP_PORT_BASE', ['pool', 'instance']),
    ...sharedEndpoints(instances),
    ...sharedPorts(instances),
  ];
}

function idleAboveInstances({ name, settings, instances, origins }: PoolConfig): Violation[] {
  // No instances: INSTANCES is missing or was refused.
  if (instances.length === 0 || !(settings.minIdle > instances.length)) return [];
  return [
    {
      code: 'MIN_IDLE_ABOVE_INSTANCES',
      message: `MIN_IDLE above INSTANCES: ${settings.minIdle}, but pool ${name} has INSTANCES=${instances.length}`,
      variable: listed([origins.minIdle.name, origins.instances.name]),
      fix: `Set MIN_IDLE of ${name} to ${instances.length} or less, or increase INSTANCES.`,
    },
  ];
}

function multipleDrivers({ instances }: PoolConfig): Violation[] {
  const torn = instances.filter((instance) => driverOf(instance) === undefined);
  if (torn.length === 0) return [];
  const keys = torn.flatMap((instance) => driverChoices(instance).map(([key]) => key));
  const names = torn.flatMap((instance) => driverChoices(instance).map(([key]) => nameOf(instance, key)));
  return [
    {
      code: 'MULTIPLE_DRIVERS',
      message: `More than one driver chosen for ${howMany(torn)}: ${listed(keys)}`,
      variable: listed(names),
      fix: 'Keep one of them for an instance, and remove the others.',
    },
  ];
}

function portsOutOfRange({ instances }: PoolConfig): Violation[] {
  const beyond = instances.filter((instance) => (workerPortOf(instance) ?? 0) > HIGHEST_PORT);
  const last = beyond.at(-1);
  if (!last) return [];
  return [
    {
      code: 'PORT_OUT_OF_RANGE',
      message: `CDP_PORT_BASE too high: instance ${last.id} of ${last.pool} would have port ${workerPortOf(last)}`,
      variable: namesOf(beyond, ['CDP_PORT_BASE']),
      fix: `Set CDP_PORT_BASE to ${HIGHEST_PORT - Number(last.id)} or less.`,
    },
  ];
}

/** A key that means nothing without another, set where no instance has that other one. */
function unused(
  instances: readonly InstanceConfig[],
  key: 'ENDPOINT_HEADERS' | 'PROFILE_PREFIX',
  needed: 'ENDPOINT' | 'CDP_PORT_BASE',
  levels: readonly ConfigLevel[],
): Violation[] {
  const having = instances.filter(
    (instance) =>
      levels.includes(originOf(instance, key).level) && instance.settings[KEYS[key].setting] !== undefined,
  );
  const using = having.filter((instance) => originOf(instance, needed).level !== 'built-in');
  const used = new Set(using.map((instance) => nameOf(instance, key)));
  const idle = having.filter((instance) => !used.has(nameOf(instance, key)));
  if (idle.length === 0) return [];
  return [
    {
      code: 'UNUSED_SETTING',
      message: `${key} set where no instance has ${needed}`,
      variable: namesOf(idle, [key]),
      fix: `Set ${needed} too, or remove ${key}.`,
    },
  ];
}

/** Isolated, or with a Playwright server, an instance has a context of its own; else the browser's one profile. */
function sharedEndpoints(instances: readonly InstanceConfig[]): Violation[] {
  const sharing = groupsOf(instances, (instance) => {
    const endpoint = instance.settings.isolated === false ? cdpEndpointOf(instance) : undefined;
    return endpoint && new URL(endpoint.url).href;
  });
  return sharing.map(([first, ...others]) => ({
    code: 'SHARED_ENDPOINT',
    message: `${others.length + 1} instances would share the profile and the tabs of the browser at ${cdpEndpointOf(first)?.label}`,
    variable: namesOf([first, ...others], ['ENDPOINT', 'ISOLATED']),
    fix: 'Set ISOLATED to true for them, or give each an ENDPOINT of its own.',
  }));
}

function sharedPorts(instances: readonly InstanceConfig[]): Violation[] {
  const sharing = groupsOf(instances, workerPortOf);
  const [first, ...others] = sharing;
  if (!first) return [];
  const owners = first.map(({ pool, id }) => `instance ${id} of ${pool}`).join(' and ');
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [
    {
      code: 'SHARED_PORT',
      message: `Port ${workerPortOf(first[0])}${more} would belong to ${first.length} worker browsers: ${owners}`,
      variable: namesOf(sharing.flat(), ['CDP_PORT_BASE']),
      fix: 'Set CDP_PORT_BASE of each pool so that no two browsers have the same port: each instance takes one.',
    },
  ];
}

function isPacked({ settings }: InstanceConfig): boolean {
  return settings.contextsPerBrowser > 1;
}

function originOf(instance: InstanceConfig, key: InstanceKey): Origin {
  return instance.origins[KEYS[key].setting];
}

function nameOf(instance: InstanceConfig, key: InstanceKey): string {
  return originOf(instance, key).name;
}

function namesOf(instances: readonly InstanceConfig[], keys: readonly InstanceKey[]): string {
  return listed(instances.flatMap((instance) => keys.map((key) => nameOf(instance, key))));
}

/** Each once; a built-in default has no name. */
function listed(names: readonly string[]): string {
  return [...new Set(names)].filter((name) => name !== '').join(', ');
}

/** Instances of one pool, in words. */
function howMany(instances: readonly InstanceConfig[]): string {
  const [first] = instances;
  const what = instances.length === 1 ? `instance ${first?.id}` : `${instances.length} instances`;
  return `${what} of ${first?.pool}`;
}

type Sharers = [InstanceConfig, InstanceConfig, ...InstanceConfig[]];

/** Instances that have the same of what each should have alone; undefined is nothing to share. */
function groupsOf(
  instances: readonly InstanceConfig[],
  sharedOf: (instance: InstanceConfig) => string | number | undefined,
): Sharers[] {
  const groups = new Map<string | number, InstanceConfig[]>();
  for (const instance of instances) {
    const shared = sharedOf(instance);
    if (shared === undefined) continue;
    const group = groups.get(shared);
    if (group) group.push(instance);
    else groups.set(shared, [instance]);
  }
  return [...groups.values()].filter((group): group is Sharers => group.length > 1);
}
