import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { cancelled } from './abort.js';

export interface DeadlineOptions {
  clock: Clock;
  timeoutMs: number;
  /** Any of these ends the wait: the caller's own, and say one that tells that the browser is gone. */
  signals?: readonly (AbortSignal | undefined)[];
  /** The error for a wait that ran out of time. */
  onTimeout: () => PwpoolError;
}

/**
 * Waits for `work` no longer than `timeoutMs` and no longer than the signals allow.
 *
 * The work itself receives a signal that aborts in both cases; it may settle later, unobserved.
 * @throws PwpoolError what `onTimeout` gives, `CANCELLED`, or the PwpoolError that a signal was aborted with
 */
export async function withDeadline<T>(
  options: DeadlineOptions,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signals = (options.signals ?? []).filter((signal) => signal !== undefined);
  for (const signal of signals) if (signal.aborted) throw cancelled(signal, what);
  // Many may wait under one signal; each takes its listener off in the end.
  for (const signal of signals) setMaxListeners(0, signal);
  const controller = new AbortController();
  return await new Promise<T>((resolve, reject) => {
    const stop = (error: PwpoolError) => {
      reject(error);
      controller.abort(error);
    };
    const onAbort = (event: Event) => stop(cancelled(event.target as AbortSignal, what));
    const cancelTimer = options.clock.after(options.timeoutMs, () => stop(options.onTimeout()));
    const done = () => {
      cancelTimer();
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
    };
    for (const signal of signals) signal.addEventListener('abort', onAbort);
    controller.signal.addEventListener('abort', done);
    const working = async () => await work(controller.signal);
    working().then(resolve, reject).finally(done);
  });
}

/** What `work` comes to, or `otherwise` when it fails or takes longer than `timeoutMs`. Never rejects. */
export function within<T>(
  clock: Clock,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined>;
export function within<T>(
  clock: Clock,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  otherwise: T,
): Promise<T>;
export async function within<T>(
  clock: Clock,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  otherwise?: T,
): Promise<T | undefined> {
  const onTimeout = () => new PwpoolError('CALL_TIMEOUT', `Not done within ${timeoutMs} ms.`);
  return await withDeadline({ clock, timeoutMs, onTimeout }, 'The work', work).catch(() => otherwise);
}
