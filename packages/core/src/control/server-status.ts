import * as z from 'zod';
import type { PwpoolError } from '../errors.js';
import type { PoolsStatus, WaitingCaller } from '../pool/pool-status.js';
import type { SessionInfo } from '../session/session-report.js';
import { type AskServersOptions, askServers, otherVersion, type ServerAnswer } from './control-client.js';
import type { ServerEntry } from './runtime-registry.js';

/** What a server tells of itself on `GET /status`: `browser_pool_status` [000-status-01], and who uses it. */
export interface ServerStatus extends PoolsStatus {
  /** The sessions of every client. */
  sessions: (SessionInfo & { client: string })[];
  /** Those who wait for an instance, of each pool the longest first. */
  waiting: WaitingCaller[];
  /** The windows that share the server (`--shared`); of no other server. */
  windows?: SharingWindow[] | undefined;
}

/** One window of a shared server. */
export interface SharingWindow {
  /** The client that its sessions belong to. */
  client: string;
  process_id: number;
  cwd: string;
  /** False for one whose connection broke, and whose sessions are kept for it. */
  connected: boolean;
  /** When that was, or when it has connected: ISO 8601. */
  since: string;
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
          health_check: z.looseObject({
            last_check: z.string().nullable(),
            responsive: z.boolean(),
            error: z.string().nullable(),
          }),
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
  windows: z
    .array(
      z.looseObject({
        client: z.string(),
        process_id: z.number(),
        cwd: z.string(),
        connected: z.boolean(),
        since: z.string(),
      }),
    )
    .optional(),
});

/** `InstanceDetail` as it arrives. */
const detailsSchema = z.array(
  z.looseObject({
    browser_pool: z.string(),
    browser_instance: z.string(),
    owner: z.string(),
    holder: z.string().nullable(),
    unavailable: z.string().nullable(),
    url: z.string().nullable(),
    started_at: z.string().nullable(),
    uses: z.number(),
    restarts: z.number(),
    memory_bytes: z.number().nullable(),
    last_error: z.looseObject({ at: z.string(), message: z.string() }).nullable(),
  }),
);

/** Of all pools of a server [000-status-03]. */
const summarySchema = z.looseObject({
  total_pools: z.number(),
  total_instances: z.number(),
  healthy_instances: z.number(),
  failed_instances: z.number(),
  leased_instances: z.number(),
  available_instances: z.number(),
});

/** What `pwpool status --json` prints; `details` with `--all`. What a server that gave no answer holds is null. */
export const statusOutputSchema = z.object({
  servers: z.array(
    z.looseObject({
      pid: z.int(),
      version: z.string(),
      startedAt: z.iso.datetime(),
      cwd: z.string(),
      httpAddress: z.string().nullable(),
      pools: statusSchema.shape.pools.nullable(),
      summary: summarySchema.nullable(),
      sessions: statusSchema.shape.sessions.nullable(),
      waiting: statusSchema.shape.waiting.nullable(),
      windows: statusSchema.shape.windows,
      details: detailsSchema.nullable().optional(),
      error: z.looseObject({ code: z.string(), message: z.string(), hint: z.string().optional() }).nullable(),
    }),
  ),
});

/** What the person who runs a server is told of its instances, beside their status. */
export type ToldDetails = z.infer<typeof detailsSchema>;

/** A running server, and its status or why there is none. */
export type ServerReport = { entry: ServerEntry } & (
  | { status: z.infer<typeof statusSchema>; details: ToldDetails; error: null }
  | { status: null; details: null; error: PwpoolError }
);

/**
 * Asks every running server of this user for its status, earliest started first. One that does not answer, or in a form
 * that this version does not know, has an error in place of it and spoils no other's.
 * @throws PwpoolError as `askServers`
 */
export async function askStatus(options: AskServersOptions): Promise<ServerReport[]> {
  const [answers, detailed] = await Promise.all([
    askServers('/status', options),
    askServers('/details', options),
  ]);
  return answers.map((answer) => {
    const { entry } = answer;
    if (!answer.ok) return { entry, status: null, details: null, error: answer.error };
    const { success, data } = statusSchema.safeParse(answer.body);
    if (success) return { entry, status: data, details: detailsOf(entry, detailed), error: null };
    const error = otherVersion(entry, 'in a form that is not known here');
    return { entry, status: null, details: null, error };
  });
}

/** None of a server of a version that has none. */
function detailsOf({ socketPath }: ServerEntry, answers: readonly ServerAnswer[]): ToldDetails {
  const answer = answers.find(({ entry }) => entry.socketPath === socketPath);
  return (answer?.ok && detailsSchema.safeParse(answer.body).data) || [];
}
