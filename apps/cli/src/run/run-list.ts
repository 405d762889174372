import {
  type PwpoolConfig,
  PwpoolError,
  runScript,
  type Script,
  type ScriptReport,
  type Toolset,
} from '@pwpool/core';
import { EXIT } from '../exit-status.js';
import { Interruption } from '../interruption.js';
import { complain, describeError, printJson } from '../output.js';
import { openPools } from './own-pools.js';

interface Target {
  pool?: string | undefined;
  instance?: string | undefined;
}

/**
 * Runs a list of steps on one leased instance of a pool of its own, and prints the answer of each.
 * @throws PwpoolError as `BrowserPools.lease`
 */
export async function runList(
  { steps }: Script,
  config: PwpoolConfig,
  toolset: Toolset,
  target: Target,
): Promise<number> {
  using interruption = new Interruption();
  try {
    const report = await runOnOwnInstance(steps, config, toolset, target, interruption.signal);
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

/** The browser is closed when this settles. */
async function runOnOwnInstance(
  steps: Script['steps'],
  config: PwpoolConfig,
  toolset: Toolset,
  { pool, instance }: Target,
  signal: AbortSignal,
): Promise<ScriptReport> {
  const { pools: opened, sites } = await openPools(config);
  await using pools = opened;
  await using lease = await pools.lease({ pool, instance, holder: 'script run', signal });
  const siteTimeoutMs = pools.pool(lease.pool).config.settings.leaseTimeout;
  return await runScript(steps, lease, { signal, sites, siteTimeoutMs, toolset, env: process.env });
}
