/** Stops a timer that has not fired yet. Safe to call more than once. */
export type CancelTimer = () => void;

/**
 * The only source of time in pwpool: no other file reads the system clock or sets a timer, so a test can drive
 * time by hand (`FakeClock` of `@pwpool/core/testing`).
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `callback` once, `delayMs` milliseconds from now. */
  after(delayMs: number, callback: () => void): CancelTimer;
}

/** Longest delay that Node's timers take; beyond it they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
