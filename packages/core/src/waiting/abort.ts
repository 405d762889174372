import { PwpoolError } from '../errors.js';

/** The error for a wait that its caller gave up; an abort with a PwpoolError as reason keeps that error. */
export function cancelled(signal: AbortSignal, what: string): PwpoolError {
  if (signal.reason instanceof PwpoolError) return signal.reason;
  return new PwpoolError('CANCELLED', `${what} was cancelled by its caller.`, { cause: signal.reason });
}

/** Waits until the signal aborts. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * Waits for `work` no longer than the signal allows. The work goes on, unobserved.
 * @param what the work in words; an abort then throws as `cancelled` says
 * @throws what the signal was aborted with, else as the work
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>, what?: string): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const leave = () => reject(what === undefined ? signal.reason : cancelled(signal, what));
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    if (signal.aborted) leave();
  });
}
