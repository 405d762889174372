import type { BrowserContext, Page } from 'playwright';
import type { ItemTask, ItemWorker } from '../bulk/run-items.js';
import type { StepBrowser } from './run-steps.js';
import type { SelectedRow } from './select-rows.js';

/** A browser, or a tab of one, as a row has it. */
export interface RowBrowser extends StepBrowser {
  /** @throws PwpoolError `BROWSER_NOT_READY` when it gives no Playwright objects, as that of a server */
  page(): Promise<Page>;
  /** Throws as `page`. */
  context(): BrowserContext;
  /** Writes a picture of the page that is shown. Never rejects: a page that cannot be shown has none. */
  keepPicture(path: string): Promise<void>;
}

/** What is done with a browser before its first row, with each row, and after the last. */
export interface BrowserUse {
  setUp(browser: RowBrowser, signal: AbortSignal): Promise<void>;
  run(browser: RowBrowser, task: ItemTask<SelectedRow>): Promise<unknown>;
  /** Never rejects. */
  tearDown(browser: RowBrowser): Promise<void>;
  /** The folder of a row's files. */
  filesOf(row: SelectedRow): string;
}

/** Where rows get their browsers. Disposed of when all rows are done. */
export interface RowBrowsers extends AsyncDisposable {
  /** How many rows can run at once. */
  readonly capacity: number;
  newWorker(use: BrowserUse): ItemWorker<SelectedRow, unknown>;
}
