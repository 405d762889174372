import { type CancelTimer, type JournalEntry, type RowResult, systemClock } from '@pwpool/core/internal';
import { complain } from '../output.js';
import { printable } from '../table.js';
import { type RunFigures, seconds } from './figures.js';
import { describeFailure, howFar, type Progress } from './progress.js';

/** Milliseconds between two drawings. */
const DRAW_MS = 200;
/** Of the rows that run, so many have a line. */
const MOST_LINES = 8;
const BAR = 16;

/** Draws on a terminal how far a run is: a bar, and a line for each row that runs. Failures scroll by above. */
export class LiveProgress implements Progress {
  readonly #figures: RunFigures;
  readonly #total: number | undefined;
  readonly #startedAt = systemClock.now();
  /** When each row that runs began. */
  readonly #running = new Map<number, number>();
  #drawn = 0;
  #cancel: CancelTimer = () => {};

  /** @param total how many rows there are, if that is known */
  constructor(figures: RunFigures, total: number | undefined) {
    this.#figures = figures;
    this.#total = total;
  }

  start(): void {
    this.#draw();
    this.#cancel = systemClock.after(DRAW_MS, () => this.start());
  }

  rowStarted(row: number): void {
    this.#running.set(row, systemClock.now());
  }

  attempt(_: JournalEntry): void {}

  result(result: RowResult): void {
    this.#running.delete(result.row);
    if (!result.ok) this.tell(describeFailure(result));
  }

  tell(text: string): void {
    this.#erase();
    complain(text);
    this.#draw();
  }

  [Symbol.dispose](): void {
    this.#cancel();
    this.#erase();
  }

  #draw(): void {
    // The terminal may have been resized since.
    const width = process.stderr.columns ?? 80;
    const now = systemClock.now();
    const lines = [
      `${this.#bar()}${howFar(this.#figures, this.#total, now - this.#startedAt)}`,
      ...[...this.#running]
        .slice(0, MOST_LINES)
        .map(([row, since]) => `  row ${row} for ${seconds(now - since)}`),
    ];
    this.#erase();
    process.stderr.write(`${lines.map((line) => printable(line).slice(0, width - 1)).join('\n')}\n`);
    this.#drawn = lines.length;
  }

  #bar(): string {
    if (this.#total === undefined || this.#total === 0) return '';
    const share = Math.min((this.#figures.done + this.#figures.failed) / this.#total, 1);
    const filled = Math.round(share * BAR);
    return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] `;
  }

  #erase(): void {
    if (this.#drawn > 0) process.stderr.write(`\u001B[${this.#drawn}A\u001B[J`);
    this.#drawn = 0;
  }
}
