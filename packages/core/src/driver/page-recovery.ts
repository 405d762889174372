import type { BrowserContext, CDPSession, Page } from 'playwright';
import { type Clock, withDeadline } from '../clock.js';
import { PwpoolError } from '../errors.js';

/** Milliseconds that a page has to answer a trivial question. */
const ANSWER_MS = 1_000;

/**
 * Makes the pages of a context answer again after a call was given up.
 *
 * A navigation that never answers blocks every later read of the page for ever, and a script that never ends blocks
 * everything. So: stop loading; then end the running script; then close the page. Pages that answer are left as they
 * are. Engines without CDP go straight to the last step.
 */
export async function unblockPages(context: BrowserContext, clock: Clock): Promise<void> {
  await Promise.all(context.pages().map((page) => unblockPage(page, clock)));
}

async function unblockPage(page: Page, clock: Clock): Promise<void> {
  const cdp = await within(clock, () => page.context().newCDPSession(page));
  if (cdp) {
    await within(clock, () => cdp.send('Page.stopLoading'));
    if (!(await answers(cdp, clock))) await within(clock, () => cdp.send('Runtime.terminateExecution'));
    const answered = await answers(cdp, clock);
    void cdp.detach().catch(() => {});
    if (answered) return;
  } else if ((await within(clock, () => page.evaluate(() => true))) === true) {
    return;
  }
  await within(clock, () => page.close());
}

async function answers(cdp: CDPSession, clock: Clock): Promise<boolean> {
  return (await within(clock, () => cdp.send('Runtime.evaluate', { expression: '1' }))) !== undefined;
}

/** What the work gives, or `undefined` when it fails or takes too long. */
async function within<T>(clock: Clock, work: () => Promise<T>): Promise<T | undefined> {
  const onTimeout = () => new PwpoolError('CALL_TIMEOUT', 'The page does not answer.');
  try {
    return await withDeadline({ clock, timeoutMs: ANSWER_MS, onTimeout }, 'recovery', work);
  } catch {
    return undefined;
  }
}
