import { describe, expect, it } from 'vitest';
import { Histogram } from '../../src/metrics/histogram.js';

describe('a histogram', () => {
  it('knows nothing before the first record', () => {
    expect(new Histogram().figures()).toMatchObject({ count: 0, sum: 0, max: 0, p50: null, p99: null });
  });

  it('counts what is at most each bound, a time on a bound included', () => {
    const histogram = new Histogram();
    for (const ms of [0, 1, 2, 3, 10, 999_999]) histogram.record(ms);
    const { count, sum, max, buckets } = histogram.figures();
    expect({ count, sum, max }).toEqual({ count: 6, sum: 1_000_015, max: 999_999 });
    const atMost = (bound: number) => buckets.find((bucket) => bucket.atMost === bound)?.count;
    expect([1, 2, 5, 10, 300_000].map(atMost)).toEqual([2, 3, 4, 5, 5]);
  });

  it('estimates quantiles within their bucket, and never beyond the largest', () => {
    const histogram = new Histogram();
    for (let ms = 1; ms <= 100; ms += 1) histogram.record(ms);
    const { p50, p99 } = histogram.figures();
    expect(p50).toBe(50);
    expect(p99).toBe(99);
    const one = new Histogram();
    one.record(7);
    expect(one.figures().p99).toBeLessThanOrEqual(7);
  });
});
