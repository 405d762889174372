import type { CancelTimer, Clock } from '../../clock.js';

/** Milliseconds without a call after which a checkpoint is due: what it asks of the pages keeps no call waiting. */
const QUIET_MS = 50;

/** Milliseconds after which one is due although calls keep coming. */
const OVERDUE_MS = 1_000;

/** Knows when the state of a session is to be read again: when it may have changed and nobody calls. */
export class CheckpointTimer implements Disposable {
  readonly #clock: Clock;
  readonly #read: () => void;
  /** When the oldest answer was given that no checkpoint has followed. */
  #unreadSince: number | undefined;
  /** A call since then may have changed something. */
  #changed = false;
  #cancel: CancelTimer = () => {};

  constructor(clock: Clock, read: () => void) {
    this.#clock = clock;
    this.#read = read;
  }

  /**
   * A call begins: what was due waits for its end. What the last call changed does not: this one may never end, and take
   * the browser along.
   */
  hold(): void {
    this.#cancel();
    if (!this.#changed) return;
    this.#changed = false;
    this.#unreadSince = undefined;
    this.#read();
  }

  /** A call is over. @param changed whether it may have changed something */
  start(changed: boolean): void {
    const now = this.#clock.now();
    this.#changed ||= changed;
    this.#unreadSince ??= now;
    const ms = Math.min(QUIET_MS, Math.max(0, this.#unreadSince + OVERDUE_MS - now));
    this.#cancel();
    this.#cancel = this.#clock.after(ms, () => {
      this.#changed = false;
      this.#unreadSince = undefined;
      this.#read();
    });
  }

  [Symbol.dispose](): void {
    this.#cancel();
    this.#changed = false;
    this.#unreadSince = undefined;
  }
}
