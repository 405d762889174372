import type { PwpoolConfig } from '@pwpool/core';
import { complainOf, inspectConfiguration } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { print, printJson } from '../output.js';

/** Checks the configuration in force: exit status 0, or 78 with every violation. */
export async function validate(options: { json?: true }): Promise<number> {
  const { config, violations } = await inspectConfiguration();
  if (options.json) {
    printJson({ valid: config !== undefined, violations, pools: config ? describePools(config) : [] });
    return config ? EXIT.ok : EXIT.config;
  }
  if (!config) {
    complainOf(violations);
    return EXIT.config;
  }
  print(summarise(config));
  return EXIT.ok;
}

function describePools({ pools }: PwpoolConfig) {
  return pools.map(({ name, instances, isDefault }) => ({ name, instances: instances.length, isDefault }));
}

function summarise(config: PwpoolConfig): string {
  const pools = describePools(config);
  const total = pools.reduce((sum, { instances }) => sum + instances, 0);
  const named = pools.map(
    ({ name, instances, isDefault }) => `${name} ${instances}${isDefault ? ' (default)' : ''}`,
  );
  return `Valid: ${plural(pools.length, 'pool')}, ${plural(total, 'instance')}: ${named.join(', ')}.`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
