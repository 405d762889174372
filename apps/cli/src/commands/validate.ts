import type { PwpoolConfig } from '@pwpool/core';
import { type ProbedBrowser, probeBrowsers } from '../browser-probe.js';
import {
  type ConfigOptions,
  complainOf,
  complainOfWarnings,
  inspectConfiguration,
  plural,
} from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { complain, describeError, printJson, tell } from '../output.js';
import { printable } from '../table.js';

interface ValidateOptions extends ConfigOptions {
  json?: true;
  /** False with `--no-probe`. */
  probe: boolean;
}

/**
 * Checks the configuration in force, and that its browsers are there: exit status 0, 78 with every violation, or 1 when
 * the configuration is right and a browser is missing.
 */
export async function validate(options: ValidateOptions): Promise<number> {
  const { config, violations, warnings, files } = await inspectConfiguration(options);
  const browsers = config && options.probe ? probeBrowsers(config) : [];
  if (options.json) {
    const pools = config ? describePools(config) : [];
    printJson({ valid: config !== undefined, violations, warnings, files, pools, browsers });
  } else {
    complainOfWarnings(warnings);
    if (!config) complainOf(violations);
    tell(
      [
        ...(config ? [summarise(config)] : []),
        ...describeFiles(files),
        ...browsers.map(describeBrowser),
      ].join('\n'),
    );
    for (const { error } of browsers) if (error) complain(describeError(error));
  }
  if (!config) return EXIT.config;
  return browsers.every(({ found }) => found) ? EXIT.ok : EXIT.failure;
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

function describeFiles(files: readonly string[]): string[] {
  return files.length === 0 ? ['No file was read.'] : files.map((file) => `Read: ${printable(file)}`);
}

function describeBrowser({ browser, executablePath, found }: ProbedBrowser): string {
  return `Browser ${browser}: ${found ? printable(executablePath ?? "Playwright's own") : 'missing'}`;
}
