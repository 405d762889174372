import { askStatus, type ServerReport, systemClock } from '@pwpool/core/internal';
import { EXIT } from '../exit-status.js';
import { complain, describeError, print, printJson } from '../output.js';
import { describeServer } from '../status-view.js';

interface StatusOptions {
  json?: true;
  pid?: number;
}

/** Milliseconds that each server has to answer; it does so from memory. */
const ANSWER_MS = 5_000;

/** Shows the running servers of this user: exit status 0 when one answered, 1 when none did. */
export async function status(options: StatusOptions): Promise<number> {
  const all = await askStatus({ timeoutMs: ANSWER_MS, clock: systemClock });
  const reports = options.pid === undefined ? all : all.filter(({ entry }) => entry.pid === options.pid);
  if (reports.length === 0) complain(noServer(options.pid, all));
  if (options.json) {
    for (const { error } of reports) if (error) complain(describeError(error));
    printJson({ servers: reports.map(jsonOf) });
  } else if (reports.length > 0) {
    const now = systemClock.now();
    print(reports.map((report) => describeServer(report, now)).join('\n\n'));
  }
  return reports.some(({ error }) => error === null) ? EXIT.ok : EXIT.failure;
}

/** The same fields for every server; what one that gave no answer holds is not known, and null. */
function jsonOf({ entry, status: known, error }: ServerReport) {
  const { pid, version, startedAt, cwd, httpAddress } = entry;
  const nothing = { pools: null, summary: null, sessions: null, waiting: null };
  return { pid, version, startedAt, cwd, httpAddress, ...nothing, ...known, error };
}

function noServer(pid: number | undefined, running: readonly ServerReport[]): string {
  if (pid !== undefined && running.length > 0) {
    const pids = running.map(({ entry }) => entry.pid).join(', ');
    return `No pwpool server of yours has process id ${pid}. Running: ${pids}.`;
  }
  return (
    'No pwpool server of yours is running.\n' +
    'Start one with "pwpool mcp": an MCP client does so when "npx pwpool mcp" is the command of the server in its settings.'
  );
}
