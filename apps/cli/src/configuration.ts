import { formatViolations, inspectConfig, type PwpoolConfig, SiteLimits, type Violation } from '@pwpool/core';
import { complain } from './output.js';

/** The configuration in force, or `undefined` once stderr has every violation of it. */
export function readConfiguration(): PwpoolConfig | undefined {
  const { config, violations } = inspectConfig();
  if (!config) complainOf(violations);
  return config;
}

/** The configuration in force, and every fault of it and of the file of sites that it names. */
export async function inspectConfiguration(): Promise<{
  config: PwpoolConfig | undefined;
  violations: readonly Violation[];
}> {
  const { config, violations } = inspectConfig();
  const path = config?.server.sitesFile;
  if (path === undefined) return { config, violations };
  const ofSites = await SiteLimits.inspect(path);
  return { config: ofSites.length === 0 ? config : undefined, violations: ofSites };
}

export function complainOf(violations: readonly Violation[]): void {
  const count = violations.length === 1 ? '1 violation' : `${violations.length} violations`;
  complain(`The configuration has ${count}:\n\n${formatViolations(violations)}`);
}
