import type { CancelTimer, Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { cancelled } from './abort.js';
import { AbortWatch } from './abort-watch.js';
import { LinkedList, type ListNode } from './linked-list.js';

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** The wait in words; an abort then throws as `cancelled` says, else what the signal was aborted with. */
  what?: string | undefined;
  deadline?: WaitDeadline | undefined;
}

export interface WaitDeadline {
  clock: Clock;
  timeoutMs: number;
  /** The error for a wait that ran out of time, and has just left the line. */
  onTimeout: () => PwpoolError;
}

interface Waiter<T> extends ListNode<Waiter<T>> {
  readonly signal: AbortSignal | undefined;
  readonly what: string | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
  readonly cancelTimer: CancelTimer | undefined;
}

/**
 * Those who wait for one thing, in order of arrival. Its owner decides when the next is served:
 *
 *     const turn = line.wait({ signal });
 *     serveWhoMayGo(); // perhaps this one
 *     await turn;
 *
 * Joining, serving and leaving take constant time, and nothing of a wait that is over is left on its signal or clock.
 */
export class WaitingLine<T = void> {
  readonly #waiters = new LinkedList<Waiter<T>>();
  readonly #aborts = new AbortWatch<Waiter<T>>((waiter, signal) => {
    this.#leave(waiter);
    waiter.reject(reasonOfAbort(signal, waiter.what));
  });
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /**
   * Joins the line, and waits to be served. One whose signal has aborted already never joins.
   * @throws PwpoolError `INVALID_ARGUMENTS` (`timeoutMs`), what `onTimeout` gives, `CANCELLED` or what the signal was
   *   aborted with, or the error of `rejectAll`
   */
  wait({ signal, what, deadline }: WaitOptions = {}): Promise<T> {
    if (signal?.aborted) return Promise.reject(reasonOfAbort(signal, what));
    if (deadline && !(Number.isFinite(deadline.timeoutMs) && deadline.timeoutMs >= 0)) {
      return Promise.reject(noTime(deadline.timeoutMs));
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter<T> = {
        previous: undefined,
        next: undefined,
        signal,
        what,
        resolve,
        reject,
        cancelTimer: deadline?.clock.after(deadline.timeoutMs, () => {
          this.#leave(waiter);
          reject(deadline.onTimeout());
        }),
      };
      this.#waiters.append(waiter);
      if (signal) this.#aborts.add(signal, waiter);
      this.#length += 1;
    });
  }

  /** Serves the one who has waited longest. False if nobody waits. */
  serve(value: T): boolean {
    const waiter = this.#waiters.first;
    if (!waiter) return false;
    this.#leave(waiter);
    waiter.resolve(value);
    return true;
  }

  /** Serves all who wait now. */
  serveAll(value: T): void {
    while (this.serve(value));
  }

  rejectAll(error: unknown): void {
    for (let waiter = this.#waiters.first; waiter; waiter = this.#waiters.first) {
      this.#leave(waiter);
      waiter.reject(error);
    }
  }

  #leave(waiter: Waiter<T>): void {
    this.#waiters.remove(waiter);
    waiter.cancelTimer?.();
    if (waiter.signal) this.#aborts.delete(waiter.signal, waiter);
    this.#length -= 1;
  }
}

function reasonOfAbort(signal: AbortSignal, what: string | undefined): unknown {
  return what === undefined ? signal.reason : cancelled(signal, what);
}

function noTime(timeoutMs: number): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `A wait cannot last ${timeoutMs} ms.`, {
    hint: 'Give timeoutMs as a finite number, 0 or more.',
  });
}
