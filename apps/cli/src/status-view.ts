import type { ServerAnswer } from '@pwpool/core';
import { z } from 'zod';
import { describeError } from './output.js';
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

type Pool = z.infer<typeof statusSchema>['pools'][number];
type Session = z.infer<typeof sessionsSchema>['sessions'][number];

/**
 * One server for a person: its pools with their instances, and its sessions.
 * @param sessions `undefined` for a server that was gone by then
 * @param now milliseconds since the epoch
 */
export function describeServer(
  status: ServerAnswer,
  sessions: ServerAnswer | undefined,
  now: number,
): string {
  const { pid, version, startedAt, cwd, httpAddress } = status.entry;
  const up = duration(now - Date.parse(startedAt));
  const heading = `Server ${pid}: pwpool ${version} on ${httpAddress ?? 'stdio'}, up ${up}, in ${printable(cwd)}`;
  const found = readAnswer(statusSchema, status);
  if ('problem' in found) return `${heading}\n${found.problem}`;
  const named = sessions ? readAnswer(sessionsSchema, sessions) : { value: { sessions: [] } };
  const known = 'problem' in named ? [] : named.value.sessions;
  const blocks = [
    ...found.value.pools.map((pool) => describePool(pool, known)),
    'problem' in named ? named.problem : describeSessions(known, now),
  ];
  return [heading, ...blocks].join('\n\n');
}

function readAnswer<Value>(
  schema: z.ZodType<Value>,
  answer: ServerAnswer,
): { value: Value } | { problem: string } {
  if (!answer.ok) return { problem: `  No answer. ${printable(describeError(answer.error))}` };
  const { success, data } = schema.safeParse(answer.body);
  if (success) return { value: data };
  return { problem: '  It answers in a form that this version of pwpool does not know: --json shows it.' };
}

function describePool(pool: Pool, sessions: readonly Session[]): string {
  const { total_instances, healthy_instances, leased_instances, available_instances } = pool;
  const title = `${pool.name}${pool.is_default ? ' (default)' : ''}${pool.description === '' ? '' : `, ${pool.description}`}`;
  const rows = pool.instances.map((instance) => {
    const session = sessions.find(
      (each) => each.browser_pool === pool.name && each.browser_instance === instance.id,
    );
    return [
      instance.alias === null ? instance.id : `${instance.id} (${instance.alias})`,
      instance.status,
      instance.leased ? leaseText(instance.lease_started_at, instance.lease_duration_ms) : 'no',
      instance.leased ? (session?.sessionId ?? '-') : '-',
      instance.headless ? `${instance.browser}, headless` : instance.browser,
      instance.process_id === null ? '-' : String(instance.process_id),
    ];
  });
  const problems = pool.instances.flatMap(({ id, health_check: { error } }) =>
    error === null ? [] : [`  Instance ${id}: ${printable(error)}`],
  );
  return [
    `  Pool ${printable(title)}: ${total_instances} instance${total_instances === 1 ? '' : 's'}, ${healthy_instances} healthy, ` +
      `${leased_instances} leased, ${available_instances} available`,
    formatTable([['Instance', 'Status', 'Leased', 'Session', 'Browser', 'Process'], ...rows], '    '),
    ...problems,
  ].join('\n');
}

function leaseText(since: string | null, durationMs: number | null): string {
  return since === null || durationMs === null
    ? 'yes'
    : `for ${duration(durationMs)}, since ${timeText(since)}`;
}

function describeSessions(sessions: readonly Session[], now: number): string {
  if (sessions.length === 0) return '  No sessions';
  const rows = sessions.map((session) => [
    session.sessionId,
    session.client,
    session.browser_pool,
    session.browser_instance,
    timeText(session.createdAt),
    `${duration(now - Date.parse(session.lastUsedAt))} ago`,
  ]);
  const header = ['Session', 'Client', 'Pool', 'Instance', 'Started', 'Last used'];
  return `  Sessions\n${formatTable([header, ...rows], '    ')}`;
}

/** ISO 8601 without the milliseconds. */
function timeText(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z');
}

/** The two largest units: "45s", "3m 12s", "2h 5m", "3d 4h". */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0s';
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}
