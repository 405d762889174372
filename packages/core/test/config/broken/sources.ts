import { inspect } from 'node:util';
import type { ConfigSources } from '../../../src/config/load-config.js';
import { directoryOf } from '../sources.js';
import type { Expected, Settings } from './configurations.js';

/** One way to write the same settings down, and what messages then call them. */
export interface Source {
  /** Where `inspectConfig` is to read them. */
  write: (settings: Settings) => ConfigSources;
  nameOf: (path: string) => string;
  /** A value as messages quote it. */
  shown: (value: unknown) => string;
  unknown: (name: string) => string;
  isTyped: boolean;
  /** What the place of a setting looks like; undefined where there is no file. */
  location: RegExp | undefined;
}

const asText = (value: unknown) => JSON.stringify(textOf(value));

export const SOURCES: Readonly<Record<string, Source>> = {
  environment: {
    write: (settings) => ({ env: variablesOf(settings), cwd: directoryOf({}) }),
    nameOf: variableOf,
    shown: asText,
    unknown: (name) => `${name} holds no known key`,
    isTyped: false,
    location: undefined,
  },
  '.env': {
    write: (settings) => {
      const lines = Object.entries(variablesOf(settings)).map(([name, text]) => `${name}='${text}'\n`);
      return { env: {}, cwd: directoryOf({ '.env': lines.join('') }) };
    },
    nameOf: variableOf,
    shown: (value) => `${asText(value)} in .env`,
    unknown: (name) => `${name} holds no known key`,
    isTyped: false,
    location: /^\.env:\d+(?:, \.env:\d+)*$/,
  },
  file: {
    // JSON is YAML, too: this is the parser of either, with the names of one.
    write: (settings) => ({
      env: {},
      cwd: directoryOf({ 'pwpool.config.yaml': JSON.stringify(treeOf(settings), null, 2) }),
    }),
    nameOf: pathOf,
    shown: (value) => (typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0 })),
    unknown: (name) => `${name} is not a known setting`,
    isTyped: true,
    location: /^pwpool\.config\.yaml:\d+:\d+(?:, pwpool\.config\.yaml:\d+:\d+)*$/,
  },
  flags: {
    write: (settings) => ({
      env: {},
      cwd: directoryOf({}),
      args: Object.entries(settings).flatMap(([path, value]) => ['--set', `${path}=${textOf(value)}`]),
    }),
    nameOf: (path) => `--set ${path}`,
    shown: asText,
    unknown: (name) => `${name} is not a known setting`,
    isTyped: false,
    location: undefined,
  },
};

/** What a source is expected to answer, as text: what is wrong, where, and the mend. */
export function expectedOf({ code, at, message, fix }: Expected, source: Source, settings: Settings): string {
  const list = source.isTyped ? 'a list' : 'a list separated by commas';
  const filled = (text: string) =>
    text
      .replaceAll('{=}', () => source.shown(settings[at[0] ?? '']))
      .replaceAll('{a list}', list)
      .replaceAll(/\{\?([^}]+)\}/g, (_, path: string) => source.unknown(source.nameOf(path)))
      .replaceAll(/\{([^}]+)\}/g, (_, path: string) => source.nameOf(path));
  return `${code} ${at.map(source.nameOf).join(', ')}: ${filled(message)}. ${filled(fix)}`;
}

function variablesOf(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([path, value]) => [variableOf(path), textOf(value)]),
  );
}

function variableOf(path: string): string {
  const [key = '', id, pool] = path
    .split('.')
    .reverse()
    .map((step, at) => (at === 0 ? step.toUpperCase() : step));
  if (id === undefined) return `PW_MCP_PROXY_${key}`;
  return pool === undefined ? `PW_MCP_PROXY__${id}_${key}` : `PW_MCP_PROXY__${pool}__${id}_${key}`;
}

function pathOf(path: string): string {
  const [first = '', second, third] = path.split('.');
  if (second === undefined) return first;
  return third === undefined ? `pools.${first}.${second}` : `pools.${first}.instance.${second}.${third}`;
}

interface Tree {
  [name: string]: unknown;
}

function treeOf(settings: Settings): Tree {
  const tree: Tree = {};
  for (const [path, value] of Object.entries(settings)) {
    const steps = pathOf(path).split('.');
    const key = steps.pop() ?? '';
    let branch = tree;
    for (const step of steps) {
      const next = (branch[step] ?? {}) as Tree;
      branch[step] = next;
      branch = next;
    }
    branch[key] = value;
  }
  return tree;
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}
