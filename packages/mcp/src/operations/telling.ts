import { type BrowserPools, PwpoolError } from '@pwpool/core';
import {
  type Asker,
  type ControlOperations,
  defineOperation,
  POOL_EVENTS,
  untilAborted,
} from '@pwpool/core/internal';
import * as z from 'zod';
import type { OperatedServer } from './operated-server.js';

/** What a server tells for as long as somebody listens: its log, and what happens to its pools. */
export function tellingOperations({ pools, log }: OperatedServer): ControlOperations {
  return {
    logs: defineOperation(
      z.strictObject({ lines: z.int().nonnegative().default(100), follow: z.boolean().default(false) }),
      async ({ lines, follow }, asker) => {
        for (const record of log.latest(lines)) asker.tell(record);
        if (follow) await untilLeft(asker, [log.follow((record) => asker.tell(record))]);
        return {};
      },
    ),
    events: defineOperation(z.strictObject({ pool: z.string().optional() }), async ({ pool }, asker) => {
      // Who misspells it would wait for ever.
      if (pool !== undefined) pools.pool(pool);
      await untilLeft(asker, tellEvents(pools, pool, asker));
      return {};
    }),
  };
}

function tellEvents(pools: BrowserPools, pool: string | undefined, { tell }: Asker) {
  return POOL_EVENTS.map((event) =>
    pools.on(event, (facts) => {
      if (pool !== undefined && 'pool' in facts && facts.pool !== pool) return;
      const time = new Date(pools.clock.now()).toISOString();
      const error = 'error' in facts && facts.error !== undefined ? { error: wireForm(facts.error) } : {};
      tell({ time, event, ...facts, ...error });
    }),
  );
}

function wireForm(error: unknown): unknown {
  return error instanceof PwpoolError ? error.toJSON() : { message: String(error) };
}

async function untilLeft({ left }: Asker, ends: readonly (() => void)[]): Promise<void> {
  await untilAborted(left);
  for (const end of ends) end();
}
