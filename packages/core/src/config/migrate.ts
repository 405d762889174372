import { resolve } from 'node:path';
import { readDotenvFile } from './dotenv-file.js';
import type { Variables } from './environment.js';
import { definitionOf, type KeyName, levelsOf } from './keys.js';
import { LayerBuilder } from './layer.js';
import type { Place } from './place.js';
import { OptionLayers } from './playwright-mcp/option-layer.js';
import { readOptionFile } from './playwright-mcp/read-file.js';
import { readFlags } from './playwright-mcp/read-flags.js';
import { readUpstreamVariables } from './playwright-mcp/read-variables.js';
import { valueFromText } from './values.js';
import { VERSION_1 } from './version-1.js';
import type { ConfigWarning, Violation } from './violations.js';
import type { WrittenSetting } from './written-settings.js';

/** What there is to bring over. */
export interface OldConfig {
  /** Variables, such as those of this process. */
  env: Variables;
  cwd: string;
  /** A `.env` of version 1, in place of the one in `cwd`. */
  envFile?: string | undefined;
  /** playwright-mcp's flags, and `--config` with its JSON file. */
  args: readonly string[];
  /** Put what a pool can have there, rather than at the global level. */
  pool?: string | undefined;
}

export interface Migration {
  settings: readonly WrittenSetting[];
  /** What has no counterpart, or no valid value. */
  violations: readonly Violation[];
  warnings: readonly ConfigWarning[];
}

/** The pool that version 1 had, without a name. */
const ONLY_POOL = 'DEFAULT';

/**
 * The settings of today that stand for those of version 1 and of playwright-mcp. Where version 1 was configured, its one
 * browser becomes a pool of one [000-migration-02].
 */
export function migrate({ env, cwd, envFile, args, pool }: OldConfig): Migration {
  const place: Place = pool === undefined ? { level: 'global' } : { level: 'pool', pool };
  const dotenv = readDotenvFile(cwd, envFile);
  const old = readVersion1({ ...dotenv.variables, ...env }, place);
  const flags = readFlags(args, cwd);
  const variables = readUpstreamVariables({ ...dotenv.variables, ...env }, cwd);
  const path = flags.given.find(({ option }) => option.variable === 'CONFIG')?.value();
  const file = typeof path === 'string' ? readOptionFile(resolve(cwd, path), cwd) : undefined;
  const options = new OptionLayers(place);
  const layers = [
    options.read('flags', flags.given),
    options.read('environment', variables.given),
    old,
    options.read('file', file?.given ?? []),
    options.implied,
  ];
  const settings = layers.flatMap((builder) =>
    builder
      .layer()
      .entries.flatMap(({ place, key, name, value }): WrittenSetting[] =>
        value === undefined ? [] : [{ place, key, value, comment: `was ${name}` }],
      ),
  );
  const definesPool = pool !== undefined || old.layer().entries.length > 0;
  return {
    settings: [...firstOfEach(settings), ...(definesPool ? poolOfOne(pool ?? ONLY_POOL) : [])],
    violations: [
      ...dotenv.violations,
      ...flags.violations,
      ...(file?.violations ?? []),
      ...layers.flatMap(({ violations }) => violations),
    ],
    warnings: [...dotenv.warnings, ...variables.warnings],
  };
}

function readVersion1(variables: Variables, place: Place): LayerBuilder {
  const builder = new LayerBuilder('environment', { definesPools: false });
  for (const [name, successor] of Object.entries(VERSION_1)) {
    const text = variables[name]?.trim();
    if (text === undefined || text === '') continue;
    if (typeof successor === 'object' && 'gone' in successor) {
      builder.violations.push({
        code: 'UNSUPPORTED_OPTION',
        message: `${name} has no counterpart`,
        variable: name,
        fix: successor.gone,
      });
      continue;
    }
    const key = typeof successor === 'string' ? successor : successor.not;
    const value = typedValue(key, text);
    const isOpposite = typeof successor === 'object' && typeof value === 'boolean';
    builder.add(placeFor(key, place), key, name, isOpposite ? !value : value, text);
  }
  return builder;
}

/** Version 1 took more words for true and false than there are now, and a comma in a size. */
function typedValue(key: KeyName, text: string): unknown {
  const definition = definitionOf(key);
  if (definition.type === 'size') return text.replace(',', 'x');
  if (definition.type !== 'boolean') return valueFromText(definition, text);
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  return /^(?:false|0|no|off)$/i.test(text) ? false : text;
}

function placeFor(key: KeyName, place: Place): Place {
  return levelsOf(key).some((level) => level === place.level) ? place : { level: 'global' };
}

function firstOfEach(settings: readonly WrittenSetting[]): WrittenSetting[] {
  const first = new Map<KeyName, WrittenSetting>();
  for (const setting of settings) if (!first.has(setting.key)) first.set(setting.key, setting);
  return [...first.values()];
}

function poolOfOne(pool: string): WrittenSetting[] {
  const place: Place = { level: 'pool', pool };
  return [
    { place, key: 'INSTANCES', value: 1 },
    { place, key: 'IS_DEFAULT', value: true },
  ];
}
