import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDirectory } from '../../config/data-directory.js';
import { PwpoolError, reasonOf } from '../../errors.js';

/** Milliseconds. The holder renews a lock every `RENEW_MS`; one that was not renewed for `STALE_MS` is nobody's. */
const STALE_MS = 8_000;
const RENEW_MS = 1_000;

/**
 * Takes the lock of that name, which no two processes of a user have at once. It is a directory in the user's data
 * directory. That of a process which was killed is free again after eight seconds; one that is suspended for longer
 * than that can lose it.
 * @returns what gives it back; `undefined` while another has it
 * @throws PwpoolError `BROWSER_NOT_READY` when locks cannot be made
 */
export async function takeStartLock(name: string): Promise<AsyncDisposable | undefined> {
  const directory = join(dataDirectory(), 'locks');
  // Loading it makes a process listen to its signals: only where there are worker browsers.
  const { lock } = await import('proper-lockfile');
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const release = await lock(join(directory, name), {
      realpath: false,
      stale: STALE_MS,
      update: RENEW_MS,
      // By default it throws where nobody can catch it. What was locked is then told apart by its port.
      onCompromised: () => {},
    });
    return { [Symbol.asyncDispose]: async () => await release().catch(() => {}) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw new PwpoolError('BROWSER_NOT_READY', `No lock can be made in ${directory}: ${reasonOf(error)}`, {
      hint: 'Make that directory writable, or set XDG_DATA_HOME to one that is.',
      cause: error,
    });
  }
}
