import type { PoolStatus, PwpoolError, ServerAnswer } from '@pwpool/core';
import { z } from 'zod';
import { formatTable, printable } from './table.js';

/** Of `browser_pool_status`, what is shown. The server may be of another version, so its answer is checked. */
const statusSchema = z.object({
  pools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      is_default: z.boolean(),
      total_instances: z.number(),
      healthy_instances: z.number(),
      leased_instances: z.number(),
      available_instances: z.number(),
      instances: z.array(
        z.object({
          id: z.string(),
          alias: z.string().nullable(),
          status: z.string(),
          leased: z.boolean(),
          lease_duration_ms: z.number().nullable(),
          lease_started_at: z.string().nullable(),
          browser: z.string(),
          headless: z.boolean(),
          process_id: z.number().nullable(),
          health_check: z.object({ error: z.string().nullable() }),
        }),
      ),
    }),
  ),
});

const sessionsSchema = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      client: z.string(),
      browser_pool: z.string(),
      browser_instance: z.string(),
      createdAt: z.string(),
      lastUsedAt: z.string(),
    }),
  ),
});

type ShownPool = z.infer<typeof statusSchema>['pools'][number];
type Sessions = z.infer<typeof sessionsSchema>['sessions'];

/**
 * One server for a person: its pools with their instances, and its sessions.
 * @param sessions `undefined` for a server that appeared or went meanwhile
 * @param now milliseconds since the epoch
 */
export function describeServer(status: ServerAnswer, sessions: ServerAnswer | undefined, now: number): string {
  const { pid, version, startedAt, cwd, httpAddress } = status.entry;
  const address = httpAddress === null ? 'stdio' : httpAddress;
  const up = duration(now - Date.parse(startedAt));
  const heading = `Server ${pid}: pwpool ${version}, ${address}, up ${up}, in ${cwd}`;
  return [printable(heading), ...describeAnswer(status, sessions, now)].join('\n');
}
