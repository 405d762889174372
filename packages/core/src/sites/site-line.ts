import type { CancelTimer, Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { type LeaseCounts, LeaseQueue } from '../lease/lease-queue.js';
import { cancelled } from '../waiting/deadline.js';
import type { Site } from './site.js';

/** How long a turn may be waited for. */
export interface TurnOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait at most. Default: 60 000. */
  timeoutMs?: number | undefined;
}

const WAIT_MS = 60_000;

/** What passes through the queue: who has it may start, and keeps it until the next may. */
const TURN = 'turn';

/**
 * The line at one site: turns in order of arrival, `minIntervalMs` apart, `concurrency` at once.
 *
 * A timer runs only while someone waits for the interval to pass.
 */
export class SiteLine {
  readonly #site: Site;
  readonly #clock: Clock;
  readonly #queue: LeaseQueue;
  #running = 0;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** Lets the next one have the turn. Does nothing when it has been done. */
  #passTurn = () => {};
  #cancelTimer: CancelTimer | undefined;

  constructor(site: Site, clock: Clock) {
    this.#site = site;
    this.#clock = clock;
    this.#queue = new LeaseQueue({
      clock,
      onTimeout: ({ waitedMs, counts }) => this.#refusal(`Waited ${waitedMs} ms for a turn`, counts),
      onFull: ({ counts }) => this.#refusal('There is no room to wait for a turn', counts),
    });
    this.#queue.add(TURN);
  }

  /**
   * Waits for a turn, which ends when it is disposed of.
   * @throws PwpoolError `CALL_TIMEOUT`, `CANCELLED`, `INVALID_ARGUMENTS` (`timeoutMs`)
   */
  async enter({ signal, timeoutMs = WAIT_MS }: TurnOptions = {}): Promise<Disposable> {
    // The turn may be free by now without anyone having waited for it.
    this.#passIfDue();
    const waiting = this.#queue.acquire({ signal, timeoutMs });
    this.#passIfDue();
    try {
      const grant = await waiting;
      this.#passTurn = () => grant.release();
    } catch (error) {
      throw signal?.aborted ? cancelled(signal, `The wait for site '${this.#site.name}'`) : error;
    } finally {
      if (this.#queue.counts().waiting === 0) this.#stopTimer();
    }
    this.#startedAt = this.#clock.now();
    this.#running += 1;
    this.#passIfDue();
    return { [Symbol.dispose]: this.#onceEnded() };
  }

  #onceEnded(): () => void {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#running -= 1;
      this.#passIfDue();
    };
  }

  #passIfDue(): void {
    if (this.#running >= this.#site.concurrency) return;
    const now = this.#clock.now();
    // A clock that was set back must not stop the site for as long.
    this.#startedAt = Math.min(this.#startedAt, now);
    const remainingMs = this.#startedAt + this.#site.minIntervalMs - now;
    if (remainingMs <= 0) {
      this.#stopTimer();
      this.#passTurn();
    } else if (this.#queue.counts().waiting > 0) {
      this.#cancelTimer ??= this.#clock.after(remainingMs, () => {
        this.#cancelTimer = undefined;
        this.#passIfDue();
      });
    }
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #refusal(what: string, { waiting }: LeaseCounts): PwpoolError {
    const { name, minIntervalMs, concurrency } = this.#site;
    const limits = [
      ...(minIntervalMs > 0 ? [`min_interval ${minIntervalMs / 1000} s`] : []),
      ...(Number.isFinite(concurrency) ? [`concurrency ${concurrency}`] : []),
    ];
    return new PwpoolError(
      'CALL_TIMEOUT',
      `${what} at site '${name}' (${limits.join(', ')}): ${this.#running} running, ${waiting} more waiting.`,
      {
        hint: 'Nothing was sent. Try again later, or send fewer requests to this site. Whoever runs pwpool can change its limits in SITES_FILE.',
        details: {
          site: name,
          minIntervalMs,
          concurrency: Number.isFinite(concurrency) ? concurrency : null,
          running: this.#running,
          waiting,
        },
      },
    );
  }
}
