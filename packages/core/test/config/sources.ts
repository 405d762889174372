import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { inspectConfig } from '../../src/config/load-config.js';
import type { PoolConfig, PwpoolConfig } from '../../src/config/model.js';
import type { Violation } from '../../src/config/violations.js';

/** An own directory, gone when the test has finished, with a `.env` file if a text is given. */
export function directoryWith(dotenv?: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'pwpool-config-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  if (dotenv !== undefined) writeFileSync(join(directory, '.env'), dotenv);
  return directory;
}

/** An own directory with these files, gone when the test has finished. */
export function directoryOf(files: Readonly<Record<string, string>>): string {
  const directory = directoryWith();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

/** The configuration of these variables alone; names come without `PW_MCP_PROXY_`. */
export function configOf(variables: Record<string, string>): PwpoolConfig {
  const { config, violations } = inspect(variables);
  if (!config) throw new Error(`Expected no violations, but got ${JSON.stringify(violations, null, 2)}`);
  return config;
}

/** The violations of these variables alone; names come without `PW_MCP_PROXY_`. */
export function violationsOf(variables: Record<string, string>): readonly Violation[] {
  return inspect(variables).violations;
}

export function poolOf(config: PwpoolConfig, name: string): PoolConfig {
  const pool = config.pools.find((candidate) => candidate.name === name);
  if (!pool) throw new Error(`There is no pool ${name}.`);
  return pool;
}

function inspect(variables: Record<string, string>) {
  const env = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [`PW_MCP_PROXY_${name}`, value]),
  );
  return inspectConfig({ env, cwd: directoryWith() });
}
