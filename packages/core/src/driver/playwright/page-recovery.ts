import type { Page } from 'playwright';
import type { Clock } from '../../clock.js';
import { within } from '../../waiting/deadline.js';

/** Milliseconds that a page has to answer a trivial question: on a busy machine one that is well takes more than a second. */
const ANSWER_MS = 3_000;

/**
 * Makes pages answer again after a call was given up.
 *
 * A navigation that never answers blocks every later read of the page for ever, so loading is stopped. A page that
 * then still does not answer is held up by a script of its own, which nothing ends from outside: it is closed.
 * @param spared not closed, whatever it does
 * @returns whether a page was closed
 */
export async function unblockPages(
  pages: readonly Page[],
  clock: Clock,
  spared: (page: Page) => boolean = () => false,
): Promise<boolean> {
  const closed = await Promise.all(pages.map((page) => unblockPage(page, clock, spared(page))));
  return closed.includes(true);
}

/**
 * Closes a page, also one that goes on refreshing itself: unless its loading is stopped before, Chromium never closes it.
 */
export async function closePage(page: Page, clock: Clock): Promise<void> {
  await within(clock, ANSWER_MS, (signal) => stopLoading(page, signal));
  await page.close();
}

async function unblockPage(page: Page, clock: Clock, spared: boolean): Promise<boolean> {
  const stopped = await within(clock, ANSWER_MS, (signal) => stopLoading(page, signal));
  if (spared || (stopped && (await within(clock, ANSWER_MS, () => askPage(page))))) return false;
  // One that does not end in time is on its way; one that fails leaves the page open.
  const close = () =>
    page.close().then(
      () => true,
      () => page.isClosed(),
    );
  return (await within(clock, ANSWER_MS, close)) ?? true;
}

/**
 * A round trip to the script of a page; rejects when the page is gone. That its document was replaced meanwhile is an
 * answer too: a page that goes on refreshing itself is alive.
 */
export async function askPage(page: Page): Promise<true> {
  try {
    return await page.evaluate(() => true);
  } catch (error) {
    if (page.isClosed()) throw error;
    return true;
  }
}

/** Engines without CDP have no command for it; a page that answers scripts can do it itself. */
async function stopLoading(page: Page, signal: AbortSignal): Promise<true> {
  if (page.context().browser()?.browserType().name() !== 'chromium') {
    await page.evaluate(() => window.stop()).catch(() => {});
    return true;
  }
  const cdp = await page.context().newCDPSession(page);
  const stop = () =>
    cdp.send('Page.stopLoading').then(
      () => true,
      () => false,
    );
  // A document that is replaced at that moment takes the command with it.
  let stopped = await stop();
  while (!stopped && !page.isClosed() && !signal.aborted) stopped = await stop();
  await cdp.detach();
  return true;
}
