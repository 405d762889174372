import { addAbortListener } from 'node:events';
import type { Clock } from '../clock.js';

/** Lets `ms` milliseconds pass. False if the signal aborts first, or has aborted. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return await new Promise<boolean>((resolve) => {
    const cancelTimer = clock.after(ms, () => {
      listener[Symbol.dispose]();
      resolve(true);
    });
    const listener = addAbortListener(signal, () => {
      cancelTimer();
      resolve(false);
    });
  });
}
