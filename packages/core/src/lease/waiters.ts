import type { CancelTimer, Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { cancelled } from '../waiting/abort.js';
import { AbortWatch } from '../waiting/abort-watch.js';
import { LinkedList, type ListNode } from '../waiting/linked-list.js';
import type { AcquireOptions, Grant } from './grant.js';

/** Waiters in order of arrival: those of one entry, or those who take any entry. */
export type Line = LinkedList<Waiter>;

/** One caller in line: what it asked for, where it stands, and how to settle its promise. */
export interface Waiter extends ListNode<Waiter> {
  readonly key: string | undefined;
  readonly label: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly startsItself: boolean | undefined;
  readonly line: Line;
  /** Order of arrival over all lines. */
  readonly sequence: number;
  /** Number of waiters, in all lines, when this one joined. */
  readonly position: number;
  /** When it joined, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly cancelTimer: CancelTimer;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (error: PwpoolError) => void;
}

export interface WaitersOptions {
  clock: Clock;
  limit: number | undefined;
  /** Words the error of a caller that finds the line full. */
  onFull: (caller: AcquireOptions) => PwpoolError;
  /** Words the error of a waiter that ran out of time and has just left. */
  onTimeout: (waiter: Waiter) => PwpoolError;
}

/** Those who wait, with their deadlines and abort signals. Every way out passes through `leave`. */
export class Waiters {
  /** Those who take any entry; an entry holds the line of those who wait for it. */
  readonly anyLine: Line = new LinkedList();
  readonly #clock: Clock;
  readonly #onFull: (caller: AcquireOptions) => PwpoolError;
  readonly #onTimeout: (waiter: Waiter) => PwpoolError;
  readonly #aborts = new AbortWatch<Waiter>((waiter, signal) => {
    this.#reject(waiter, cancelled(signal, 'The wait for a lease'));
  });
  #limit = Number.POSITIVE_INFINITY;
  #count = 0;
  #arrivals = 0;

  /** @throws PwpoolError as `setLimit` */
  constructor({ clock, limit, onFull, onTimeout }: WaitersOptions) {
    this.#clock = clock;
    this.#onFull = onFull;
    this.#onTimeout = onTimeout;
    this.setLimit(limit);
  }

  /** Number of waiters in all lines. */
  get count(): number {
    return this.#count;
  }

  /** @throws PwpoolError `INVALID_ARGUMENTS` if it is no whole number, 0 or more */
  setLimit(limit: number | undefined): void {
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) {
      throw new PwpoolError('INVALID_ARGUMENTS', `The number of waiters cannot be limited to ${limit}.`, {
        hint: 'Give the limit as a whole number, 0 or more, or undefined for none.',
      });
    }
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
  }

  /** Stands a caller in line until it is taken out; refuses it if the lines are full. */
  join(line: Line, caller: AcquireOptions): Promise<Grant> {
    if (this.#count >= this.#limit) return Promise.reject(this.#onFull(caller));
    const { key, timeoutMs, signal, label, startsItself, onWait } = caller;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        previous: undefined,
        next: undefined,
        key,
        label,
        signal,
        startsItself,
        line,
        sequence: this.#arrivals++,
        position: this.#count,
        since: this.#clock.now(),
        cancelTimer: this.#clock.after(timeoutMs, () => this.#timeOut(waiter)),
        resolve,
        reject,
      };
      line.append(waiter);
      if (signal) this.#aborts.add(signal, waiter);
      this.#count += 1;
      try {
        onWait?.({ position: () => this.#ahead(waiter) });
      } catch (error) {
        // Its caller is gone with the error; the callback may have ended the wait before.
        if (isIn(line, waiter)) this.leave(waiter);
        throw error;
      }
    });
  }

  /** Those in the waiter's own line, and for a keyed one also those who take any entry, who came before it. */
  #ahead({ line, sequence }: Waiter): number {
    let ahead = 0;
    for (const each of new Set([line, this.anyLine])) {
      for (let waiter = each.first; waiter && waiter.sequence < sequence; waiter = waiter.next) ahead += 1;
    }
    return ahead;
  }

  /** The earliest of `line` and of those who take any entry. */
  earliest(line: Line): Waiter | undefined {
    return earlier(line.first, this.anyLine.first);
  }

  /** Takes one out of its line; the caller resolves it. */
  leave(waiter: Waiter): void {
    waiter.line.remove(waiter);
    waiter.cancelTimer();
    if (waiter.signal) this.#aborts.delete(waiter.signal, waiter);
    this.#count -= 1;
  }

  /** Those in these lines and those who take any entry, in order of arrival. */
  all(lines: Iterable<Line>): Waiter[] {
    const waiters: Waiter[] = [];
    for (const line of [this.anyLine, ...lines]) {
      for (let waiter = line.first; waiter; waiter = waiter.next) waiters.push(waiter);
    }
    return waiters.sort((a, b) => a.sequence - b.sequence);
  }

  rejectLine(line: Line, error: PwpoolError): void {
    while (line.first) this.#reject(line.first, error);
  }

  #timeOut(waiter: Waiter): void {
    this.leave(waiter);
    waiter.reject(this.#onTimeout(waiter));
  }

  #reject(waiter: Waiter, error: PwpoolError): void {
    this.leave(waiter);
    waiter.reject(error);
  }
}

function isIn(line: Line, wanted: Waiter): boolean {
  for (let waiter = line.first; waiter; waiter = waiter.next) if (waiter === wanted) return true;
  return false;
}

function earlier(a: Waiter | undefined, b: Waiter | undefined): Waiter | undefined {
  if (!a || !b) return a ?? b;
  return a.sequence < b.sequence ? a : b;
}
