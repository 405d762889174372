import { askStatus, systemClock } from '@pwpool/core/internal';
import { describeError } from '../output.js';
import type { Finding } from './finding.js';

/** Milliseconds that each server has to answer. */
const ANSWER_MS = 5_000;

/** Whether the servers of this user answer. What ended ones left behind is removed by asking. */
export async function checkServers(): Promise<Finding[]> {
  const reports = await askStatus({ timeoutMs: ANSWER_MS, clock: systemClock });
  const silent = reports.flatMap(({ entry, error }): Finding[] =>
    error === null
      ? []
      : [
          {
            check: 'servers',
            status: 'warning',
            message: `server ${entry.pid} (${entry.cwd}) gives no answer. ${describeError(error)}`,
            fix: `End it if it stays silent: kill ${entry.pid}`,
          },
        ],
  );
  const answering = reports.length - silent.length;
  return [...silent, { check: 'servers', status: 'ok', message: `${answering} of yours run and answer` }];
}
