import { z } from 'zod';
import type { PwpoolError } from '../errors.js';
import type { PoolsStatus, WaitingCaller } from '../pool/pool-status.js';
import type { SessionInfo } from '../session/session-report.js';
import { type AskServersOptions, askServers, otherVersion } from './control-client.js';
import type { ServerEntry } from './runtime-registry.js';

/** What a server tells of itself on `GET /status`: `browser_pool_status` [000-status-01], and who uses it. */
export interface ServerStatus extends PoolsStatus {
  /** The sessions of every client. */
  sessions: (SessionInfo & { client: string })[];
  /** Those who wait for an instance, of each pool the longest first. */
  waiting: WaitingCaller[];
}

/**
 * `ServerStatus` as it arrives. The server may be of another version: what is not known here passes unchanged, and the
 * states that an instance or a session may have are not listed.
 */
const statusSchema = z.looseObject({
  pools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      is_default: z.boolean(),
      total_instances: z.number(),
      healthy_instances: z.number(),
      leased_instances: z.number(),
      available_instances: z.number(),
      instances: z.array(
        z.looseObject({
          id: z.string(),
          alias: z.string().nullable(),
          description: z.string().optional(),
          status: z.string(),
          leased: z.boolean(),
          lease_duration_ms: z.number().nullable(),
          lease_started_at: z.string().nullable(),
          browser: z.string(),
          headless: z.boolean(),
          process_id: z.number().nullable(),
          health_check: z.looseObject({ error: z.string().nullable() }),
        }),
      ),
    }),
  ),
  summary: z.record(z.string(), z.unknown()),
  sessions: z.array(
    z.looseObject({
      sessionId: z.string(),
      client: z.string(),
      browser_pool: z.string(),
      browser_instance: z.string().nullable(),
      status: z.string(),
      createdAt: z.string(),
      lastUsedAt: z.string(),
    }),
  ),
  waiting: z.array(
    z.looseObject({
      holder: z.string(),
      browser_pool: z.string(),
      browser_instance: z.string().nullable(),
      waiting_since: z.string(),
      waiting_ms: z.number(),
    }),
  ),
});

/** A running server, and its status or why there is none. */
export type ServerReport = { entry: ServerEntry } & (
  | { status: z.infer<typeof statusSchema>; error: null }
  | { status: null; error: PwpoolError }
);

/**
 * Asks every running server of this user for its status, earliest started first. One that does not answer, or in a form
 * that this version does not know, has an error in place of it and spoils no other's.
 * @throws PwpoolError as `askServers`
 */
export async function askStatus(options: AskServersOptions): Promise<ServerReport[]> {
  const answers = await askServers('/status', options);
  return answers.map((answer) => {
    const { entry } = answer;
    if (!answer.ok) return { entry, status: null, error: answer.error };
    const { success, data } = statusSchema.safeParse(answer.body);
    if (success) return { entry, status: data, error: null };
    return { entry, status: null, error: otherVersion(entry, 'in a form that is not known here') };
  });
}
