import { type CancelTimer, type JournalEntry, type RowResult, systemClock } from '@pwpool/core/internal';
import { complain } from '../output.js';
import { printable } from '../table.js';
import { type RunFigures, seconds } from './figures.js';

/** Milliseconds between two lines on how far it is. */
const TELL_MS = 10_000;

/** Tells on stderr how far a run is, until it is disposed of. */
export interface Progress extends Disposable {
  start(): void;
  rowStarted(row: number): void;
  attempt(entry: JournalEntry): void;
  result(result: RowResult): void;
  tell(text: string): void;
}

/** Tells it in lines: failures as they come, and every ten seconds a line. */
export class PlainProgress implements Progress {
  readonly #figures: RunFigures;
  readonly #total: number | undefined;
  readonly #startedAt = systemClock.now();
  #cancel: CancelTimer = () => {};

  /** @param total how many rows there are, if that is known */
  constructor(figures: RunFigures, total: number | undefined) {
    this.#figures = figures;
    this.#total = total;
  }

  start(): void {
    this.#cancel = systemClock.after(TELL_MS, () => {
      complain(howFar(this.#figures, this.#total, systemClock.now() - this.#startedAt));
      this.start();
    });
  }

  rowStarted(): void {}

  attempt(entry: JournalEntry): void {
    if (entry.code === 'INSTANCE_CRASHED')
      complain(`Row ${entry.row}: its browser crashed (attempt ${entry.attempt}).`);
  }

  result(result: RowResult): void {
    if (!result.ok) complain(describeFailure(result));
  }

  tell(text: string): void {
    complain(text);
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }
}

export function describeFailure(result: RowResult & { ok: false }): string {
  const { row, error, attempts } = result;
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  return printable(`Row ${row} failed${tries}: ${error.code}: ${error.message}`);
}

/** `120 of 1000 done, 3 failed, 4.2 rows/s, about 3.5 min left`. */
export function howFar({ done, failed }: RunFigures, total: number | undefined, elapsedMs: number): string {
  const over = done + failed;
  const rate = over === 0 ? 0 : (over / elapsedMs) * 1000;
  const left =
    total === undefined || over === 0 ? '' : `, about ${seconds(((total - over) / rate) * 1000)} left`;
  return `${done}${total === undefined ? '' : ` of ${total}`} done, ${failed} failed, ${rate.toFixed(1)} rows/s${left}`;
}
