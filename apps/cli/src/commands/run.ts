import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  BrowserPools,
  PlaywrightToolset,
  type PwpoolConfig,
  PwpoolError,
  parseScript,
  runScript,
  type ScriptReport,
  type ScriptStep,
  SiteLimits,
} from '@pwpool/core';
import { readConfiguration } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { Interruption } from '../interruption.js';
import { complain, describeError, printJson } from '../output.js';

interface RunOptions {
  pool?: string;
  instance?: string;
}

/**
 * Runs a script on one leased instance of a pool of its own, and prints its report.
 * @throws PwpoolError `INVALID_ARGUMENTS` for the script, before a browser starts; else as
 *   `BrowserPools.lease`
 */
export async function run(file: string, options: RunOptions): Promise<number> {
  const { text, name } = await readText(file);
  const config = readConfiguration();
  if (!config) return EXIT.config;
  const { steps, warnings } = parseScript(text, name, await PlaywrightToolset.load(config.server));
  for (const warning of warnings) complain(warning);
  // Code of the script may reject where nobody waits for it: that is told, and the run goes on.
  process.on('unhandledRejection', (reason) => complain(`Unhandled rejection: ${String(reason)}`));
  using interruption = new Interruption();
  try {
    const report = await runOnOwnInstance(steps, config, options, interruption.signal);
    printJson(report);
    for (const { step, tool, error } of report.steps) {
      if (error) complain(`Step ${step} (${tool}) failed: ${describeError(error)}`);
    }
    return interruption.exitStatus ?? (report.success ? EXIT.ok : EXIT.failure);
  } catch (error) {
    if (interruption.exitStatus === undefined || !(error instanceof PwpoolError)) throw error;
    complain(describeError(error));
    return interruption.exitStatus;
  }
}

async function readText(file: string): Promise<{ text: string; name: string }> {
  const name = file === '-' ? 'stdin' : file;
  try {
    const bytes = file === '-' ? await buffer(process.stdin) : await readFile(file);
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), name };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PwpoolError('INVALID_ARGUMENTS', `The script ${name} cannot be read: ${reason}`, {
      hint: 'Name a file in UTF-8 that exists, or "-" for stdin.',
      cause: error,
    });
  }
}

/** The browser is closed when this settles. */
async function runOnOwnInstance(
  steps: readonly ScriptStep[],
  config: PwpoolConfig,
  target: RunOptions,
  signal: AbortSignal,
): Promise<ScriptReport> {
  const { sitesFile } = config.server;
  const sites = sitesFile === undefined ? undefined : await SiteLimits.load(sitesFile);
  await using pools = BrowserPools.start(allLazy(config));
  await using lease = await pools.lease({ ...target, holder: 'script run', signal });
  const siteTimeoutMs = pools.pool(lease.pool).config.settings.leaseTimeout;
  return await runScript(steps, lease, { signal, sites, siteTimeoutMs });
}

/** No browser starts but that of the one lease. */
function allLazy(config: PwpoolConfig): PwpoolConfig {
  const pools = config.pools.map((pool) => ({ ...pool, settings: { ...pool.settings, lazy: true } }));
  return { ...config, pools };
}
