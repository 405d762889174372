import { accessSync, constants } from 'node:fs';
import type { InstanceConfig, PoolConfig } from './model.js';
import type { Violation } from './violations.js';

const SETTINGS = ['storageState', 'initScript', 'initPage'] as const;

/** The files that settings name are there and can be read; each that is not is told once. */
export function checkFiles(pools: readonly PoolConfig[]): Violation[] {
  const found = pools
    .flatMap(({ instances }) => instances)
    .flatMap((instance) => SETTINGS.flatMap((setting) => unreadable(instance, setting)));
  return [...new Map(found.map((violation) => [violation.variable + violation.message, violation])).values()];
}

function unreadable({ settings, origins }: InstanceConfig, setting: (typeof SETTINGS)[number]): Violation[] {
  const named = settings[setting];
  const paths = named === undefined ? [] : typeof named === 'string' ? [named] : named;
  const { name } = origins[setting];
  return paths
    .filter((path) => !isReadable(path))
    .map((path) => ({
      code: 'FILE_UNREADABLE',
      message: `${name} names a file that cannot be read: ${path}`,
      variable: name,
      fix: 'Correct the path, or make it a readable file.',
    }));
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
