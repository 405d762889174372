import type { ServerReport } from '@pwpool/core/internal';
import { describeError } from './output.js';
import { formatTable, printable } from './table.js';

type Status = NonNullable<ServerReport['status']>;
type Pool = Status['pools'][number];
type Session = Status['sessions'][number];
type Waiting = Status['waiting'][number];

/**
 * One server for a person: its pools with their instances, its sessions, and who waits.
 * @param now milliseconds since the epoch
 */
export function describeServer({ entry, status, error }: ServerReport, now: number): string {
  const { pid, version, startedAt, cwd, httpAddress } = entry;
  const up = duration(now - Date.parse(startedAt));
  const heading = `Server ${pid}: pwpool ${version} on ${httpAddress ?? 'stdio'}, up ${up}, in ${printable(cwd)}`;
  if (error) return `${heading}\n  No answer. ${printable(describeError(error))}`;
  const { pools, sessions, waiting } = status;
  const blocks = [
    ...pools.map((pool) => describePool(pool, sessions)),
    describeSessions(sessions, now),
    ...(waiting.length > 0 ? [describeWaiting(waiting)] : []),
  ];
  return [heading, ...blocks].join('\n\n');
}

function describePool(pool: Pool, sessions: readonly Session[]): string {
  const { total_instances, healthy_instances, leased_instances, available_instances } = pool;
  const title = `${pool.name}${pool.is_default ? ' (default)' : ''}${pool.description === '' ? '' : `, ${pool.description}`}`;
  const rows = pool.instances.map((instance) => {
    const session = sessions.find(
      (each) => each.browser_pool === pool.name && each.browser_instance === instance.id,
    );
    return [
      nameOf(instance),
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
  const described = pool.instances.flatMap(({ id, description }) =>
    description === undefined ? [] : [`  Instance ${id}: ${printable(description)}`],
  );
  return [
    `  Pool ${printable(title)}: ${total_instances} instance${total_instances === 1 ? '' : 's'}, ${healthy_instances} healthy, ` +
      `${leased_instances} leased, ${available_instances} available`,
    formatTable([['Instance', 'Status', 'Leased', 'Session', 'Browser', 'Process'], ...rows], '    '),
    ...described,
    ...problems,
  ].join('\n');
}

function nameOf({ id, alias }: Pool['instances'][number]): string {
  return alias === null ? id : `${id} (${alias})`;
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
    session.status,
    session.browser_pool,
    session.browser_instance ?? '-',
    timeText(session.createdAt),
    `${duration(now - Date.parse(session.lastUsedAt))} ago`,
  ]);
  const header = ['Session', 'Client', 'Status', 'Pool', 'Instance', 'Started', 'Last used'];
  return `  Sessions\n${formatTable([header, ...rows], '    ')}`;
}

function describeWaiting(waiting: readonly Waiting[]): string {
  const rows = waiting.map(({ holder, browser_pool, browser_instance, waiting_since, waiting_ms }) => [
    holder,
    browser_pool,
    browser_instance ?? 'any',
    `${duration(waiting_ms)}, since ${timeText(waiting_since)}`,
  ]);
  return `  Waiting\n${formatTable([['Caller', 'Pool', 'Instance', 'For'], ...rows], '    ')}`;
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
