import { type Asker, type ControlOperations, defineOperation } from '@pwpool/core/internal';
import * as z from 'zod';
import type { OperatedServer } from './operated-server.js';
import { reportOn } from './report.js';

/** Milliseconds that whoever asked has to read the answer, before the server ends. */
const READ_MS = 1_000;

function endSoon(server: OperatedServer, { left }: Asker): void {
  const stop = () => {
    cancelTimer();
    server.stop();
  };
  const cancelTimer = server.pools.clock.after(left.aborted ? 0 : READ_MS, stop);
  left.addEventListener('abort', stop, { once: true });
}

/** Ends the server: at once, as SIGTERM does, or when those who hold browsers have given them back. */
export function stopOperation(server: OperatedServer): ControlOperations {
  return {
    stop: defineOperation(
      z.strictObject({ drain: z.boolean().default(false), timeoutMs: z.int().positive().optional() }),
      async ({ drain, timeoutMs }, asker) => {
        const { pools, log } = server;
        log.write('info', drain ? 'Stopping, when all browsers have been given back.' : 'Stopping.');
        const timeouts = pools.config.pools.map(({ settings }) => settings.leaseTimeout);
        const drainMs = drain ? (timeoutMs ?? Math.max(...timeouts)) : 0;
        const report = drain
          ? await reportOn(asker, (onStep) => pools.close({ drainMs, onStep }))
          : { success: true, instances: [] };
        endSoon(server, asker);
        return report;
      },
    ),
  };
}
