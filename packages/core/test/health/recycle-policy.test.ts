import { describe, expect, it } from 'vitest';
import { type BrowserLife, decideRecycle, type RecycleLimits } from '../../src/health/recycle-policy.js';

const START = Date.UTC(2026, 0, 2);
const HOUR = 3_600_000;
const MB = 1024 * 1024;
const NO_LIMITS: RecycleLimits = { maxUses: undefined, maxAge: undefined, maxMemoryMb: undefined };

/** The decision on a browser that is new, but for what is given. */
function decide(life: Partial<BrowserLife & { age: number }>, limits: Partial<RecycleLimits>) {
  const { age = 0, ...rest } = life;
  const whole = { uses: 0, startedAt: START, jitter: 0, memoryBytes: undefined, ...rest };
  return decideRecycle(whole, { ...NO_LIMITS, ...limits }, START + age);
}

describe('decideRecycle', () => {
  it('keeps a browser for ever unless a limit is set', () => {
    expect(decide({ uses: 1e6, age: 1e6 * HOUR, memoryBytes: 1e15 }, {})).toBeUndefined();
  });

  it('[arch-instance-06] recycles after MAX_USES leases, and not one before', () => {
    expect(decide({ uses: 99 }, { maxUses: 100 })).toBeUndefined();
    expect(decide({ uses: 100 }, { maxUses: 100 })).toEqual({
      cause: 'uses',
      text: 'has served 100 leases (MAX_USES)',
    });
    expect(decide({ uses: 1 }, { maxUses: 1 })?.text).toBe('has served 1 lease (MAX_USES)');
  });

  it('[arch-instance-06] recycles at MAX_AGE', () => {
    expect(decide({ age: HOUR - 1 }, { maxAge: HOUR })).toBeUndefined();
    expect(decide({ age: HOUR }, { maxAge: HOUR })).toEqual({
      cause: 'age',
      text: 'has run for 3600 s (MAX_AGE)',
    });
  });

  it('takes up to a tenth off MAX_AGE, so that browsers started together do not go together', () => {
    expect(decide({ age: 0.95 * HOUR - 1, jitter: 0.5 }, { maxAge: HOUR })).toBeUndefined();
    expect(decide({ age: 0.95 * HOUR, jitter: 0.5 }, { maxAge: HOUR })?.cause).toBe('age');
    expect(decide({ age: 0.9 * HOUR, jitter: 0.999 }, { maxAge: HOUR })).toBeUndefined();
  });

  it('[arch-instance-06] recycles from MAX_MEMORY_MB on', () => {
    expect(decide({ memoryBytes: 512 * MB - 1 }, { maxMemoryMb: 512 })).toBeUndefined();
    expect(decide({ memoryBytes: 812.9 * MB }, { maxMemoryMb: 512 })).toEqual({
      cause: 'memory',
      text: 'takes 812 MB (MAX_MEMORY_MB)',
    });
    expect(decide({ memoryBytes: 512 * MB }, { maxMemoryMb: 512 })?.cause).toBe('memory');
  });

  it('does not recycle for memory where that is not known', () => {
    expect(decide({ memoryBytes: undefined }, { maxMemoryMb: 1 })).toBeUndefined();
  });
});
