import type { SettableLevel } from './key-definition.js';
import { KEYS, type KeyName, levelsOf } from './keys.js';
import type { Violation } from './violations.js';

/** Where a layer of settings came from. */
export type ConfigSource =
  | 'flags'
  | 'environment'
  | 'dotenv'
  | 'file'
  | 'code'
  /** What goes with an option that somebody gave. */
  | 'implied';

/** Where in the hierarchy a key is set. */
export type Place =
  | { level: 'global' }
  | { level: 'pool'; pool: string }
  | { level: 'instance'; pool: string; id: string };

/** What every environment variable of pwpool starts with [000-env-01, 000-env-02, 000-env-03]. */
export const VARIABLE_PREFIX = 'PW_MCP_PROXY_';

/** The name by which a person sets `key` at `place`: a variable, a flag, or a path into a file or the input of a program. */
export function nameAt(source: ConfigSource, place: Place, key: KeyName): string {
  switch (source) {
    case 'code':
      return pathAt(place, KEYS[key].setting);
    case 'file':
      return pathAt(place, nameInFile(key));
    case 'flags':
      return flagAt(place, nameInFile(key));
    default:
      return variableAt(place, key);
  }
}

/** What a key is called in a configuration file. */
export function nameInFile(key: KeyName): string {
  return key.toLowerCase();
}

/** `--set` with a name of any kind, known or not. */
export function flagAt(place: Place, name: string): string {
  switch (place.level) {
    case 'global':
      return `--set ${name}`;
    case 'pool':
      return `--set ${place.pool}.${name}`;
    case 'instance':
      return `--set ${place.pool}.${place.id}.${name}`;
  }
}

function variableAt(place: Place, key: KeyName): string {
  switch (place.level) {
    case 'global':
      return `${VARIABLE_PREFIX}${key}`;
    case 'pool':
      return `${VARIABLE_PREFIX}_${place.pool}_${key}`;
    case 'instance':
      return `${VARIABLE_PREFIX}_${place.pool}__${place.id}_${key}`;
  }
}

/** The path of a name of any kind, known or not. */
export function pathAt(place: Place, name: string): string {
  switch (place.level) {
    case 'global':
      return name;
    case 'pool':
      return `pools.${place.pool}.${name}`;
    case 'instance':
      return `pools.${place.pool}.instance.${place.id}.${name}`;
  }
}

/** Every name by which `key` may be set, given the pool and id of `near` where it has them. */
export function allowedNames(source: ConfigSource, key: KeyName, near: Place): string {
  const pool = near.level === 'global' ? '<POOL>' : near.pool;
  const id = near.level === 'instance' ? near.id : '<ID>';
  const places: Record<SettableLevel, Place> = {
    global: { level: 'global' },
    pool: { level: 'pool', pool },
    instance: { level: 'instance', pool, id },
  };
  return levelsOf(key)
    .map((level) => nameAt(source, places[level], key))
    .join(' or ');
}

/** The violation of a key at a level where it may not be set, or undefined if it may. */
export function wrongLevel(
  source: ConfigSource,
  place: Place,
  key: KeyName,
  name: string,
): Violation | undefined {
  const levels: readonly SettableLevel[] = levelsOf(key);
  if (levels.includes(place.level)) return undefined;
  const instancesGlobally = key === 'INSTANCES' && place.level === 'global';
  const where = { global: 'globally', pool: 'for a pool', instance: 'for an instance' }[place.level];
  return {
    code: instancesGlobally ? 'INSTANCES_DEFINED_GLOBALLY' : 'WRONG_LEVEL',
    message: `${key} defined ${where}, but it belongs to the ${levels.join(' or ')} level`,
    variable: name,
    fix: `Move it to ${levels.join(' or ')} level: ${allowedNames(source, key, place)}.`,
  };
}

/** The violation of a pool name that is not upper-case words joined by single underscores, or undefined. */
export function invalidPoolName(pool: string, variable: string): Violation | undefined {
  if (/^[A-Z0-9]+(_[A-Z0-9]+)*$/.test(pool)) return undefined;
  const words = pool.toUpperCase().match(/[A-Z0-9]+/g);
  return {
    code: 'INVALID_POOL_NAME',
    message: `"${pool}" cannot be the name of a pool`,
    variable,
    fix: `Use upper-case letters and digits, joined by single underscores${words ? `, such as ${words.join('_')}` : ''}.`,
  };
}

/** Whether an instance id is a number as `String` writes it: "0", "12", not "00". */
export function isInstanceId(id: string): boolean {
  return /^(0|[1-9]\d*)$/.test(id);
}

export function invalidInstanceId(id: string, variable: string): Violation {
  return {
    code: 'INVALID_INSTANCE_ID',
    message: `Invalid instance ID in override: "${id}" is not a whole number without leading zeros`,
    variable,
    fix: 'Use the number of an instance, counted from 0, after the double underscore; a pool name has none.',
  };
}
