import { inspect } from 'node:util';
import type { SettableLevel } from './key-definition.js';
import { KEY_NAMES, KEYS, type KeyName, levelsOf } from './keys.js';
import { LayerBuilder } from './layer.js';
import type { PwpoolConfig, SettingsInput } from './model.js';
import { invalidInstanceId, invalidPoolName, isInstanceId, type Place, pathAt } from './place.js';
import { configOrThrow, resolveLayers } from './resolve.js';
import { nearest } from './suggest.js';
import type { Violation } from './violations.js';

/** Overrides for one instance of a pool. */
export interface InstanceInput extends SettingsInput<'instance'> {}

/** One pool, and defaults for its instances. */
export interface PoolInput extends SettingsInput<'pool'> {
  /** Overrides by instance id. */
  readonly instance?: Readonly<Record<string, InstanceInput>> | undefined;
}

/**
 * A configuration as a program writes it: the three levels and the rules of the environment variables.
 *
 * @example
 * const input: ConfigInput = {
 *   headless: true,
 *   isolated: true,
 *   pools: { SCRAPE: { instances: 3, browser: 'firefox', instance: { 0: { alias: 'main' } } } },
 * };
 */
export interface ConfigInput extends SettingsInput<'global'> {
  /** Pools by name. */
  readonly pools?: Readonly<Record<string, PoolInput>> | undefined;
}

/** The name that holds the next narrower level. */
const CHILDREN = { global: 'pools', pool: 'instance', instance: undefined } as const;

const KEY_OF_SETTING: ReadonlyMap<string, KeyName> = new Map(
  KEY_NAMES.map((key) => [KEYS[key].setting, key]),
);

/**
 * Resolves a configuration that a program gives, by the same rules, without a look at the environment.
 * @throws PwpoolError `CONFIG_INVALID`, with all violations in its message and in `details.violations`
 */
export function resolveConfig(input: ConfigInput): PwpoolConfig {
  return configOrThrow(resolveLayers([readInput(input)]));
}

/** Reads a programmatic configuration. Its types are checked again: not every caller was compiled against them. */
function readInput(input: unknown): LayerBuilder {
  const builder = new LayerBuilder('code');
  const pools = readObject(builder, { level: 'global' }, input, 'ConfigInput');
  for (const [pool, poolInput] of membersOf(builder, pools, 'pools')) {
    const path = `pools.${pool}`;
    const misnamed = invalidPoolName(pool, path);
    if (misnamed) builder.violations.push(misnamed);
    builder.addPool(pool);
    const instances = readObject(builder, { level: 'pool', pool }, poolInput, path);
    for (const [id, instanceInput] of membersOf(builder, instances, `${path}.instance`)) {
      const instancePath = `${path}.instance.${id}`;
      if (!isInstanceId(id)) builder.violations.push(invalidInstanceId(id, instancePath));
      readObject(builder, { level: 'instance', pool, id }, instanceInput, instancePath);
    }
  }
  return builder;
}

/** Adds the keys of one object, and returns what it holds for the next narrower level. */
function readObject(builder: LayerBuilder, place: Place, input: unknown, path: string): unknown {
  const child = CHILDREN[place.level];
  let children: unknown;
  for (const [name, value] of membersOf(builder, input, path)) {
    if (value === undefined) continue;
    const key = KEY_OF_SETTING.get(name);
    if (name === child) children = value;
    else if (key) builder.add(place, key, pathAt(place, name), value);
    else builder.violations.push(unknownSetting(place, name));
  }
  return children;
}

function membersOf(builder: LayerBuilder, value: unknown, path: string): [string, unknown][] {
  if (value === undefined) return [];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  builder.violations.push({
    code: 'INVALID_VALUE',
    message: `${path} is ${inspect(value, { depth: 0 })}, but must be an object`,
    variable: path,
    fix: 'Give an object with settings by name, or leave it out.',
  });
  return [];
}

function unknownSetting(place: Place, name: string): Violation {
  const names = KEY_NAMES.filter((key) => includesLevel(key, place.level)).map((key) => KEYS[key].setting);
  const child = CHILDREN[place.level];
  const allowed: string[] = child ? [...names, child] : names;
  const near = nearest(name, allowed)?.name;
  return {
    code: 'UNKNOWN_KEY',
    message: `${pathAt(place, name)} is not a known setting`,
    variable: pathAt(place, name),
    fix: near ? `Did you mean ${pathAt(place, near)}?` : `Remove it, or use one of ${allowed.join(', ')}.`,
  };
}

function includesLevel(key: KeyName, level: SettableLevel): boolean {
  const levels: readonly SettableLevel[] = levelsOf(key);
  return levels.includes(level);
}
