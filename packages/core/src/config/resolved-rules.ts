import {
  cdpEndpointOf,
  driverChoices,
  driverOf,
  type InstanceDriver,
  type InstanceKey,
  workerPortOf,
} from './instance-driver.js';
import { KEYS } from './keys.js';
import type { ConfigLevel, InstanceConfig, Origin, PoolConfig } from './model.js';
import type { Violation } from './violations.js';

const HIGHEST_PORT = 65_535;

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
      ...contextsOfOtherDrivers(pool),
      ...contextsOfProfiles(pool),
      ...browsersWithoutCdp(pool),
      ...portsOutOfRange(pool),
      ...profilesOfIsolated(pool),
      ...statesOfProfiles(pool),
      ...emulatedTwice(pool),
      ...tabsOfNobody(pool),
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

function contextsOfOtherDrivers({ instances }: PoolConfig): Violation[] {
  const others: (InstanceDriver | undefined)[] = ['process', 'endpoint', 'worker'];
  const packed = instances.filter((instance) => isPacked(instance) && others.includes(driverOf(instance)));
  if (packed.length === 0) return [];
  return [
    {
      code: 'CONTEXTS_PER_BROWSER_CONFLICT',
      message: `CONTEXTS_PER_BROWSER means nothing for ${howMany(packed)}: only browsers of DRIVER=embedded are shared`,
      variable: namesOf(packed, ['CONTEXTS_PER_BROWSER']),
      fix: 'Set CONTEXTS_PER_BROWSER to 1 for them, or remove it.',
    },
  ];
}

function contextsOfProfiles({ instances }: PoolConfig): Violation[] {
  const packed = instances.filter(
    (instance) =>
      isPacked(instance) && driverOf(instance) === 'embedded' && instance.settings.isolated === false,
  );
  if (packed.length === 0) return [];
  return [
    {
      code: 'CONTEXTS_PER_BROWSER_CONFLICT',
      message: `CONTEXTS_PER_BROWSER above 1 with ISOLATED=false for ${howMany(packed)}: a profile on disk needs a browser of its own`,
      variable: namesOf(packed, ['CONTEXTS_PER_BROWSER', 'ISOLATED']),
      fix: 'Set ISOLATED to true for them, or CONTEXTS_PER_BROWSER to 1.',
    },
  ];
}

function browsersWithoutCdp({ instances }: PoolConfig): Violation[] {
  const others: readonly string[] = ['firefox', 'webkit'];
  const unable = instances.filter(
    (instance) =>
      others.includes(instance.settings.browser) &&
      (cdpEndpointOf(instance) !== undefined || driverOf(instance) === 'worker'),
  );
  if (unable.length === 0) return [];
  return [
    {
      code: 'CDP_NEEDS_CHROMIUM',
      message: `BROWSER without a debugging port (CDP) for ${howMany(unable)}: only chromium, chrome and msedge have one`,
      variable: namesOf(unable, ['BROWSER', 'ENDPOINT', 'CDP_PORT_BASE']),
      fix: 'Set BROWSER to chromium, chrome or msedge for them.',
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

function profilesOfIsolated({ instances }: PoolConfig): Violation[] {
  const idle = instances.filter(({ settings }) => settings.userDataDir !== undefined && settings.isolated);
  if (idle.length === 0) return [];
  return [
    {
      code: 'UNUSED_SETTING',
      message: `USER_DATA_DIR means nothing for ${howMany(idle)}: with ISOLATED=true there is no profile on disk`,
      variable: namesOf(idle, ['USER_DATA_DIR', 'ISOLATED']),
      fix: 'Set ISOLATED to false, or remove USER_DATA_DIR.',
    },
  ];
}

function statesOfProfiles({ instances }: PoolConfig): Violation[] {
  const idle = instances.filter(
    ({ settings }) => settings.storageState !== undefined && settings.isolated === false,
  );
  if (idle.length === 0) return [];
  return [
    {
      code: 'UNUSED_SETTING',
      message: `STORAGE_STATE means nothing for ${howMany(idle)}: with ISOLATED=false the profile has its own cookies`,
      variable: namesOf(idle, ['STORAGE_STATE', 'ISOLATED']),
      fix: 'Set ISOLATED to true, or remove STORAGE_STATE.',
    },
  ];
}

function tabsOfNobody({ instances }: PoolConfig): Violation[] {
  const idle = instances.filter(
    (instance) =>
      instance.settings.attachTab === 'existing' &&
      (instance.settings.isolated !== false || cdpEndpointOf(instance) === undefined),
  );
  if (idle.length === 0) return [];
  return [
    {
      code: 'UNUSED_SETTING',
      message: `ATTACH_TAB=existing means nothing for ${howMany(idle)}: only the profile of a browser with a debugging port (CDP) has tabs that are open`,
      variable: namesOf(idle, ['ATTACH_TAB', 'ENDPOINT', 'ISOLATED']),
      fix: 'Set ISOLATED to false and ENDPOINT to http://… or ws://…/devtools/… of that browser, or remove ATTACH_TAB.',
    },
  ];
}

function emulatedTwice({ instances }: PoolConfig): Violation[] {
  const mobile = instances.filter(({ settings }) => settings.mobile);
  const both = mobile.filter(({ settings }) => settings.device !== undefined);
  const firefox = mobile.filter(({ settings }) => settings.browser === 'firefox');
  return [
    ...(both.length === 0
      ? []
      : [
          {
            code: 'DEVICE_CONFLICT' as const,
            message: `MOBILE and DEVICE both set for ${howMany(both)}`,
            variable: namesOf(both, ['MOBILE', 'DEVICE']),
            fix: 'Keep one of them.',
          },
        ]),
    ...(firefox.length === 0
      ? []
      : [
          {
            code: 'DEVICE_CONFLICT' as const,
            message: `MOBILE with BROWSER=firefox for ${howMany(firefox)}: Firefox emulates no phone`,
            variable: namesOf(firefox, ['MOBILE', 'BROWSER']),
            fix: 'Set MOBILE to false, or BROWSER to chromium or webkit.',
          },
        ]),
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
