import { describe, expect, it } from 'vitest';
import { decideRestart, type RestartHistory } from '../../src/health/restart-policy.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 2);

/** The delays of `count` failures in a row, each right after the restart before it. */
function delaysOf(count: number, maxRestarts: number): (number | undefined)[] {
  let history: RestartHistory = { restarts: [] };
  let now = START;
  return Array.from({ length: count }, () => {
    const decision = decideRestart(history, now, maxRestarts);
    history = decision.history;
    now += decision.delayMs ?? 0;
    return decision.delayMs;
  });
}

describe('decideRestart', () => {
  it('restarts at once, then backs off twice as long each time', () => {
    expect(delaysOf(6, 10)).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000]);
  });

  it('never waits longer than a minute', () => {
    expect(delaysOf(11, 20).slice(7)).toEqual([32_000, 60_000, 60_000, 60_000]);
  });

  it('stops when the budget is spent', () => {
    expect(delaysOf(4, 3)).toEqual([0, 500, 1_000, undefined]);
  });

  it('never restarts with a budget of 0', () => {
    expect(delaysOf(2, 0)).toEqual([undefined, undefined]);
  });

  it('forgets what is ten minutes old', () => {
    const history = { restarts: [START, START + 1, START + 2] };
    expect(decideRestart(history, START + 10 * MINUTE - 1, 3).delayMs).toBeUndefined();
    expect(decideRestart(history, START + 10 * MINUTE, 3)).toEqual({
      delayMs: 1_000,
      history: { restarts: [START + 1, START + 2, START + 10 * MINUTE] },
    });
    expect(decideRestart(history, START + 11 * MINUTE, 3).delayMs).toBe(0);
  });

  it('does not count a restart that it refused', () => {
    const history = { restarts: [START] };
    expect(decideRestart(history, START + 1, 1)).toEqual({ delayMs: undefined, history });
  });

  it('leaves the history it was given alone', () => {
    const history = { restarts: Object.freeze([START]) };
    decideRestart(history, START + MINUTE, 5);
    expect(history.restarts).toEqual([START]);
  });
});
