import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.js';
import { asPwpoolError, type ErrorCode, PwpoolError } from '../errors.js';
import { cancelled, unlessAborted } from '../waiting/abort.js';
import { Mutex } from '../waiting/mutex.js';
import { pause } from '../waiting/pause.js';
import { Semaphore } from '../waiting/semaphore.js';
import { type Counts, type HaltPolicy, isDue } from './halt-policy.js';

/** One attempt at an item. */
export interface ItemTask<T> {
  readonly item: T;
  /** Position among the items, from 0. */
  readonly index: number;
  /** From 1. */
  readonly attempt: number;
  /** Aborts when the run is ended at once. */
  readonly signal: AbortSignal;
  /** Where it runs, as soon as its worker knows. */
  where?: string | undefined;
}

/** Does one item after the other. */
export interface ItemWorker<T, R> extends AsyncDisposable {
  /** @throws what the item failed with, or `NoPlace` */
  run(task: ItemTask<T>): Promise<R>;
}

/** What a worker throws that got nothing to work on: no fault of the item, and the next would fare no better. */
export class NoPlace extends Error {
  override readonly name = 'NoPlace';
  readonly reason: PwpoolError;

  constructor(reason: PwpoolError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** What an attempt at an item came to. */
export interface Attempt<T> {
  readonly item: T;
  readonly index: number;
  readonly attempt: number;
  readonly where: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Absent when it succeeded. */
  readonly error?: PwpoolError;
}

/** What an item came to: its last attempt, with what that gave. */
export type Outcome<T, R> = Attempt<T> & ({ ok: true; value: R } | { ok: false; error: PwpoolError });

/** What is told of a run while it goes on. What a listener throws ends the run. */
export interface RunListeners<T, R> {
  onStart?: ((task: ItemTask<T>) => void) | undefined;
  /** After each attempt, also the last of an item. */
  onAttempt?: ((attempt: Attempt<T>) => void) | undefined;
  onOutcome?: ((outcome: Outcome<T, R>, counts: Counts) => void) | undefined;
}

export interface RunItemsOptions<T, R> extends RunListeners<T, R> {
  clock: Clock;
  /** How many items run at once. */
  concurrency: number;
  /** How often an item that failed is tried again. */
  retries: number;
  /** Tell outcomes in the order of the items. */
  ordered?: boolean | undefined;
  halt?: HaltPolicy | undefined;
  /** Ends the run once what runs is done. */
  stop?: AbortSignal | undefined;
  /** Ends the run at once. What runs is given up and has no outcome. */
  signal?: AbortSignal | undefined;
}

/** How a run ended. */
export interface RunReport extends Counts {
  /** Attempts beyond the first of each item. */
  readonly retries: number;
  /** What ended the run before its items did. */
  readonly endedBy?: 'halt' | 'stop' | 'signal';
}

/** Failures that another attempt would meet again. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['INVALID_ARGUMENTS', 'TOOL_NOT_FOUND', 'URL_BLOCKED']);
/** The first pause before another attempt, which doubles with each, and the longest. */
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** With `ordered`, how many items for each worker may be ahead of the earliest that is not over. */
const AHEAD = 16;

/**
 * Runs items through workers, `concurrency` at once. Items are asked for one at a time, when a worker is free, so that there
 * may be any number of them. An item that fails is an outcome like another.
 * @throws PwpoolError `INVALID_ARGUMENTS` (`concurrency`, `retries`); the reason of a `NoPlace` that outlasted the retries of its
 *   item; what the source of the items or a listener throws
 */
export async function runItems<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  newWorker: () => ItemWorker<T, R>,
  options: RunItemsOptions<T, R>,
): Promise<RunReport> {
  atLeast(1, 'concurrency', options.concurrency);
  atLeast(0, 'retries', options.retries);
  const run = new ItemRun(iteratorOf(items), options);
  const lanes = Array.from({ length: options.concurrency }, () => run.work(newWorker()));
  for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
  return run.report();
}

class ItemRun<T, R> {
  readonly #items: AsyncIterator<T> | Iterator<T>;
  readonly #options: RunItemsOptions<T, R>;
  readonly #pulling = new Mutex();
  readonly #now = new AbortController();
  /** Aborts when no further item is begun. */
  readonly #ending = new AbortController();
  readonly #ahead: Semaphore | undefined;
  readonly #held = new Map<number, { outcome: Outcome<T, R>; place: Disposable }>();
  #endedBy: RunReport['endedBy'];
  #reading = false;
  #next = 0;
  #told = 0;
  #done = 0;
  #failed = 0;
  #retries = 0;

