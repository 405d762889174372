import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killProcess, killProcessGroup } from '../kill-process.js';
import { processTree, readProcessTable } from '../process-tree.js';

/**
 * The browser that this process started with that scratch directory, told by its environment. `null` where it cannot be
 * known: outside Linux, and when the directory was not handed on.
 */
export async function browserInScratch(scratch: string): Promise<number | null> {
  const table = readProcessTable();
  const [, ...started] = processTree(process.pid, table);
  // Parents come before their children, and the children of a browser have its environment.
  for (const pid of started) if ((await temporaryDirectoryOf(table.proc, pid)) === scratch) return pid;
  return null;
}

/**
 * Kills what still runs with these scratch directories. An installed Firefox does not end with the server that started
 * it, as other browsers do when the pipe to it breaks.
 */
export async function killInScratch(scratches: readonly string[]): Promise<void> {
  if (scratches.length === 0) return;
  const { proc, parents } = readProcessTable();
  for (const pid of parents.keys()) {
    if (!scratches.includes((await temporaryDirectoryOf(proc, pid)) ?? '')) continue;
    killProcess(pid);
    // What it has started since the table was read.
    killProcessGroup(pid);
  }
}

/** The arguments of a process; none outside Linux, and of one that has ended. */
export async function argumentsOf(pid: number): Promise<string[]> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return line.split('\0');
}

async function temporaryDirectoryOf(proc: string, pid: number): Promise<string | undefined> {
  // Another user's process, or one that has ended meanwhile, does not tell.
  const environment = await readFile(join(proc, String(pid), 'environ'), 'utf8').catch(() => '');
  return /(?:^|\0)TMPDIR=([^\0]*)/.exec(environment)?.[1];
}
