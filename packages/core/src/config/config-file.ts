import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { reasonOf } from '../errors.js';
import { definitionOf, KEY_NAMES, type KeyName } from './keys.js';
import { LayerBuilder } from './layer.js';
import { nameInFile } from './place.js';
import { readTree, type TreeForm } from './setting-tree.js';
import { isObject } from './values.js';
import type { Violation } from './violations.js';
import { YamlFile } from './yaml-file.js';

/** What a configuration file is called where nobody names another. */
export const CONFIG_FILE_NAMES = ['pwpool.config.yaml', 'pwpool.config.yml', 'pwpool.config.json'] as const;

const OWN_NAMES: ReadonlySet<string> = new Set([...KEY_NAMES.map(nameInFile), 'pools']);

/** The configuration file of a directory, if it has one; of several the first, with a violation. */
export function findConfigFile(directory: string): { path?: string | undefined; violations: Violation[] } {
  const found = CONFIG_FILE_NAMES.filter((name) => existsSync(join(directory, name)));
  const [first] = found;
  const path = first && join(directory, first);
  if (found.length < 2) return { path, violations: [] };
  const several: Violation = {
    code: 'SEVERAL_FILES',
    message: `There are several configuration files: ${found.join(', ')}`,
    variable: found.join(', '),
    fix: 'Keep one of them, or name the one that is meant with --config.',
  };
  return { path, violations: [several] };
}

/**
 * Whether a file given with `--config` is pwpool's own rather than playwright-mcp's, which is JSON: by its name, or by what
 * stands in it. One that cannot be read is told by who reads it.
 */
export function isConfigFile(path: string): boolean {
  const name = basename(path);
  if (/\.ya?ml$/i.test(name) || CONFIG_FILE_NAMES.some((own) => own === name)) return true;
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    // `browser` is in both: a name here, an object of options there.
    const own = isObject(json) ? Object.entries(json).filter(([key]) => OWN_NAMES.has(key)) : [];
    return own.some(([key, value]) => key === 'pools' || key.includes('_') || !isObject(value));
  } catch {
    return false;
  }
}

/**
 * Reads a configuration file, YAML or JSON: the three levels, with the names of keys in lower case [arch-config-12]. Paths
 * in it are seen from its own directory.
 * @param cwd from where messages name the file
 */
export function readConfigFile(path: string, cwd: string): LayerBuilder {
  const inside = relative(cwd, path);
  const name = inside.startsWith('..') ? path : inside;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    return unreadable(name, reasonOf(error));
  }
  const file = new YamlFile(text, name, 'docs/configuration.md');
  const builder = new LayerBuilder('file', {
    locationOf: (setting) => {
      if (setting === name) return file.place([]);
      return isPath(setting) ? file.place(setting.split('.')) : undefined;
    },
  });
  builder.violations.push(
    ...file.violations.map(({ variable, ...fault }) => ({ ...fault, variable: name, location: variable })),
  );
  if (file.violations.length > 0) return builder;
  // A file of comments sets nothing.
  const { $schema: _, ...content } = isObject(file.content) ? file.content : {};
  const isTree = isObject(file.content) || file.content === null;
  readTree(builder, isTree ? content : file.content, formOf(name, dirname(path)));
  return builder;
}

/** As `pathAt` writes it; a variable, a flag or an option of playwright-mcp looks otherwise. */
function isPath(name: string): boolean {
  return /^(?:pools\..*|[a-z][a-z0-9_]*)$/.test(name);
}

function formOf(root: string, directory: string): TreeForm {
  return {
    root,
    nameOf: nameInFile,
    typed: (key, written) => valueIn(directory, key, written),
  };
}

function valueIn(directory: string, key: KeyName, written: unknown): unknown {
  const definition = definitionOf(key);
  const seen = (path: unknown) =>
    typeof path === 'string' && path.trim() !== '' ? resolve(directory, path) : path;
  if (definition.type === 'path') return seen(written);
  if (definition.type === 'list' && definition.of === 'path' && Array.isArray(written))
    return written.map(seen);
  // In a file headers are written as what they are.
  if (definition.type === 'headers' && isObject(written)) return JSON.stringify(written);
  return written;
}

function unreadable(name: string, reason: string): LayerBuilder {
  const builder = new LayerBuilder('file');
  builder.violations.push({
    code: 'FILE_UNREADABLE',
    message: `The configuration file cannot be read: ${reason}`,
    variable: name,
    fix: 'Correct the path, or make it a readable file in UTF-8.',
  });
  return builder;
}
