import type { KeyName } from './keys.js';
import type { Layer } from './layer.js';
import type { Origin } from './model.js';
import type { ConfigSource, Place } from './place.js';
import type { SettingValue } from './values.js';

export interface Setting {
  /** Undefined when the value was refused. */
  value: SettingValue | undefined;
  origin: Origin;
}

export type Settings = Map<KeyName, Setting>;

export interface PoolNode {
  /** The strongest source that names the pool: messages name what is missing the way that source would. */
  source: ConfigSource;
  settings: Settings;
  instances: Map<string, Settings>;
}

/** What is set at each place, whichever layer it came from. Pools stand in the order of the weakest layer that names them. */
export interface Hierarchy {
  global: Settings;
  pools: Map<string, PoolNode>;
}

/** Puts layers on top of each other, strongest first: at each place, the first layer that sets a key wins. */
export function mergeLayers(layers: readonly Layer[]): Hierarchy {
  const hierarchy: Hierarchy = { global: new Map(), pools: new Map() };
  // A variable that overrides a setting of a file does not move its pool to the front.
  for (const { source, pools } of layers.toReversed()) {
    for (const pool of pools) {
      const node = hierarchy.pools.get(pool);
      if (node) node.source = source;
      else hierarchy.pools.set(pool, { source, settings: new Map(), instances: new Map() });
    }
  }
  for (const { source, entries } of layers) {
    for (const { place, key, name, value, location } of entries) {
      const settings = settingsAt(hierarchy, place);
      if (settings && !settings.has(key)) {
        settings.set(key, { value, origin: { level: place.level, source, name, location } });
      }
    }
  }
  return hierarchy;
}

function settingsAt({ global, pools }: Hierarchy, place: Place): Settings | undefined {
  if (place.level === 'global') return global;
  const pool = pools.get(place.pool);
  if (!pool || place.level === 'pool') return pool?.settings;
  const settings = pool.instances.get(place.id) ?? new Map();
  pool.instances.set(place.id, settings);
  return settings;
}

/**
 * Whether there is just one pool and a program made it: it is the default pool without saying so. Variables say so
 * [000-validation-03], because another one of them may add a pool at any time.
 */
export function isOnlyPoolOfProgram({ pools }: Hierarchy): boolean {
  return pools.size === 1 && [...pools.values()].every(({ source }) => source === 'code');
}
