import { resolve } from 'node:path';
import {
  type ConfigInspection,
  inspectConfig,
  type PwpoolConfig,
  SiteLimits,
  type Violation,
} from '@pwpool/core';
import { formatViolations } from '@pwpool/core/internal';
import { complain } from './output.js';

/** The configuration in force, or `undefined` once stderr has every violation of it. Warnings go there as well. */
export function readConfiguration(): PwpoolConfig | undefined {
  const { config, violations, warnings } = inspectConfig();
  complainOfWarnings(warnings);
  if (!config) complainOf(violations);
  return config;
}

/** The configuration in force, with every fault of it and of the file of sites that it names. */
export async function inspectConfiguration(): Promise<ConfigInspection> {
  const found = inspectConfig();
  const path = found.config?.server.sitesFile;
  if (path === undefined) return found;
  const violations = await SiteLimits.inspect(path);
  const files = [...found.files, resolve(path)];
  return { ...found, config: violations.length === 0 ? found.config : undefined, violations, files };
}

export function complainOf(violations: readonly Violation[]): void {
  complain(
    `The configuration has ${plural(violations.length, 'violation')}:\n\n${formatViolations(violations)}`,
  );
}

export function complainOfWarnings(warnings: ConfigInspection['warnings']): void {
  if (warnings.length === 0) return;
  complain(`${plural(warnings.length, 'warning')}:\n\n${formatViolations(warnings)}\n`);
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
