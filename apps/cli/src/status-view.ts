import type { ServerReport, ToldDetails } from '@pwpool/core/internal';
import { describeError } from './output.js';
import { formatTable, type Paint, printable } from './table.js';

type Answered = Extract<ServerReport, { error: null }>;
type Status = Answered['status'];
type Pool = Status['pools'][number];
type Instance = Pool['instances'][number];
type Session = Status['sessions'][number] & { url: string | null };
type Waiting = Status['waiting'][number];
type SharingWindow = NonNullable<Status['windows']>[number];
type Detail = ToldDetails[number];

/** How a status is shown. */
export interface View {
  /** Milliseconds since the epoch. */
  now: number;
  /** Columns of the terminal. */
  width: number;
  paint: Paint;
  /** Only this pool. */
  pool?: string | undefined;
}

/** Columns of a terminal from which on a table has more columns of its own. */
const [WIDE, WIDEST] = [100, 140];

/** One server for a person: its pools with their instances, its sessions, and who waits. */
export function describeServer(report: ServerReport, view: View): string {
  const { pid, version, startedAt, cwd, httpAddress } = report.entry;
  const up = duration(view.now - Date.parse(startedAt));
  const way = httpAddress ?? (report.status?.windows ? 'a socket for all windows' : 'stdio');
  const heading = `Server ${pid}: pwpool ${version} on ${way}, up ${up}, in ${printable(cwd)}`;
  if (report.error) return `${heading}\n  No answer. ${printable(describeError(report.error))}`;
  const isShown = (pool: string) => view.pool === undefined || pool === view.pool;
  const { pools, waiting, windows } = report.status;
  const sessions = sessionsOf(report).filter(({ browser_pool }) => isShown(browser_pool));
  const waiters = waiting.filter(({ browser_pool }) => isShown(browser_pool));
  const blocks = [
    ...(windows ? [describeWindows(windows, view)] : []),
    ...pools
      .filter(({ name }) => isShown(name))
      .map((pool) => describePool(pool, report.details, sessions, view)),
    sessions.length === 0
      ? '  No sessions'
      : `  Sessions\n${sessionTable(sessions, view.now, '    ', view.width, view.paint)}`,
    ...(waiters.length > 0 ? [describeWaiting(waiters, view)] : []),
  ];
  return [heading, ...blocks].join('\n\n');
}

function describeWindows(windows: readonly SharingWindow[], { now, width, paint }: View): string {
  if (windows.length === 0) return '  No windows';
  const rows = windows.map(({ client, process_id, cwd, connected, since }) => [
    String(process_id),
    client,
    `${connected ? '' : 'gone '}for ${duration(now - Date.parse(since))}`,
    printable(cwd),
  ]);
  const header = ['Process', 'Client', 'Open', 'Works in'];
  return `  Windows\n${formatTable([header, ...rows], '    ', width, paint)}`;
}

/** Whether something of it is not as it should be: no answer, or a browser that failed or missed a probe. */
export function isDegraded({ status, error }: ServerReport): boolean {
  if (error) return true;
  return status.pools.some(({ instances }) =>
    instances.some((each) => each.status === 'failed' || each.status === 'suspect'),
  );
}

/** Its sessions, each with where its page is while it has a browser. */
export function sessionsOf({ status, details }: Answered): Session[] {
  return status.sessions.map((session) => {
    const detail = details.find(
      ({ browser_pool, browser_instance }) =>
        browser_pool === session.browser_pool && browser_instance === session.browser_instance,
    );
    return { ...session, url: detail?.url ?? null };
  });
}

/** Sessions as a table. */
export function sessionTable(
  sessions: readonly Session[],
  now: number,
  indent: string,
  width: number,
  paint?: Paint,
): string {
  const isWide = width >= WIDE;
  const rows = sessions.map((session) => [
    session.sessionId,
    session.client,
    session.status,
    ...(isWide
      ? [session.browser_pool, session.browser_instance ?? '-']
      : [`${session.browser_pool}/${session.browser_instance ?? '-'}`]),
    session.url ?? '-',
    ...(width >= WIDEST ? [timeText(session.createdAt)] : []),
    `${duration(now - Date.parse(session.lastUsedAt))} ago`,
  ]);
  const where = isWide ? ['Pool', 'Instance'] : ['Instance'];
  const header = [
    'Session',
    'Client',
    'Status',
    ...where,
    'Page',
    ...(width >= WIDEST ? ['Started'] : []),
    'Used',
  ];
  return formatTable([header, ...rows], indent, width, paint);
}

