import { resolve } from 'node:path';
import { type Lease, PwpoolError } from '@pwpool/core';
import {
  type ControlOperations,
  defineOperation,
  runTool,
  type Stages,
  stagesOf,
  untilAborted,
} from '@pwpool/core/internal';
import * as z from 'zod';
import type { OperatedServer } from './operated-server.js';

/** A browser in the hands of whoever asked for it. */
interface Lent {
  lease: Lease;
  stages: Stages;
}

/**
 * Browsers for work that is done step by step, as the rows of `pwpool run` are: `lease` tells the lease as soon as there is one, and
 * lasts until whoever asked has left; `step` runs a tool in it. Each run waits in the line of the pool as a principal of its own.
 */
export function leaseOperations(server: OperatedServer): ControlOperations {
  const lent = new Map<string, Lent>();
  return {
    lease: defineOperation(
      z.strictObject({
        run: z.string(),
        pool: z.string().optional(),
        toolset: z.string(),
        files: z.string(),
        directory: z.string(),
      }),
      async ({ run, pool: name, toolset, files, directory }, { tell, left }) => {
        checkToolset(server, toolset);
        const { pools, sites } = server;
        const pool = pools.pool(name);
        using workspace = pools.workspaces.openAt(resolve(directory, files), directory);
        const principal = { name: run, pools: 'all' as const, limits: {} };
        await using lease = await pool.lease({ endOn: left, holder: `script ${run}`, workspace, principal });
        const siteTimeoutMs = pool.config.settings.leaseTimeout;
        const stages = stagesOf({ clock: pools.clock, toolset: server.toolset, sites, siteTimeoutMs });
        lent.set(lease.id, { lease, stages });
        try {
          tell({ lease: lease.id, pool: lease.pool, instance: lease.instance });
          await untilAborted(lease.ended);
          lease.ended.throwIfAborted();
        } finally {
          lent.delete(lease.id);
        }
      },
    ),
    step: defineOperation(
      z.strictObject({
        lease: z.string(),
        tool: z.string(),
        args: z.record(z.string(), z.unknown()).default({}),
      }),
      async ({ lease: id, tool, args }, { left }) => {
        const found = lent.get(id);
        if (!found)
          throw new PwpoolError('LEASE_REVOKED', 'That lease is over.', { hint: 'Take a new one.' });
        const { lease, stages } = found;
        const checked = server.toolset.check(tool, args).args;
        return await server.track(() => runTool(lease, { tool, args: checked, signal: left }, stages));
      },
    ),
  };
}

/** Steps are checked before against the tools that they name. */
function checkToolset({ toolset }: OperatedServer, wanted: string): void {
  if (toolset.name === wanted) return;
  throw new PwpoolError(
    'INVALID_ARGUMENTS',
    `The script is for the toolset ${wanted}, the server has ${toolset.name}.`,
    {
      hint: `Write toolset: ${toolset.name} and its tools, or leave --server out.`,
    },
  );
}
