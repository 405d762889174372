import { readFile } from 'node:fs/promises';

/**
 * When a process started, in clock ticks since boot: field 22 of /proc/<pid>/stat. Together with the pid it tells
 * a process from a later one with the same pid. Null where there is no such process, or no /proc.
 */
export async function readProcessStart(pid: number): Promise<number | null> {
  return (await readProcessStat(pid))?.start ?? null;
}

/**
 * True if that very process runs: also when it is stopped or slow, and not when it is a zombie or when another
 * process has got its pid. With `processStart` null, the pid alone decides.
 */
export async function isRunning(pid: number, processStart: number | null): Promise<boolean> {
  if (!pidExists(pid)) return false;
  const stat = await readProcessStat(pid);
  if (stat === null) return true;
  if (stat.state === 'Z' || stat.state === 'X') return false;
  return processStart === null || stat.start === processStart;
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readProcessStat(pid: number): Promise<{ state: string; start: number } | null> {
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // Field 2, the command, is in parentheses and may itself hold spaces and parentheses: count from its end.
  const fromField3 = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const start = Number(fromField3[19]);
  return Number.isSafeInteger(start) ? { state: fromField3[0] ?? '', start } : null;
}
