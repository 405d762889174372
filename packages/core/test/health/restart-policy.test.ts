import { describe, expect, it } from 'vitest';
import { decideRestart, type RestartHistory } from '../../src/health/restart-policy.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 2);

/** With it, each wait is as long as it can be, rounded to milliseconds. */
const ALMOST_ONE = () => 1 - Number.EPSILON;

/** The delays of `count` failures in a row, each right after the restart before it. */
function delaysOf(count: number, maxRestarts: number, random = ALMOST_ONE): (number | undefined)[] {
  let history: RestartHistory = { restarts: [] };
  let now = START;
  return Array.from({ length: count }, () => {
    const decision = decideRestart(history, now, maxRestarts, random);
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
    expect(delaysOf(9, 20).slice(7)).toEqual([32_000, 60_000]);
    expect(Math.max(...delaysOf(20, 30).map(Number))).toBe(60_000);
  });

  it('waits half as long at least, and anything between', () => {
    expect(delaysOf(5, 10, () => 0)).toEqual([0, 250, 500, 1_000, 2_000]);
    expect(delaysOf(5, 10, () => 0.5)).toEqual([0, 375, 750, 1_500, 3_000]);
    expect(delaysOf(9, 20, () => 0).at(-1)).toBe(30_000);
  });

  it('draws anew for each wait, so that two instances that failed together drift apart', () => {
    const draws = [0, 0.5, 0.25];
    expect(delaysOf(4, 10, () => draws.shift() ?? 0)).toEqual([0, 250, 750, 1_250]);
  });

  it('stops when the budget is spent', () => {
    expect(delaysOf(4, 3)).toEqual([0, 500, 1_000, undefined]);
  });

  it('never restarts with a budget of 0', () => {
    expect(delaysOf(2, 0)).toEqual([undefined, undefined]);
  });

  it('forgets what is ten minutes old', () => {
    const history = { restarts: [START, START + 1, START + 2] };
    expect(decideRestart(history, START + 10 * MINUTE - 1, 3, ALMOST_ONE).delayMs).toBeUndefined();
    expect(decideRestart(history, START + 10 * MINUTE, 3, ALMOST_ONE)).toEqual({
      delayMs: 0,
      history: { restarts: [START + 1, START + 2, START + 10 * MINUTE] },
    });
    expect(decideRestart(history, START + 11 * MINUTE, 3, ALMOST_ONE).delayMs).toBe(0);
  });

  it('restarts at once again what ran well for two minutes', () => {
    const history = { restarts: [START, START + MINUTE] };
    expect(decideRestart(history, START + 3 * MINUTE - 1, 5, ALMOST_ONE).delayMs).toBe(500);
    expect(decideRestart(history, START + 3 * MINUTE, 5, ALMOST_ONE).delayMs).toBe(0);
  });

  it('does not count what the clock, set back since, has yet to come to', () => {
    const history = { restarts: [START, START + MINUTE] };
    expect(decideRestart(history, START - 60 * MINUTE, 2, ALMOST_ONE)).toEqual({
      delayMs: 0,
      history: { restarts: [START - 60 * MINUTE] },
    });
  });

  it('does not count a restart that it refused', () => {
    const history = { restarts: [START] };
    expect(decideRestart(history, START + 1, 1, ALMOST_ONE)).toEqual({ delayMs: undefined, history });
  });

  it('leaves the history it was given alone', () => {
    const history = { restarts: Object.freeze([START]) };
    decideRestart(history, START + MINUTE, 5, ALMOST_ONE);
    expect(history.restarts).toEqual([START]);
  });
});
