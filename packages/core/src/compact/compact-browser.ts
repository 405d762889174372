import type { Page } from 'playwright';
import type { Clock } from '../clock.js';
import type { PageLog } from './page-log.js';
import type { Pages } from './pages.js';
import type { References } from './references.js';

/** What the compact tools work with: one context, and what they know of it from call to call. */
export interface CompactBrowser {
  readonly pages: Pages;
  readonly log: PageLog;
  readonly references: References;
  readonly clock: Clock;
  /** Milliseconds that an element may take to be ready for an action. */
  readonly actionTimeoutMs: number;
  /** Does something to a page, and waits for what that sets going, as upstream's tools do. */
  settle(page: Page, action: () => Promise<void>, signal: AbortSignal): Promise<void>;
}
