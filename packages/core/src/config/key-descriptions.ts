import type { ChangeCost, KeyDefinition, SettableLevel } from './key-definition.js';
import { definitionOf, KEY_NAMES, type KeyName, levelsOf } from './keys.js';
import { nameInFile } from './place.js';
import { expectedValue } from './values.js';

/** One key, in words: for `pwpool config keys` and docs/configuration.md. */
export interface KeyDescription {
  key: KeyName;
  /** In a configuration file. */
  name: string;
  /** In a program. */
  setting: string;
  levels: readonly SettableLevel[];
  takes: string;
  default: string;
  /** When a changed value holds in a running server. */
  change: string;
  help: string;
}

const CHANGES: Readonly<Record<ChangeCost, string>> = {
  'at-once': 'at once',
  'new-browser': 'with a new browser',
  'next-start': 'from the next start',
};

/** Every key, in the order of the table. */
export function describeKeys(): KeyDescription[] {
  return KEY_NAMES.map((key) => {
    const definition = definitionOf(key);
    const { setting, type, change, help } = definition;
    return {
      key,
      name: nameInFile(key),
      setting,
      levels: levelsOf(key),
      takes: type === 'milliseconds' ? `milliseconds, ${definition.min} or more` : expectedValue(definition),
      default: defaultOf(definition),
      change: CHANGES[change],
      help,
    };
  });
}

function defaultOf(definition: KeyDefinition): string {
  const { required, defaultIn, fallback, defaultWhen } = definition;
  if (required) return 'none: must be set';
  if (defaultIn) return defaultIn.told;
  if (fallback !== undefined) return `that of \`${fallback}\``;
  const value = 'default' in definition ? definition.default : undefined;
  if (value === undefined) return 'not set';
  if (defaultWhen) {
    const { key, is, default: other } = defaultWhen;
    return `\`${String(value)}\`; \`${other}\` with \`${is === 'set' ? key : `${key}=${is}`}\``;
  }
  const text = typeof value === 'object' ? Object.values(value).join(',') : String(value);
  return text === '' ? 'empty' : `\`${text}\``;
}
