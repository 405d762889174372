import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, PwpoolError, reasonOf } from '../errors.js';

/** Milliseconds. The holder renews a lock every `RENEW_MS`; one that was not renewed for `STALE_MS` is nobody's. */
const STALE_MS = 8_000;
const RENEW_MS = 1_000;

/** A lock is a directory in the file system: of that name, in this one, which is made if it is missing. */
export interface ProcessLock {
  directory: string;
  name: string;
  /** What makes it possible to make locks. */
  hint: string;
}

/**
 * Takes a lock that no two processes have at once. That of a process which was killed is free again after eight seconds;
 * one that is suspended for longer than that can lose it.
 * @returns what gives it back; `undefined` while another has it
 * @throws PwpoolError `BROWSER_NOT_READY` when locks cannot be made
 */
export async function takeProcessLock({
  directory,
  name,
  hint,
}: ProcessLock): Promise<AsyncDisposable | undefined> {
  // Loading it makes a process listen to its signals: only where there is something to lock.
  const { lock } = await import('proper-lockfile');
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const release = await lock(join(directory, name), {
      realpath: false,
      stale: STALE_MS,
      update: RENEW_MS,
      // By default it throws where nobody can catch it. What was locked is then told apart by what was started.
      onCompromised: () => {},
    });
    return { [Symbol.asyncDispose]: async () => await release().catch(() => {}) };
  } catch (error) {
    if (errnoOf(error) === 'ELOCKED') return undefined;
    throw new PwpoolError(
      'BROWSER_NOT_READY',
      `A lock file could not be created in ${directory}: ${reasonOf(error)}`,
      { hint, cause: error },
    );
  }
}
