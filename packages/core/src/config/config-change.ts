import { isDeepStrictEqual } from 'node:util';
import type { ChangeCost } from './key-definition.js';
import { KEY_NAMES, KEYS, type KeyName, settingsByCost } from './keys.js';
import type {
  InstanceConfig,
  InstanceSettings,
  PoolConfig,
  PoolSettings,
  PwpoolConfig,
  ServerSettings,
} from './model.js';

/** What differs between two configurations. Where a value comes from is no difference, nor is the order of pools. */
export interface ConfigChange {
  /** Server settings that differ. */
  readonly server: readonly (keyof ServerSettings)[];
  readonly poolsAdded: readonly PoolConfig[];
  /** Names of pools that are gone. */
  readonly poolsRemoved: readonly string[];
  /** Pools that are in both and differ. */
  readonly poolsChanged: readonly PoolChange[];
}

export interface PoolChange {
  readonly name: string;
  readonly before: PoolConfig;
  readonly after: PoolConfig;
  /** What differs in the pool as a whole; how many instances it has is told below. */
  readonly settings: readonly (keyof PoolSettings | 'isDefault' | 'description')[];
  readonly instancesAdded: readonly InstanceConfig[];
  /** Ids of instances that are gone. */
  readonly instancesRemoved: readonly string[];
  readonly instancesChanged: readonly InstanceChange[];
  /** What differs in the instances that scaling up adds, or has added. */
  readonly template: readonly (keyof InstanceSettings)[];
}

export interface InstanceChange {
  readonly id: string;
  readonly before: InstanceConfig;
  readonly after: InstanceConfig;
  /** What differs: at least one. */
  readonly settings: readonly (keyof InstanceSettings | 'alias')[];
}

/** Tells what a running server has to do to get from one configuration to another. */
export function compareConfigs(before: PwpoolConfig, after: PwpoolConfig): ConfigChange {
  const pools = compareLists(before.pools, after.pools, ({ name }) => name);
  return {
    server: changedNames(before.server, after.server),
    poolsAdded: pools.added,
    poolsRemoved: pools.removed,
    poolsChanged: pools.kept.map(comparePools).filter(differs),
  };
}

/** The same of one pool; all its lists are empty when nothing differs. */
export function comparePools([before, after]: Pair<PoolConfig>): PoolChange {
  const instances = compareLists(before.instances, after.instances, ({ id }) => id);
  return {
    name: after.name,
    before,
    after,
    settings: changedNames(wholeOf(before), wholeOf(after)),
    instancesAdded: instances.added,
    instancesRemoved: instances.removed,
    instancesChanged: instances.kept.map(compareInstances).filter(({ settings }) => settings.length > 0),
    template: changedNames(before.template.settings, after.template.settings),
  };
}

const AT_ONCE = settingsByCost('at-once');
const NEXT_START = settingsByCost('next-start');

/** Whether an instance needs another browser for what differs. */
export function needsBrowser({ settings }: InstanceChange): boolean {
  return settings.some((name) => !AT_ONCE.has(name));
}

/** An instance as it is `now`, with what of `next` costs nothing. */
export function adoptAtOnce(now: InstanceConfig, next: InstanceConfig): InstanceConfig {
  return {
    ...now,
    alias: next.alias,
    settings: adoptNames(now.settings, next.settings),
    origins: adoptNames(now.origins, next.origins),
  };
}

function adoptNames<Values extends object>(now: Values, next: Values): Values {
  const adopted = { ...now };
  for (const name of namesOf(now)) {
    if (AT_ONCE.has(String(name))) adopted[name] = next[name];
  }
  return adopted;
}

/** The settings that differ from those the server was started with, and do not hold before it is started again. */
export function serverSettingsToCome(started: ServerSettings, now: ServerSettings): (keyof ServerSettings)[] {
  return changedNames(started, now).filter((name) => NEXT_START.has(name));
}

/** A key whose value differs, where, and what that costs. */
export interface ChangedKey {
  key: KeyName;
  /** `null` for a key of the server. */
  pool: string | null;
  /** Ids of the instances; empty for a key of the pool or the server. */
  instances: readonly string[];
  cost: ChangeCost;
}

/** What differs, key by key. */
export function changedKeys({ server, poolsChanged }: ConfigChange): ChangedKey[] {
  return [
    ...server.map((setting) => changedKey(setting, null)),
    ...poolsChanged.flatMap(({ name, settings, instancesChanged, instancesAdded, instancesRemoved }) => {
      const isScaled = instancesAdded.length + instancesRemoved.length > 0;
      const byKey = new Map<string, string[]>();
      for (const { id, settings: ofInstance } of instancesChanged) {
        for (const setting of ofInstance) byKey.set(setting, [...(byKey.get(setting) ?? []), id]);
      }
      return [
        ...(isScaled ? [changedKey('instances', name)] : []),
        ...settings.filter((setting) => !byKey.has(setting)).map((setting) => changedKey(setting, name)),
        ...[...byKey].map(([setting, ids]) => changedKey(setting, name, ids)),
      ];
    }),
  ];
}

const KEY_OF_SETTING: ReadonlyMap<string, KeyName> = new Map(
  KEY_NAMES.map((key) => [KEYS[key].setting, key]),
);

/** The key that a setting is written as. */
export function keyOf(setting: string): KeyName {
  const key = KEY_OF_SETTING.get(setting);
  if (key === undefined) throw new Error(`${setting} is not a setting.`);
  return key;
}

function changedKey(setting: string, pool: string | null, instances: readonly string[] = []): ChangedKey {
  const key = keyOf(setting);
  return { key, pool, instances, cost: KEYS[key].change };
}

function wholeOf({ settings, isDefault, description }: PoolConfig) {
  return { ...settings, isDefault, description };
}

function compareInstances([before, after]: Pair<InstanceConfig>): InstanceChange {
  const settings = changedNames(
    { ...before.settings, alias: before.alias },
    { ...after.settings, alias: after.alias },
  );
  return { id: after.id, before, after, settings };
}

function differs(change: PoolChange): boolean {
  const { settings, instancesAdded, instancesRemoved, instancesChanged, template } = change;
  return [settings, instancesAdded, instancesRemoved, instancesChanged, template].some(
    ({ length }) => length > 0,
  );
}

/** Both have the same keys, and their values are plain: the table of keys sees to that. */
function changedNames<Settings extends object>(before: Settings, after: Settings): (keyof Settings)[] {
  return namesOf(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

function namesOf<Settings extends object>(settings: Settings): (keyof Settings)[] {
  return Object.keys(settings) as (keyof Settings)[];
}

type Pair<Item> = readonly [before: Item, after: Item];

function compareLists<Item>(
  before: readonly Item[],
  after: readonly Item[],
  nameOf: (item: Item) => string,
): { added: Item[]; removed: string[]; kept: Pair<Item>[] } {
  const earlier = new Map(before.map((item) => [nameOf(item), item]));
  const later = new Set(after.map(nameOf));
  return {
    added: after.filter((item) => !earlier.has(nameOf(item))),
    removed: [...earlier.keys()].filter((name) => !later.has(name)),
    kept: after.flatMap((item): Pair<Item>[] => {
      const match = earlier.get(nameOf(item));
      return match ? [[match, item]] : [];
    }),
  };
}
