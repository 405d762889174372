import { join } from 'node:path';
import type { HaltPolicy } from '../bulk/halt-policy.js';
import { type ItemTask, type RunItemsOptions, type RunReport, runItems } from '../bulk/run-items.js';
import type { Clock } from '../clock.js';
import { asPwpoolError, PwpoolError } from '../errors.js';
import { withDeadline } from '../waiting/deadline.js';
import type { JournalEntry, RowResult } from './results-file.js';
import type { BrowserUse, RowBrowsers } from './row-browser.js';
import type { RowWork } from './row-work.js';
import type { SelectedRow } from './select-rows.js';

export interface RunRowsOptions {
  clock: Clock;
  /** As `RunItemsOptions`. Default: as many as there are browsers for. */
  concurrency?: number | undefined;
  retries: number;
  ordered?: boolean | undefined;
  halt?: HaltPolicy | undefined;
  stop?: AbortSignal | undefined;
  signal?: AbortSignal | undefined;
  /** Rows have their folders in it. */
  files: string;
  /** Keep a picture of the page of an attempt that fails: `failure.png` in the row's folder. */
  picturesOfFailures?: boolean | undefined;
  onStart?: ((row: SelectedRow) => void) | undefined;
  onAttempt?: ((entry: JournalEntry) => void) | undefined;
  onResult?: ((result: RowResult, row: SelectedRow) => void) | undefined;
  /** What came of no row: a teardown that failed. */
  onTrouble?: ((error: PwpoolError) => void) | undefined;
}

/**
 * Does the work for each row in one of the browsers, and tells each attempt and each result as it comes.
 * @throws PwpoolError as `runItems`
 */
export async function runRows(
  browsers: RowBrowsers,
  work: RowWork,
  rows: AsyncIterable<SelectedRow>,
  options: RunRowsOptions,
): Promise<RunReport> {
  const { files, clock, onStart, onAttempt, onResult, onTrouble, picturesOfFailures, ...rest } = options;
  const filesOf = (row: SelectedRow) => join(files, String(row.number));
  const use: BrowserUse = {
    filesOf,
    setUp: async (browser, signal) => await work.setUp?.(browser, signal),
    tearDown: async (browser) => {
      await work.tearDown?.(browser).catch((error: unknown) => onTrouble?.(asPwpoolError(error)));
    },
    run: async (browser, { item: row, attempt, signal }) => {
      const task = { browser, row, attempt, files: filesOf(row) };
      const run = async (within: AbortSignal) => {
        try {
          return await work.run({ ...task, signal: within });
        } catch (error) {
          if (picturesOfFailures && !signal.aborted)
            await browser.keepPicture(join(task.files, 'failure.png'));
          throw error;
        }
      };
      const { timeoutMs } = work;
      if (timeoutMs === undefined) return await run(signal);
      const deadline = { clock, timeoutMs, signals: [signal], onTimeout: () => tooLong(timeoutMs) };
      return await withDeadline(deadline, 'The row', run);
    },
  };
  const newWorker = () => {
    const worker = browsers.newWorker(use);
    return {
      run: async (task: ItemTask<SelectedRow>) => {
        // No browser makes a row of it.
        if (task.item.fault) throw task.item.fault;
        return await worker.run(task);
      },
      [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
    };
  };
  const run: RunItemsOptions<SelectedRow, unknown> = {
    ...rest,
    clock,
    concurrency: options.concurrency ?? browsers.capacity,
    onStart: ({ item }) => onStart?.(item),
    onAttempt: ({ item: row, attempt, where, startedAt, durationMs, error }) => {
      const about = {
        row: row.number,
        key: row.key,
        attempt,
        ...(where === undefined ? {} : { instance: where }),
      };
      const started = new Date(startedAt).toISOString();
      onAttempt?.({ ...about, started, ms: durationMs, code: error?.code ?? 'OK' });
    },
    onOutcome: (outcome) => {
      const { item: row, attempt: attempts, durationMs: ms } = outcome;
      const about = { row: row.number, key: row.key };
      const result: RowResult = outcome.ok
        ? { ...about, ok: true, result: outcome.value ?? null, attempts, ms }
        : { ...about, ok: false, error: wireForm(outcome.error), attempts, ms };
      onResult?.(result, row);
    },
  };
  return await runItems(rows, newWorker, run);
}

function wireForm({ code, message, hint }: PwpoolError) {
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

function tooLong(timeoutMs: number): PwpoolError {
  return new PwpoolError(
    'CALL_TIMEOUT',
    `The row was not done within ${timeoutMs} ms, the timeout of the script.`,
    {
      hint: 'Raise the timeout of the script.',
    },
  );
}
