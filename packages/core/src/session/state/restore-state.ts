import type { BrowserContext, Page } from 'playwright';
import type { Clock } from '../../clock.js';
import { unblockPages } from '../../driver/playwright/page-recovery.js';
import { PwpoolError, reasonOf } from '../../errors.js';
import { cancelled } from '../../waiting/abort.js';
import { withDeadline } from '../../waiting/deadline.js';
import { type BrowserState, type PageState, shownUrl } from './browser-state.js';

const WHAT = 'Restoring the state of the browser';

export interface RestoreOptions {
  clock: Clock;
  /** Milliseconds for all of it. Freeing a page that hangs may take 3 seconds more. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /**
   * Aborts when the browser is gone. Playwright 1.65.1 waits for ever for a page that was being made at that instant,
   * in `newPage` and in `setStorageState`.
   */
  lost?: AbortSignal | undefined;
  /** Opens the pages only: for a context whose profile on disk has kept cookies and storage, which none may replace. */
  pagesOnly?: boolean | undefined;
}

/** What came of bringing a state into a browser. */
export interface RestoredState {
  /** Where the current page is now, which is elsewhere when the site redirects; `null` when it was not opened again. */
  restoredUrl: string | null;
  /** What of the session did not come back, in sentences. */
  failed: string[];
}

/**
 * Puts a saved state into a context that is new and empty, then opens its pages again, the current one first.
 *
 * A page that does not open is told in the answer. Of a context whose cookies and storage were not restored,
 * nothing is to be used: after an error, throw it away.
 * @throws PwpoolError `EXECUTION_ERROR` when cookies or storage are refused, `CALL_TIMEOUT`, `CANCELLED`, or the
 *   PwpoolError that a signal was aborted with
 */
export async function restoreState(
  context: BrowserContext,
  state: BrowserState,
  options: RestoreOptions,
): Promise<RestoredState> {
  const end = options.clock.now() + options.timeoutMs;
  const deadline: Deadline = (work) => {
    const { clock, timeoutMs, signal, lost } = options;
    const onTimeout = () =>
      new PwpoolError('CALL_TIMEOUT', `The saved state was not restored within ${timeoutMs} ms.`, {
        hint: 'Try again, or start without it.',
      });
    const settings = { clock, timeoutMs: end - clock.now(), signals: [signal, lost], onTimeout };
    return withDeadline(settings, WHAT, work);
  };
  const failed = options.pagesOnly ? [] : await restoreStorage(context, state, deadline);
  const tabs = await openTabs(context, state.pages, deadline);
  const problems = await Promise.all(tabs.map((tab) => navigate(tab, deadline)));
  for (const signal of [options.signal, options.lost]) if (signal?.aborted) throw cancelled(signal, WHAT);
  // A navigation that never answers would block every later call on its page.
  if (problems.some((problem) => problem?.hangs)) await unblockPages(context.pages(), options.clock);
  failed.push(...problems.flatMap((problem) => problem?.text ?? []));
  const current = tabs[0];
  const isOpen = current !== undefined && !problems[0] && current.page.url() !== 'about:blank';
  return { restoredUrl: isOpen ? current.page.url() : null, failed };
}

type Deadline = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

interface Tab {
  page: Page;
  saved: PageState;
}

/** @returns what had to be left out */
async function restoreStorage(
  context: BrowserContext,
  { cookies, origins }: BrowserState,
  deadline: Deadline,
): Promise<string[]> {
  try {
    await deadline(() => context.setStorageState({ cookies, origins }));
    return [];
  } catch (error) {
    const hasDatabases = origins.some(({ indexedDB }) => indexedDB);
    if (error instanceof PwpoolError || !hasDatabases) throw refused(error);
  }
  // A database that the site itself could not make like this, say by a broken constraint, must not cost the login.
  const withoutDatabases = origins.map(({ origin, localStorage }) => ({ origin, localStorage }));
  try {
    await deadline(() => context.setStorageState({ cookies, origins: withoutDatabases }));
    return ['IndexedDB was not restored: the browser refused it.'];
  } catch (error) {
    throw refused(error);
  }
}

/** One after the other, so that the tabs keep their order; a page that is there already becomes the first. */
async function openTabs(
  context: BrowserContext,
  pages: readonly PageState[],
  deadline: Deadline,
): Promise<Tab[]> {
  const existing = context.pages();
  const tabs: Tab[] = [];
  try {
    for (const saved of pages) {
      tabs.push({ page: existing.shift() ?? (await deadline(() => context.newPage())), saved });
    }
  } catch (error) {
    throw refused(error);
  }
  return tabs;
}

/** @returns why the page is not where it was */
async function navigate(
  { page, saved }: Tab,
  deadline: Deadline,
): Promise<{ text: string; hangs: boolean } | undefined> {
  const { url, sessionStorage } = saved;
  if (url === 'about:blank') return undefined;
  const notOpened = `The page ${shownUrl(url)} was not opened again`;
  if (!/^(https?|data):/.test(url)) {
    return { text: `${notOpened}: such an address cannot be opened.`, hangs: false };
  }
  try {
    await deadline(async (signal) => {
      if (sessionStorage.length > 0) await restoreSessionStorage(page, saved);
      signal.throwIfAborted();
      // From the empty page, a URL with a fragment would be a jump within that page.
      if (sessionStorage.length > 0 && url.includes('#')) await page.reload(NAVIGATION);
      else await page.goto(url, NAVIGATION);
    });
    return undefined;
  } catch (error) {
    return { text: `${notOpened}: ${reasonWithout(url, error)}`, hangs: error instanceof PwpoolError };
  }
}

/** The deadline is not Playwright's, whose own does not end the navigation. */
const NAVIGATION = { waitUntil: 'domcontentloaded', timeout: 0 } as const;

/**
 * Fills the tab's sessionStorage from an empty page that stands in for the real one, so that it is there before any
 * script of the site, and exactly once: what the site removes later stays removed, and no other tab is touched.
 * The navigation that follows goes to the same URL and so replaces the empty page in the tab's history.
 */
async function restoreSessionStorage(page: Page, { url, sessionStorage: items }: PageState): Promise<void> {
  // The words are seen only if the navigation that follows fails.
  const body = 'This page was not opened again.';
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body }));
  try {
    await page.goto(url, NAVIGATION);
    await page.evaluate((saved) => {
      for (const { name, value } of saved) sessionStorage.setItem(name, value);
    }, items);
  } finally {
    await page.unroute('**');
  }
}

function refused(error: unknown): PwpoolError {
  if (error instanceof PwpoolError) return error;
  return new PwpoolError('EXECUTION_ERROR', `The browser refused the saved state: ${firstLine(error)}`, {
    hint: 'Start a session without it, log in again, and save the state again.',
  });
}

/** Playwright's reason names the URL, whose query may hold a token. */
function reasonWithout(url: string, error: unknown): string {
  return firstLine(error).replaceAll(url, shownUrl(url));
}

/** The text after it is Playwright's log. */
function firstLine(error: unknown): string {
  return reasonOf(error).split('\n')[0] ?? '';
}
