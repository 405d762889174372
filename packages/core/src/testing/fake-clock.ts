import type { CancelTimer, Clock } from '../clock.js';

interface PendingTimer {
  due: number;
  sequence: number;
  callback: () => void;
}

/** A clock that stands still until `advance` is called. Timers fire in order of their due time. */
export class FakeClock implements Clock {
  #now: number;
  #sequence = 0;
  readonly #timers = new Set<PendingTimer>();

  constructor(startMs = Date.UTC(2026, 0, 2, 10, 15, 30)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): CancelTimer {
    const timer = { due: this.#now + Math.max(delayMs, 0), sequence: this.#sequence++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Number of timers that have neither fired nor been cancelled: a leak check for tests. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Moves time on by `ms`, firing what falls due, and lets promise callbacks run first and after each timer. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#earliest(end);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #earliest(end: number): PendingTimer | undefined {
    let found: PendingTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.due > end) continue;
      if (!found || timer.due < found.due || (timer.due === found.due && timer.sequence < found.sequence)) {
        found = timer;
      }
    }
    return found;
  }
}

/** Lets every promise callback that is ready run. */
export async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
