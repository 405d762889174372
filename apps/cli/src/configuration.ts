import { resolve } from 'node:path';
import {
  type ConfigInspection,
  inspectConfig,
  type PwpoolConfig,
  SiteLimits,
  type Violation,
} from '@pwpool/core';
import { formatViolations, inspectTokenFile, inspectToolset } from '@pwpool/core/internal';
import { complain } from './output.js';

/** What `withConfiguration` declares. */
export interface ConfigOptions {
  config?: string;
  envFile?: string;
  set?: readonly string[];
}

/** The flags of a server, in whose words core reads them. */
function argumentsOf({ config, envFile, set = [] }: ConfigOptions): string[] {
  return [
    ...(config === undefined ? [] : ['--config', config]),
    ...(envFile === undefined ? [] : ['--env-file', envFile]),
    ...set.flatMap((setting) => ['--set', setting]),
  ];
}

/** No browser starts but for a lease. */
export function allLazy(config: PwpoolConfig): PwpoolConfig {
  const pools = config.pools.map((pool) => ({ ...pool, settings: { ...pool.settings, lazy: true } }));
  return { ...config, pools };
}

/** The configuration in force, or `undefined` once stderr has every violation of it. Warnings go there as well. */
export function readConfiguration(options: ConfigOptions = {}): PwpoolConfig | undefined {
  const { config, violations, warnings } = inspectConfig({ args: argumentsOf(options) });
  complainOfWarnings(warnings);
  if (!config) complainOf(violations);
  return config;
}

/** The configuration in force, with every fault of it, of its patterns for tools, and of the files of sites and tokens that it names. */
export async function inspectConfiguration(options: ConfigOptions): Promise<ConfigInspection> {
  const found = inspectConfig({ args: argumentsOf(options) });
  if (!found.config) return found;
  const { server, pools } = found.config;
  const { sitesFile, httpTokensFile } = server;
  const names = pools.map(({ name }) => name);
  const violations = [
    ...(await inspectToolset(server)),
    ...(sitesFile === undefined ? [] : await SiteLimits.inspect(sitesFile)),
    ...(httpTokensFile === undefined ? [] : await inspectTokenFile(httpTokensFile, names)),
  ];
  const named = [sitesFile, httpTokensFile].filter((path) => path !== undefined);
  const files = [...found.files, ...named.map((path) => resolve(path))];
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
