/** Milliseconds in which `MAX_RESTARTS` is counted. */
const WINDOW_MS = 10 * 60_000;
/** Milliseconds in which restarts count as following one another. A browser that lived longer was no failed start. */
const BACK_OFF_WINDOW_MS = 2 * 60_000;
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
 * Decides whether and when a failed instance is started again: the first time at once, then, as long as restarts follow
 * one another closely, with exponential back-off; at most `maxRestarts` times in ten minutes.
 *
 * Each wait is between half and all of what the back-off says, so that instances that failed together do not start
 * together. `random` gives a number in [0, 1), as `Math.random` does.
 */
export function decideRestart(
  history: RestartHistory,
  now: number,
  maxRestarts: number,
  random: () => number,
): RestartDecision {
  // The clock may have been set back.
  const recent = history.restarts.filter((time) => time <= now && now - time < WINDOW_MS);
  if (recent.length >= maxRestarts) return { delayMs: undefined, history: { restarts: recent } };
  const close = recent.filter((time) => now - time < BACK_OFF_WINDOW_MS).length;
  return {
    delayMs: close === 0 ? 0 : backOff(close, random()),
    history: { restarts: [...recent, now] },
  };
}

function backOff(restarts: number, jitter: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** (restarts - 1), LONGEST_DELAY_MS);
  return Math.round(longest * (0.5 + jitter / 2));
}
