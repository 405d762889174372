import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { PwpoolError } from '@pwpool/core';
import { errnoOf, isRunning, readProcessStart, reasonOf } from '@pwpool/core/internal';

/** What a lock says of its holder: its id may have gone to another process since. */
interface Holder {
  pid: number;
  start: number | null;
}

/**
 * Keeps a file of results to one run at a time: `<out>.lock` names the process that writes it. That of a process which is gone,
 * killed say, is nobody's.
 * @throws PwpoolError `INVALID_ARGUMENTS` while another run has it, with its process id, or when it cannot be made
 */
export async function lockOut(out: string): Promise<Disposable> {
  const path = `${out}.lock`;
  const own = `${path}.${process.pid}`;
  const text = JSON.stringify({ pid: process.pid, start: await readProcessStart(process.pid) });
  try {
    writeFileSync(own, text);
    // A link is made whole or not at all, where a file would be empty for an instant.
    for (let left = leftBehind(path); !linked(own, path); left = leftBehind(path)) {
      const holder = holderIn(left);
      if (holder && (await isRunning(holder.pid, holder.start))) throw isTaken(out, holder);
      removeStale(path, left);
    }
    return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
  } catch (error) {
    if (error instanceof PwpoolError) throw error;
    throw new PwpoolError('INVALID_ARGUMENTS', `${out} cannot be written: ${reasonOf(error)}.`, {
      hint: 'Name a file in a directory that is there and can be written.',
      cause: error,
    });
  } finally {
    rmSync(own, { force: true });
  }
}

function linked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function leftBehind(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function holderIn(text: string): Holder | undefined {
  try {
    const { pid, start } = JSON.parse(text) as Partial<Holder>;
    return typeof pid === 'number' ? { pid, start: start ?? null } : undefined;
  } catch {
    return undefined;
  }
}

/** Another that comes upon the same may have taken its place by now: that lock is given back. */
function removeStale(path: string, left: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (leftBehind(aside) !== left) linked(aside, path);
  } catch {
    // Gone by now: whoever has it next is seen at the next look.
  }
  rmSync(aside, { force: true });
}

function isTaken(out: string, { pid }: Holder): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `Another run writes ${out}: process ${pid}.`, {
    hint: 'Wait for its end, or name another --out.',
    details: { pid },
  });
}