function describePool(pool: Pool, details: ToldDetails, sessions: readonly Session[], view: View): string {
  const { total_instances, healthy_instances, leased_instances, available_instances } = pool;
  const title = `${pool.name}${pool.is_default ? ' (default)' : ''}${pool.description === '' ? '' : `, ${pool.description}`}`;
  const detailOf = ({ id }: Instance) =>
    details.find(
      ({ browser_pool, browser_instance }) => browser_pool === pool.name && browser_instance === id,
    );
  const rows = pool.instances.map((instance) => {
    const session = sessions.find(
      (each) => each.browser_pool === pool.name && each.browser_instance === instance.id,
    );
    return instanceRow(instance, detailOf(instance), session, view);
  });
  const header = [
    'Instance',
    'Status',
    'Held by',
    'For',
    'Page',
    ...(view.width >= WIDE ? ['Uses', 'Restarts', 'Memory'] : []),
    ...(view.width >= WIDEST ? ['Browser', 'Process'] : []),
  ];
  return [
    `  Pool ${printable(title)}: ${total_instances} instance${total_instances === 1 ? '' : 's'}, ${healthy_instances} healthy, ` +
      `${leased_instances} leased, ${available_instances} available`,
    formatTable([header, ...rows], '    ', view.width, view.paint),
    ...pool.instances.flatMap((instance) => notesOf(instance, detailOf(instance), view.now)),
  ].join('\n');
}

function instanceRow(
  instance: Instance,
  detail: Detail | undefined,
  session: Session | undefined,
  { width }: View,
): string[] {
  const holder = session ? `${session.sessionId} (${session.client})` : (detail?.holder ?? 'yes');
  return [
    instance.alias === null ? instance.id : `${instance.id} (${instance.alias})`,
    instance.status,
    instance.leased ? holder : '-',
    instance.lease_duration_ms === null ? '-' : duration(instance.lease_duration_ms),
    detail?.url ?? '-',
    ...(width >= WIDE
      ? [
          String(detail?.uses ?? '-'),
          String(detail?.restarts ?? '-'),
          memoryText(detail?.memory_bytes ?? null),
        ]
      : []),
    ...(width >= WIDEST
      ? [
          instance.headless ? `${instance.browser}, headless` : instance.browser,
          instance.process_id === null ? '-' : String(instance.process_id),
        ]
      : []),
  ];
}

/** What no column has room for: its description, why nobody can have it, and its last failure. */
function notesOf(instance: Instance, detail: Detail | undefined, now: number): string[] {
  const { id, description, health_check } = instance;
  const why = health_check.error ?? detail?.unavailable ?? null;
  const last = detail?.last_error ?? null;
  const notes = [
    ...(description === undefined ? [] : [description]),
    ...(why === null ? [] : [why]),
    ...(last === null || last.message === why
      ? []
      : [`last error, ${duration(now - Date.parse(last.at))} ago: ${last.message}`]),
  ];
  return notes.map((note) => `    Instance ${id}: ${printable(note)}`);
}

function describeWaiting(waiting: readonly Waiting[], { width, paint }: View): string {
  const rows = waiting.map(({ holder, browser_pool, browser_instance, waiting_since, waiting_ms }) => [
    holder,
    browser_pool,
    browser_instance ?? 'any',
    `${duration(waiting_ms)}, since ${timeText(waiting_since)}`,
  ]);
  return `  Waiting\n${formatTable([['Caller', 'Pool', 'Instance', 'For'], ...rows], '    ', width, paint)}`;
}

function memoryText(bytes: number | null): string {
  return bytes === null ? '-' : `${Math.round(bytes / 1024 / 1024)} MiB`;
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
