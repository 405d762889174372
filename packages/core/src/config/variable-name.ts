import type { SettableLevel } from './key-definition.js';
import { isKeyName, KEY_NAMES, type KeyName, levelsOf } from './keys.js';
import {
  allowedNames,
  invalidInstanceId,
  invalidPoolName,
  isInstanceId,
  nameAt,
  type Place,
  VARIABLE_PREFIX,
} from './place.js';
import { nearest } from './suggest.js';
import type { ConfigWarning, Violation } from './violations.js';

export type ParsedVariable = { place: Place; key: KeyName } | { violation: Violation };

const LONGEST_FIRST = [...KEY_NAMES].sort((a, b) => b.length - a.length);

/**
 * Takes apart the name of a variable that starts with `VARIABLE_PREFIX` [000-env-05, 000-env-06, arch-config-01].
 *
 * Pool names and keys both hold underscores, so the longest known key that ends the name is the key, as long as
 * something is left for the pool: `PW_MCP_PROXY__MY_POOL_IS_DEFAULT` is key `IS_DEFAULT` of pool `MY_POOL`.
 */
export function parseVariable(name: string): ParsedVariable {
  const rest = name.slice(VARIABLE_PREFIX.length);
  if (!rest.startsWith('_')) {
    if (isKeyName(rest)) return { place: { level: 'global' }, key: rest };
    return { violation: unknownVariable(name, suggestGlobal(rest)) };
  }
  const scoped = rest.slice(1);
  const key = keyAtEnd(scoped);
  if (!key) return { violation: unknownVariable(name, suggestScoped(scoped)) };

  const place = placeOf(scoped.slice(0, -key.length - 1));
  const poolViolation = invalidPoolName(place.pool, name);
  if (poolViolation) return { violation: poolViolation };
  if (place.level === 'instance' && !isInstanceId(place.id)) {
    return { violation: invalidInstanceId(place.id, name) };
  }
  return { place, key };
}

/** The whole prefix with its underscores wrong, or a part of it; the product's own name, too, seems to some to be the prefix. */
const WHOLE_PREFIX = /^PW_*MCP_*PROXY_*/;
const PART_OF_PREFIX = /^(?:PW_*MCP|PWPOOL)_*/;
/** As many words as the prefix has. */
const THREE_WORDS = /^PW[A-Z]*_+[A-Z]+_+[A-Z]+_+/;

/**
 * The warning of a variable that ends with a key and starts with what is not quite `VARIABLE_PREFIX`, such as
 * `PWPOOL_A_INSTANCES`; undefined for any other. Nobody reads such a variable.
 */
export function misspeltPrefix(name: string): ConfigWarning | undefined {
  const upper = name.toUpperCase();
  const words = THREE_WORDS.exec(upper)?.[0];
  const { distance = Number.POSITIVE_INFINITY } = nearest(words ?? '', [VARIABLE_PREFIX]) ?? {};
  const misspelt = distance <= 2 ? words : undefined;
  const prefix = WHOLE_PREFIX.exec(upper)?.[0] ?? misspelt ?? PART_OF_PREFIX.exec(upper)?.[0];
  if (prefix === undefined) return undefined;
  const rest = upper.slice(prefix.length);
  const key = keyAtEnd(rest);
  const meant = isKeyName(rest)
    ? nameNear({ level: 'global' }, rest)
    : key && nameNear(placeOf(rest.slice(0, -key.length - 1)), key);
  if (meant === undefined) return undefined;
  return {
    code: 'MISSPELT_PREFIX',
    message: `${name} is not read: the names of pwpool's variables start with ${VARIABLE_PREFIX}`,
    variable: name,
    fix: `Did you mean ${meant}?`,
  };
}

function keyAtEnd(scoped: string): KeyName | undefined {
  return LONGEST_FIRST.find((key) => scoped.length > key.length + 1 && scoped.endsWith(`_${key}`));
}

/** `MY_POOL` is a pool, `MY_POOL__0` an instance of it. */
function placeOf(owner: string): Exclude<Place, { level: 'global' }> {
  const separator = owner.lastIndexOf('__');
  if (separator === -1) return { level: 'pool', pool: owner };
  return { level: 'instance', pool: owner.slice(0, separator), id: owner.slice(separator + 2) };
}

function unknownVariable(name: string, suggestion: string | undefined): Violation {
  return {
    code: 'UNKNOWN_KEY',
    message: `${name} holds no known key`,
    variable: name,
    fix: suggestion
      ? `Did you mean ${suggestion}?`
      : `Remove it, or use one of the keys ${KEY_NAMES.join(', ')}.`,
  };
}

function suggestGlobal(rest: string): string | undefined {
  const near = nearest(rest, KEY_NAMES)?.name;
  if (near && isKeyName(near)) return nameNear({ level: 'global' }, near);
  // A single underscore where a pool needs two: PW_MCP_PROXY_SCRAPE_HEADLESS.
  return keyAtEnd(rest) && `${VARIABLE_PREFIX}_${rest}`;
}

/** The end of a scoped name may be a misspelt key, from any underscore on; the rest is then its pool or instance. */
function suggestScoped(scoped: string): string | undefined {
  let best: { key: KeyName; owner: string; distance: number } | undefined;
  for (let at = scoped.indexOf('_'); at !== -1; at = scoped.indexOf('_', at + 1)) {
    const owner = scoped.slice(0, at);
    const near = nearest(scoped.slice(at + 1), KEY_NAMES);
    if (owner === '' || !near || !isKeyName(near.name)) continue;
    if (!best || near.distance < best.distance) best = { key: near.name, owner, distance: near.distance };
  }
  if (best) return nameNear(placeOf(best.owner), best.key);
  // No room for a pool: PW_MCP_PROXY__HEADLESS.
  return suggestGlobal(scoped.replace(/^_+/, ''));
}

function nameNear(place: Place, key: KeyName): string {
  const levels: readonly SettableLevel[] = levelsOf(key);
  return levels.includes(place.level)
    ? nameAt('environment', place, key)
    : allowedNames('environment', key, place);
}
