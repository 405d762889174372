import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';

const YEAR_MS = 365 * 24 * 3_600_000;

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tells the time and calls back once', () => {
    const callback = vi.fn();
    systemClock.after(250, callback);
    vi.advanceTimersByTime(249);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();
    expect(systemClock.now()).toBe(1_250);
  });

  it('cancels, as often as asked', () => {
    const callback = vi.fn();
    const cancel = systemClock.after(10, callback);
    cancel();
    cancel();
    vi.advanceTimersByTime(20);
    expect(callback).not.toHaveBeenCalled();
  });

  it('does not fire at once for a delay that is longer than Node can count', () => {
    const callback = vi.fn();
    systemClock.after(YEAR_MS, callback);
    vi.advanceTimersByTime(20 * 24 * 3_600_000);
    expect(callback).not.toHaveBeenCalled();
  });
});
