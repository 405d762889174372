/** Milliseconds in which `MAX_RESTARTS` is counted. */
const WINDOW_MS = 10 * 60_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 60_000;

export interface RestartHistory {
  /** When each restart so far was decided, milliseconds since the epoch, oldest first. */
  readonly restarts: readonly number[];
}

export interface RestartDecision {
  /** Milliseconds to wait before the restart; `undefined`: no restart, the instance stays failed. */
  delayMs: number | undefined;
  history: RestartHistory;
}

/**
 * Decides whether and when a failed instance is started again: the first time at once, then with exponential back-off,
 * at most `maxRestarts` times in ten minutes.
 */
export function decideRestart(history: RestartHistory, now: number, maxRestarts: number): RestartDecision {
  const recent = history.restarts.filter((time) => now - time < WINDOW_MS);
  if (recent.length >= maxRestarts) return { delayMs: undefined, history: { restarts: recent } };
  const delayMs =
    recent.length === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (recent.length - 1), LONGEST_DELAY_MS);
  return { delayMs, history: { restarts: [...recent, now] } };
}
