import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/**
 * The folders of the workspace's packages, relative to `root`, sorted, with forward slashes.
 * They are read from pnpm-workspace.yaml line by line: this also runs before any YAML parser is installed.
 */
export function workspaceFolders(root = ROOT) {
  const yaml = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const list = /^packages:\n((?: +- .+\n)+)/m.exec(yaml)?.[1] ?? '';
  const patterns = list.match(/[^\s-].*/g) ?? [];
  return patterns
    .flatMap((pattern) => (pattern.endsWith('/*') ? children(root, pattern.slice(0, -2)) : [pattern]))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .sort();
}

/** The versions that pnpm-workspace.yaml pins, by package; read line by line as well. */
export function catalog(root = ROOT) {
  const yaml = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const list = /^catalog:\n((?: +\S+: .+\n)+)/m.exec(yaml)?.[1] ?? '';
  return new Map([...list.matchAll(/^ +"?([^":]+)"?: (.+)$/gm)].map(([, name, version]) => [name, version]));
}

/** The parsed package.json of a folder of the workspace; of the root with `''`. */
export function readManifest(folder, root = ROOT) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function children(root, parent) {
  if (!existsSync(join(root, parent))) return [];
  return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
}
