import type { JournalEntry, RowResult } from '@pwpool/core/internal';

/** How many times are kept to tell the quantiles by. */
const SAMPLES = 10_000;
const SLOWEST = 5;

/** What a run came to, in little space however many rows there are. */
export class RunFigures {
  done = 0;
  failed = 0;
  retries = 0;
  /** Of rows that failed, by code. */
  readonly codes = new Map<string, number>();
  /** The rows that took longest, the slowest first. */
  slowest: { row: number; ms: number }[] = [];
  readonly #samples: number[] = [];

  attempt({ attempt }: JournalEntry): void {
    if (attempt > 1) this.retries += 1;
  }

  result(result: RowResult): void {
    const { row, ms } = result;
    if (result.ok) this.done += 1;
    else {
      this.failed += 1;
      this.codes.set(result.error.code, (this.codes.get(result.error.code) ?? 0) + 1);
    }
    // Of every row one with the same chance, so that the sample is one of all.
    const over = this.done + this.failed;
    if (this.#samples.length < SAMPLES) this.#samples.push(ms);
    else {
      const place = Math.floor(Math.random() * over);
      if (place < SAMPLES) this.#samples[place] = ms;
    }
    if (ms <= (this.slowest[SLOWEST - 1]?.ms ?? -1)) return;
    this.slowest = [...this.slowest, { row, ms }].sort((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  }

  /** Milliseconds that such a share of the rows stayed below. */
  quantile(share: number): number {
    const sorted = [...this.#samples].sort((one, other) => one - other);
    return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0;
  }
}

/** What is told at the end. */
export function describeFigures(figures: RunFigures, elapsedMs: number): string {
  const { done, failed, retries, codes, slowest } = figures;
  const byCode = [...codes]
    .map(([code, count]) => `${count} ${code}`)
    .sort()
    .join(', ');
  const rate = perSecond(done + failed, elapsedMs);
  const head = `${done} done, ${failed} failed${byCode === '' ? '' : ` (${byCode})`}, ${retries} retries; ${rate.toFixed(1)} rows/s in ${seconds(elapsedMs)}`;
  if (done + failed === 0) return head;
  const times = `p50 ${seconds(figures.quantile(0.5))}, p95 ${seconds(figures.quantile(0.95))}`;
  return `${head}\n${times}; slowest: ${slowest.map(({ row, ms }) => `row ${row} (${seconds(ms)})`).join(', ')}`;
}

/** 0 in the instant in which a run begins. */
function perSecond(rows: number, elapsedMs: number): number {
  return elapsedMs > 0 ? (rows / elapsedMs) * 1000 : 0;
}

export function seconds(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
