/** Upper bounds of the buckets, in milliseconds; beyond the last there is one more bucket. */
const BOUNDS_MS = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
] as const;

/** Times in milliseconds. */
export interface HistogramFigures {
  count: number;
  sum: number;
  max: number;
  /** Estimated from the buckets; `null` until something was recorded. */
  p50: number | null;
  p99: number | null;
  /** How many were not above each bound; what is above the last one shows in `count` only. */
  buckets: readonly { atMost: number; count: number }[];
}

/** A distribution of times that takes the same small space however many are recorded. */
export class Histogram {
  readonly #counts: number[] = new Array(BOUNDS_MS.length + 1).fill(0);
  #count = 0;
  #sum = 0;
  #max = 0;

  record(ms: number): void {
    const index = BOUNDS_MS.findIndex((bound) => ms <= bound);
    const bucket = index === -1 ? BOUNDS_MS.length : index;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    this.#sum += ms;
    this.#max = Math.max(this.#max, ms);
  }

  figures(): HistogramFigures {
    let total = 0;
    const buckets = BOUNDS_MS.map((atMost, index) => {
      total += this.#counts[index] ?? 0;
      return { atMost, count: total };
    });
    return {
      count: this.#count,
      sum: this.#sum,
      max: this.#max,
      p50: this.#quantile(0.5),
      p99: this.#quantile(0.99),
      buckets,
    };
  }

  /** Where the wanted one lies in its bucket if those are spread evenly, and never beyond the largest. */
  #quantile(quantile: number): number | null {
    if (this.#count === 0) return null;
    const rank = quantile * this.#count;
    let below = 0;
    for (const [index, count] of this.#counts.entries()) {
      if (count > 0 && below + count >= rank) {
        const from = BOUNDS_MS[index - 1] ?? 0;
        const to = Math.min(BOUNDS_MS[index] ?? this.#max, this.#max);
        return Math.min(from + ((rank - below) / count) * (to - from), this.#max);
      }
      below += count;
    }
    return this.#max;
  }
}
