import { createRequire } from 'node:module';
import { CONFIG_SCHEMA_URL } from './config-schema.js';
import type { ConfigExplanation, ExplainedSetting } from './explain.js';
import type { KeyDefinition, SettableLevel } from './key-definition.js';
import { definitionOf, type KeyName } from './keys.js';
import { LayerBuilder } from './layer.js';
import { nameAt, nameInFile, type Place } from './place.js';
import { resolveLayers } from './resolve.js';
import { isObject, MASKED, type SettingValue } from './values.js';
import type { Violation } from './violations.js';

/** A setting to be written down where a person will read it. */
export interface WrittenSetting {
  readonly place: Place;
  readonly key: KeyName;
  readonly value: SettingValue;
  /** Stands behind it as a comment. */
  readonly comment?: string | undefined;
}

/**
 * What somebody set of a configuration, at the level where it was set, each once. What only follows from another setting, such
 * as the default of `TIMEOUT_NAVIGATION`, is left out.
 */
export function writtenSettings({ server, pools }: ConfigExplanation): WrittenSetting[] {
  const written = new Map<string, WrittenSetting>();
  const add = (settings: readonly ExplainedSetting[], pool: string, id: string) => {
    for (const { key, value, origin } of settings) {
      if (value === null || origin.level === 'built-in' || isDerived(key, origin.name, settings)) continue;
      const place = placeAt(origin.level, pool, id);
      const isMasked = JSON.stringify(value).includes(MASKED);
      const comment = isMasked ? 'holds a secret, which is not shown' : undefined;
      written.set(nameAt('environment', place, key), { place, key, value, comment });
    }
  };
  add(server, '', '');
  for (const { pool, settings, instances } of pools) {
    add(settings, pool, '');
    for (const instance of instances) add(instance.settings, pool, instance.id);
  }
  const all = [...written.values()];
  const isGlobal = ({ place }: WrittenSetting) => place.level === 'global';
  return [...all.filter(isGlobal), ...all.filter((setting) => !isGlobal(setting))];
}

function placeAt(level: SettableLevel, pool: string, id: string): Place {
  if (level === 'global') return { level };
  return level === 'pool' ? { level, pool } : { level, pool, id };
}

function isDerived(key: KeyName, name: string, settings: readonly ExplainedSetting[]): boolean {
  const { fallback, defaultWhen } = definitionOf(key);
  const from = fallback ?? defaultWhen?.key;
  return settings.some((setting) => setting.key === from && setting.origin.name === name);
}

/** What is wrong with settings that are a whole configuration. */
export function inspectSettings(settings: readonly WrittenSetting[]): readonly Violation[] {
  const builder = new LayerBuilder('file');
  for (const { place, key, value } of settings) builder.add(place, key, nameAt('file', place, key), value);
  return resolveLayers([builder]).violations;
}

/** The settings as variables, one a line, in the form of a `.env` file, which a shell can read as well. */
export function asVariables(settings: readonly WrittenSetting[]): string {
  return settings
    .map(({ place, key, value, comment }) => {
      const line = `${nameAt('environment', place, key)}=${quoted(textOf(definitionOf(key), value))}`;
      return comment === undefined ? line : `# ${comment}\n${line}`;
    })
    .join('\n');
}

/** The settings as a configuration file in YAML; pools and keys stand in the order given. */
export function asConfigFile(settings: readonly WrittenSetting[]): string {
  const lines = [`# yaml-language-server: $schema=${CONFIG_SCHEMA_URL}`];
  const write = (indent: string, within: (place: Place) => boolean) => {
    for (const { key, value, comment } of settings.filter(({ place }) => within(place))) {
      const after = comment === undefined ? '' : ` # ${comment}`;
      lines.push(`${indent}${nameInFile(key)}: ${yamlOf(definitionOf(key), value)}${after}`);
    }
  };
  write('', ({ level }) => level === 'global');
  const pools = unique(settings.flatMap(({ place }) => (place.level === 'global' ? [] : [place.pool])));
  if (pools.length > 0) lines.push('pools:');
  for (const pool of pools) {
    lines.push(`  ${pool}:`);
    write('    ', (place) => place.level === 'pool' && place.pool === pool);
    const own = settings.flatMap(({ place }) =>
      place.level === 'instance' && place.pool === pool ? [place] : [],
    );
    if (own.length > 0) lines.push('    instance:');
    for (const id of unique(own.map((place) => place.id))) {
      lines.push(`      ${id}:`);
      write('        ', (place) => place.level === 'instance' && place.pool === pool && place.id === id);
    }
  }
  return lines.join('\n');
}

/** The text of a value in a variable: what `valueFromText` reads. */
function textOf(definition: KeyDefinition, value: SettingValue): string {
  if (definition.type === 'list' && Array.isArray(value)) return value.join(definition.separator ?? ',');
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function yamlOf(definition: KeyDefinition, value: SettingValue): string {
  const { stringify } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const typed: unknown =
    definition.type === 'headers' && typeof value === 'string' ? JSON.parse(value) : value;
  return stringify(typed, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}

/** Neither Node nor a shell takes anything in single quotes for its own; a text that has one goes into others. */
function quoted(text: string): string {
  if (/^[\w./:@%+,-]*$/.test(text)) return text;
  const quote = ["'", '"', '`'].find((each) => !text.includes(each)) ?? "'";
  return `${quote}${text}${quote}`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
