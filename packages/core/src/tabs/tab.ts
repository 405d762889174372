import type { Page } from 'playwright';
import type { Clock } from '../clock.js';
import { within } from '../waiting/deadline.js';

/** Milliseconds that the closing of a tab may take before its place is given to the next all the same. */
const CLOSE_MS = 5_000;

/**
 * A tab lent to one operation: `await using tab = await tabs.borrow()` gives it back at the end of the block, also after
 * an error.
 */
export class Tab implements AsyncDisposable {
  readonly page: Page;
  readonly #clock: Clock;
  readonly #onReturn: () => void;
  /** The page, and what it opened by itself. */
  readonly #pages = new Set<Page>();
  #returned: Promise<void> | undefined;

  /** Made by a `TabPool` only. */
  constructor(page: Page, clock: Clock, onReturn: () => void) {
    this.page = page;
    this.#clock = clock;
    this.#onReturn = onReturn;
    this.#own(page);
  }

  /** Closes the page and frees its place. Idempotent; never rejects, and ends within 5 s whatever the page does. */
  giveBack(): Promise<void> {
    this.#returned ??= this.#giveBack();
    return this.#returned;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.giveBack();
  }

  async #giveBack(): Promise<void> {
    await closePages(this.#pages, this.#clock);
    this.#onReturn();
  }

  #own(page: Page): void {
    this.#pages.add(page);
    page.once('close', () => this.#pages.delete(page));
    page.on('popup', (popup) => {
      this.#own(popup);
      if (this.#returned !== undefined) void closePages([popup], this.#clock);
    });
  }
}

/** Closes the pages, in 5 s at most. A page that cannot be closed is left behind: it is never lent again. */
export async function closePages(pages: Iterable<Page>, clock: Clock): Promise<void> {
  await within(clock, CLOSE_MS, () => Promise.allSettled([...pages].map((page) => page.close())));
}
