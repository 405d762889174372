import type { BrowserHandle } from '../driver/browser-driver.js';

/** What the owner of an instance may know of its browser, and do to it. */
export type RunningBrowser = Pick<
  BrowserHandle,
  'owned' | 'processId' | 'sharedBy' | 'currentPage' | 'retire'
>;
