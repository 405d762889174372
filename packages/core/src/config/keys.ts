import { CONTEXT_KEYS } from './context-keys.js';
import { INSTANCE_KEYS } from './instance-keys.js';
import {
  type ChangeCost,
  type KeyDefinition,
  LEVELS_OF_SCOPE,
  type SettableLevel,
} from './key-definition.js';
import { POOL_KEYS } from './pool-keys.js';
import { SERVER_KEYS } from './server-keys.js';
import { TOOL_KEYS } from './tool-keys.js';

/**
 * Every key, in the order in which they are shown. Names of environment variables, input types, settings types,
 * `explainConfig` and the reference in docs all derive from this table, and no default is written anywhere else.
 */
export const KEYS = {
  ...POOL_KEYS,
  ...INSTANCE_KEYS,
  ...CONTEXT_KEYS,
  ...TOOL_KEYS,
  ...SERVER_KEYS,
} as const;

export type KeyName = keyof typeof KEYS;

export type BrowserName = (typeof KEYS)['BROWSER']['choices'][number];

/** The browsers that there are. */
export const BROWSERS: readonly BrowserName[] = KEYS.BROWSER.choices;

export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

export function isKeyName(name: string): name is KeyName {
  return Object.hasOwn(KEYS, name);
}

export function definitionOf(key: KeyName): KeyDefinition {
  return KEYS[key];
}

/** The names of the settings whose change costs this. */
export function settingsByCost(cost: ChangeCost): ReadonlySet<string> {
  return new Set(KEY_NAMES.filter((key) => KEYS[key].change === cost).map((key) => KEYS[key].setting));
}

/** The levels at which the key may be set, widest first. */
export function levelsOf(key: KeyName): readonly SettableLevel[] {
  return LEVELS_OF_SCOPE[KEYS[key].scope];
}
