import type { CancelTimer, Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { WaitingLine } from '../waiting/waiting-line.js';
import type { Site } from './site.js';

/** How long a turn may be waited for. */
export interface TurnOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait at most. Default: 60 000. */
  timeoutMs?: number | undefined;
}

const WAIT_MS = 60_000;

/**
 * The line at one site: turns in order of arrival, `minIntervalMs` apart, `concurrency` at once.
 *
 * A timer runs only while someone waits for the interval to pass.
 */
export class SiteLine {
  readonly #site: Site;
  readonly #clock: Clock;
  readonly #line = new WaitingLine();
  #running = 0;
  #startedAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: CancelTimer | undefined;

  constructor(site: Site, clock: Clock) {
    this.#site = site;
    this.#clock = clock;
  }

  /**
   * Waits for a turn, which ends when it is disposed of.
   * @throws PwpoolError `CALL_TIMEOUT`, `CANCELLED`, `INVALID_ARGUMENTS` (`timeoutMs`)
   */
  async enter({ signal, timeoutMs = WAIT_MS }: TurnOptions = {}): Promise<Disposable> {
    const clock = this.#clock;
    const what = `The wait for site '${this.#site.name}'`;
    const deadline = { clock, timeoutMs, onTimeout: () => this.#notInTime(timeoutMs) };
    const turn = this.#line.wait({ signal, what, deadline });
    this.#startNext();
    try {
      await turn;
    } finally {
      if (this.#line.length === 0) this.#stopTimer();
    }
    let ended = false;
    return {
      [Symbol.dispose]: () => {
        if (ended) return;
        ended = true;
        this.#running -= 1;
        this.#startNext();
      },
    };
  }

  /** Gives turns for as long as the limits allow; where it is the interval that does not, once it has passed. */
  #startNext(): void {
    while (this.#line.length > 0 && this.#running < this.#site.concurrency) {
      const now = this.#clock.now();
      // A clock that was set back must not stop the site for as long.
      this.#startedAt = Math.min(this.#startedAt, now);
      const remainingMs = this.#startedAt + this.#site.minIntervalMs - now;
      if (remainingMs > 0) {
        this.#cancelTimer ??= this.#clock.after(remainingMs, () => {
          this.#cancelTimer = undefined;
          this.#startNext();
        });
        return;
      }
      this.#stopTimer();
      this.#startedAt = now;
      this.#running += 1;
      this.#line.serve();
    }
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #notInTime(waitedMs: number): PwpoolError {
    const waiting = this.#line.length;
    const { name, minIntervalMs, concurrency } = this.#site;
    const limits = [
      ...(minIntervalMs > 0 ? [`min_interval ${minIntervalMs / 1000} s`] : []),
      ...(Number.isFinite(concurrency) ? [`concurrency ${concurrency}`] : []),
    ];
    return new PwpoolError(
      'CALL_TIMEOUT',
      `Waited ${waitedMs} ms for a turn at site '${name}' (${limits.join(', ')}): ${this.#running} running, ${waiting} more waiting.`,
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
