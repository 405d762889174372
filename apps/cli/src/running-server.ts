import { runningServers, type ServerEntry } from '@pwpool/core/internal';
import { EXIT } from './exit-status.js';
import { complain } from './output.js';
import { printable } from './table.js';

/** What `withServer` declares. */
export interface ServerOptions {
  server?: number;
}

/** Does something with the running server that is meant: the one with that process id, or the only one. */
export async function onServer(
  { server }: ServerOptions,
  work: (entry: ServerEntry) => Promise<number>,
): Promise<number> {
  const running = await runningServers();
  const [entry, ...more] = server === undefined ? running : running.filter(({ pid }) => pid === server);
  if (entry && more.length === 0) return await work(entry);
  if (entry) {
    complain(`Several pwpool servers of yours are running. Name one with --server:\n${listOf(running)}`);
    return EXIT.usage;
  }
  complain(noServer(server, running));
  return EXIT.notRunning;
}

/** @param pid of the server that was asked for, if one was */
export function noServer(pid: number | undefined, running: readonly ServerEntry[]): string {
  if (pid !== undefined && running.length > 0) {
    const pids = running.map((entry) => entry.pid).join(', ');
    return `No pwpool server of yours has process id ${pid}. Running: ${pids}.`;
  }
  return (
    'No pwpool server of yours is running.\n' +
    'Start one with "pwpool serve"; an MCP client starts one by itself once "pwpool init" has added pwpool to its settings.'
  );
}

function listOf(running: readonly ServerEntry[]): string {
  return running
    .map(({ pid, httpAddress, cwd, startedAt }) => {
      const where = httpAddress === null ? '' : ` on ${httpAddress}`;
      return `  --server ${pid}${where} in ${printable(cwd)}, since ${startedAt}`;
    })
    .join('\n');
}
