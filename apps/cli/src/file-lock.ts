import { basename, dirname } from 'node:path';
import { PwpoolError } from '@pwpool/core';
import { pause, systemClock, takeProcessLock, withDeadline } from '@pwpool/core/internal';

/** Milliseconds: longer than the lock of a command that was killed lasts. */
const WAIT_MS = 15_000;
const LOOK_MS = 25;

/**
 * Reads and rewrites a file while no other pwpool command does.
 * @throws PwpoolError `CALL_TIMEOUT` when another one does not get done with it; else what `work` throws
 */
export async function whileLocked<T>(path: string, work: () => Promise<T>): Promise<T> {
  await using _ = await lock(path);
  return await work();
}

async function lock(path: string): Promise<AsyncDisposable> {
  const onTimeout = () =>
    new PwpoolError('CALL_TIMEOUT', `Another pwpool command keeps ${path} locked.`, {
      hint: 'End that command, and run this one again.',
    });
  const place = {
    directory: dirname(path),
    name: basename(path),
    hint: 'Choose a folder that you can write to.',
  };
  return await withDeadline(
    { clock: systemClock, timeoutMs: WAIT_MS, onTimeout },
    'The lock',
    async (signal) => {
      for (;;) {
        const taken = await takeProcessLock(place);
        if (taken) return taken;
        await pause(systemClock, LOOK_MS, signal);
        signal.throwIfAborted();
      }
    },
  );
}
