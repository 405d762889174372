import type { BrowserContext, Page } from 'playwright';
import { PwpoolError } from '../../errors.js';

/**
 * Pages whose renderer process has died. Upstream's tools go on with a blank page then, in silence, so whoever works
 * there is told: of the current page by an error, of another tab by a line. A crashed page is closed: it would never
 * answer again.
 */
export class PageCrashes {
  readonly #isCurrent: (page: Page) => boolean;
  #untold: PwpoolError | undefined;
  #lines: string[] = [];
  readonly #closing = new Set<Promise<void>>();

  constructor(isCurrent: (page: Page) => boolean) {
    this.#isCurrent = isCurrent;
  }

  watch(context: BrowserContext): void {
    const watch = (page: Page) => void page.once('crash', () => this.#crashed(page));
    for (const page of context.pages()) watch(page);
    context.on('page', watch);
  }

  /** What nobody has been told yet of the current page, as an error, once; the crashed pages are gone by then. */
  async take(): Promise<PwpoolError | undefined> {
    if (this.#closing.size > 0) await Promise.all(this.#closing);
    const untold = this.#untold;
    this.#untold = undefined;
    return untold;
  }

  /** What nobody has been told yet of other tabs, a line each, once. */
  takeLines(): string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  #crashed(page: Page): void {
    const pageUrl = page.url();
    if (this.#isCurrent(page)) {
      this.#untold = new PwpoolError(
        'EXECUTION_ERROR',
        `The page at ${pageUrl} crashed and its content is lost.`,
        { hint: 'Navigate again: the browser and its logins are kept.', details: { pageUrl } },
      );
    } else {
      this.#lines.push(`The page at ${pageUrl}, in another tab, crashed and was closed.`);
    }
    const closing = page
      .close()
      .catch(() => {})
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
