import { PwpoolError } from '@pwpool/core';
import { askStatus, pause, type ServerEntry, type ServerReport, systemClock } from '@pwpool/core/internal';
import { statePaint } from '../colours.js';
import { EXIT } from '../exit-status.js';
import { fold } from '../fold.js';
import { Interruption } from '../interruption.js';
import { complain, describeError, printJson, tell } from '../output.js';
import { noServer, type ServerOptions } from '../running-server.js';
import { describeServer, isDegraded } from '../status-view.js';
import { cut, terminalWidth } from '../table.js';

interface StatusOptions extends ServerOptions {
  json?: true;
  all?: true;
  pool?: string;
  watch?: true;
}

/** Milliseconds that each server has to answer; it does so from memory. */
const ANSWER_MS = 5_000;

/** Milliseconds between two looks of `--watch`. */
const WATCH_MS = 1_000;

/** Shows the running servers of this user: exit status 0 when all is well, 1 when something is not, 2 when none runs. */
export async function status(options: StatusOptions): Promise<number> {
  if (options.watch) return await watch(options);
  const { reports, running } = await look(options);
  if (reports.length === 0) complain(noServer(options.server, running));
  if (options.json) {
    for (const { error } of reports) if (error) complain(describeError(error));
    printJson({ servers: reports.map((report) => jsonOf(report, options)) });
  } else if (reports.length > 0) tell(textOf(reports, options));
  return statusOf(reports);
}

/** Draws the status in the same place again and again, until Ctrl-C. */
async function watch(options: StatusOptions): Promise<number> {
  if (!process.stdout.isTTY || options.json) {
    throw new PwpoolError('INVALID_ARGUMENTS', '--watch draws on a terminal.', {
      hint: 'Elsewhere ask again and again, or follow "pwpool events".',
    });
  }
  using interruption = new Interruption();
  interruption.endWithOutput(EXIT.ok);
  const { signal } = interruption;
  process.stdout.write('\u001b[?25l\u001b[2J');
  let seen: Look = { reports: [], running: [] };
  const redraw = () => draw(seen, options);
  process.stdout.on('resize', redraw);
  try {
    while (!signal.aborted) {
      seen = await look(options);
      redraw();
      await pause(systemClock, WATCH_MS, signal);
    }
  } finally {
    process.stdout.off('resize', redraw);
    process.stdout.write('\u001b[?25h\n');
  }
  return statusOf(seen.reports);
}

/** In place, without a flicker: each line over the one before. */
function draw({ reports, running }: Look, options: StatusOptions): void {
  const { rows = 24, columns = 80 } = process.stdout;
  const text = reports.length === 0 ? noServer(options.server, running) : textOf(reports, options);
  const lines = fold(text, columns).split('\n');
  const shown =
    lines.length < rows ? lines : [...lines.slice(0, rows - 2), `… ${lines.length - rows + 2} more lines`];
  // What is painted is longer than it looks; tables fit already.
  const fitted = shown.map((line) => (line.includes('\u001b') ? line : cut(line, columns)));
  process.stdout.write(`\u001b[H${fitted.map((line) => `${line}\u001b[K`).join('\n')}\u001b[J`);
}

/** The servers that are meant, and all that run. */
interface Look {
  reports: readonly ServerReport[];
  running: readonly ServerEntry[];
}

async function look({ server, pool }: StatusOptions): Promise<Look> {
  const all = await askStatus({ timeoutMs: ANSWER_MS, clock: systemClock });
  const chosen = server === undefined ? all : all.filter(({ entry }) => entry.pid === server);
  const reports = pool === undefined ? chosen : chosen.filter((report) => hasPool(report, pool));
  if (chosen.length > 0 && reports.length === 0) {
    const names = chosen.flatMap(({ status: known }) => known?.pools.map(({ name }) => name) ?? []);
    throw new PwpoolError('POOL_NOT_FOUND', `No running server has a pool '${pool}'.`, {
      hint: `There are: ${[...new Set(names)].join(', ')}.`,
    });
  }
  return { reports, running: all.map(({ entry }) => entry) };
}

function hasPool({ status: known }: ServerReport, pool: string): boolean {
  return known?.pools.some(({ name }) => name === pool) ?? false;
}

function textOf(reports: readonly ServerReport[], { pool }: StatusOptions): string {
  const view = { now: systemClock.now(), width: terminalWidth(), paint: statePaint(), pool };
  return reports.map((report) => describeServer(report, view)).join('\n\n');
}

function statusOf(reports: readonly ServerReport[]): number {
  if (reports.length === 0) return EXIT.notRunning;
  return reports.some(isDegraded) ? EXIT.failure : EXIT.ok;
}

/** The same fields for every server; what one that gave no answer holds is not known, and null. */
function jsonOf({ entry, status: known, details, error }: ServerReport, { all, pool }: StatusOptions) {
  const { pid, version, startedAt, cwd, httpAddress } = entry;
  const nothing = { pools: null, summary: null, sessions: null, waiting: null };
  const isOf = ({ browser_pool }: { browser_pool: string }) => pool === undefined || browser_pool === pool;
  const shown =
    known && pool !== undefined
      ? {
          ...known,
          pools: known.pools.filter(({ name }) => name === pool),
          sessions: known.sessions.filter(isOf),
          waiting: known.waiting.filter(isOf),
        }
      : known;
  const more = all ? { details: details?.filter(isOf) ?? null } : {};
  return { pid, version, startedAt, cwd, httpAddress, ...nothing, ...shown, ...more, error };
}