  constructor(items: AsyncIterator<T> | Iterator<T>, options: RunItemsOptions<T, R>) {
    this.#items = items;
    this.#options = options;
    // As many listeners as items run at once.
    setMaxListeners(0, this.#now.signal, this.#ending.signal);
    if (options.ordered) this.#ahead = new Semaphore(AHEAD * options.concurrency);
    whenAborted(options.stop, () => this.#end('soon', 'stop'));
    whenAborted(options.signal, (reason) => this.#end('now', 'signal', reason));
  }

  /** Does items until there is none left, or the run ends. */
  async work(worker: ItemWorker<T, R>): Promise<void> {
    try {
      await using _worker = worker;
      while (!this.#ending.signal.aborted) {
        const taken = await this.#take();
        if (!taken) break;
        await this.#runItem(taken, worker);
      }
    } catch (error) {
      this.#end('now', 'signal', error);
      throw error;
    } finally {
      await this.#close();
    }
  }

  report(): RunReport {
    const endedBy = this.#endedBy;
    const counts = { done: this.#done, failed: this.#failed, retries: this.#retries };
    return endedBy === undefined ? counts : { ...counts, endedBy };
  }

  async #take(): Promise<Taken<T> | undefined> {
    const place = await this.#ahead?.acquire({ signal: this.#ending.signal }).catch(() => undefined);
    return await this.#pulling.run(async () => {
      if (this.#ending.signal.aborted) return undefined;
      this.#reading = true;
      const next = Promise.resolve(this.#items.next()).finally(() => {
        this.#reading = false;
      });
      const found = await unlessAborted(this.#ending.signal, next).catch((error: unknown) => {
        if (this.#ending.signal.aborted) return undefined;
        throw error;
      });
      if (!found || found.done || this.#ending.signal.aborted) return undefined;
      return { item: found.value, index: this.#next++, place };
    }, 'The next item');
  }

  async #runItem({ item, index, place }: Taken<T>, worker: ItemWorker<T, R>): Promise<void> {
    const { clock, retries, onStart, onAttempt } = this.#options;
    const { signal } = this.#now;
    for (let number = 1; ; number++) {
      const task: ItemTask<T> = { item, index, attempt: number, signal, where: undefined };
      onStart?.(task);
      const startedAt = clock.now();
      const result = await worker.run(task).then(
        (value) => ({ ok: true as const, value }),
        (error: unknown) => ({ ok: false as const, error }),
      );
      const facts = { item, index, attempt: number, where: task.where, startedAt };
      const attempt = { ...facts, durationMs: clock.now() - startedAt };
      if (result.ok) {
        onAttempt?.(attempt);
        return this.#tell({ ...attempt, ok: true, value: result.value }, place);
      }
      const error = errorOf(result.error, signal);
      onAttempt?.({ ...attempt, error });
      if (signal.aborted) return;
      if (FINAL.has(error.code) || number > retries) {
        if (result.error instanceof NoPlace) throw error;
        return this.#tell({ ...attempt, ok: false, error }, place);
      }
      this.#retries += 1;
      const delay = Math.min(PAUSE_MS * 2 ** (number - 1), LONGEST_PAUSE_MS);
      if (!(await pause(clock, delay, signal))) return;
    }
  }

  #tell(outcome: Outcome<T, R>, place: Disposable | undefined): void {
    if (!place) {
      this.#count(outcome);
      return;
    }
    this.#held.set(outcome.index, { outcome, place });
    for (let next = this.#held.get(this.#told); next; next = this.#held.get(this.#told)) {
      this.#held.delete(this.#told);
      this.#told += 1;
      this.#count(next.outcome);
      next.place[Symbol.dispose]();
    }
  }

  #count(outcome: Outcome<T, R>): void {
    if (outcome.ok) this.#done += 1;
    else this.#failed += 1;
    const counts = { done: this.#done, failed: this.#failed };
    this.#options.onOutcome?.(outcome, counts);
    const { halt } = this.#options;
    if (halt && isDue(halt, counts)) this.#end(halt.when, 'halt');
  }

  #end(when: HaltPolicy['when'], endedBy: NonNullable<RunReport['endedBy']>, reason?: unknown): void {
    if (when === 'now' && !this.#now.signal.aborted) {
      this.#endedBy = endedBy;
      this.#now.abort(reason ?? new PwpoolError('CANCELLED', 'The run was ended.'));
    }
    this.#endedBy ??= endedBy;
    this.#ending.abort();
  }

  /** Lets the source of the items go, a file say. */
  async #close(): Promise<void> {
    this.#ending.abort();
    const closed = Promise.resolve(this.#items.return?.());
    // One that waits for input that does not come hears of it when that does.
    if (this.#reading) void closed.catch(() => {});
    else await closed;
  }
}

interface Taken<T> {
  item: T;
  index: number;
  /** Among those that may be ahead. */
  place: Disposable | undefined;
}

function errorOf(thrown: unknown, signal: AbortSignal): PwpoolError {
  if (signal.aborted) return cancelled(signal, 'The item');
  return thrown instanceof NoPlace ? thrown.reason : asPwpoolError(thrown);
}

function iteratorOf<T>(items: Iterable<T> | AsyncIterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}

function whenAborted(signal: AbortSignal | undefined, then: (reason: unknown) => void): void {
  if (signal?.aborted) then(signal.reason);
  else signal?.addEventListener('abort', () => then(signal.reason), { once: true });
}

function atLeast(least: number, name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new PwpoolError('INVALID_ARGUMENTS', `${name} cannot be ${value}.`, {
    hint: `Give it as a whole number, ${least} or more.`,
  });
}
