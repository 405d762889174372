import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { errnoOf } from './errors.js';

/**
 * Whether a process with that id runs, whoever owns it, also when it is stopped or slow. An id may have gone to another
 * process meanwhile. One that has ended and that nobody has asked after does not run: the first process of a container
 * may never ask after those that were left to it.
 */
export function isAlive(processId: number): boolean {
  return hasId(processId) && !hasEnded(processId);
}

function hasId(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // It belongs to another user.
    return errnoOf(error) === 'EPERM';
  }
}

/** False where there is no /proc. */
function hasEnded(processId: number): boolean {
  try {
    return /^[ZX]/.test(fieldsIn(readFileSync(statOf(processId), 'latin1'))[0] ?? '');
  } catch {
    return false;
  }
}

/** True if that very process runs. With `processStart` null, the id alone decides. */
export async function isRunning(processId: number, processStart: number | null): Promise<boolean> {
  if (!isAlive(processId)) return false;
  const start = processStart === null ? null : await readProcessStart(processId);
  return start === null || start === processStart;
}

/**
 * When a process started, in clock ticks since boot: field 22 of /proc/<pid>/stat. Together with the id it tells
 * a process from a later one with the same id. Null where there is no such process, or no /proc.
 */
export async function readProcessStart(processId: number): Promise<number | null> {
  const stat = await readFile(statOf(processId), 'latin1').catch(() => '');
  const start = Number(fieldsIn(stat)[19]);
  return Number.isSafeInteger(start) ? start : null;
}

function statOf(processId: number): string {
  return `/proc/${processId}/stat`;
}

/** From field 3 on. Field 2, the command, is in parentheses and may itself hold some: it is counted from its end. */
function fieldsIn(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
