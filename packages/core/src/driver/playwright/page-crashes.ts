import type { BrowserContext, Page } from 'playwright';
import { PwpoolError } from '../../errors.js';

/**
 * Pages whose renderer process has died. Upstream's tools go on with a blank page then, in silence, so whoever works
 * there is told. A crashed page is closed: it would never answer again.
 */
export class PageCrashes {
  #untold: PwpoolError | undefined;
  readonly #closing = new Set<Promise<void>>();

  watch(context: BrowserContext): void {
    const watch = (page: Page) => void page.once('crash', () => this.#crashed(page));
    for (const page of context.pages()) watch(page);
    context.on('page', watch);
  }

  /** What nobody has been told yet, as an error, once; the crashed pages are gone by then. */
  async take(): Promise<PwpoolError | undefined> {
    if (this.#closing.size > 0) await Promise.all(this.#closing);
    const untold = this.#untold;
    this.#untold = undefined;
    return untold;
  }

  #crashed(page: Page): void {
    const pageUrl = page.url();
    this.#untold = new PwpoolError(
      'EXECUTION_ERROR',
      `The page at ${pageUrl} crashed and its content is lost.`,
      { hint: 'Navigate again: the browser and its logins are kept.', details: { pageUrl } },
    );
    const closing = page
      .close()
      .catch(() => {})
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
