import type { Page } from 'playwright';
import type { ToolArguments } from '../../connection/tool-connection.js';

/**
 * Which page upstream's tools work in. Upstream keeps that to itself; these are its rules: the first page, until
 * `browser_tabs` makes or selects another one; when it closes, the page that takes its place in the list. A pop-up never
 * becomes it by itself.
 */
export class CurrentTab {
  /** In the order in which upstream counts them. */
  readonly #pages: Page[] = [];
  #page: Page | undefined;
  /** The next page is the one that `browser_tabs` makes. */
  #making = false;

  get page(): Page | undefined {
    return this.#page;
  }

  opened(page: Page): void {
    this.#pages.push(page);
    if (this.#page && !this.#making) return;
    this.#page = page;
    this.#making = false;
  }

  closed(page: Page): void {
    const index = this.#pages.indexOf(page);
    this.#pages.splice(index, 1);
    if (this.#page === page) this.#page = this.#pages[Math.min(index, this.#pages.length - 1)];
  }

  /** A call of `browser_tabs` begins. @returns what is to be called at its end */
  follow({ action, index }: ToolArguments): () => void {
    this.#making = action === 'new';
    const selected = action === 'select' && typeof index === 'number' ? this.#pages[index] : undefined;
    return () => {
      this.#making = false;
      if (selected && this.#pages.includes(selected)) this.#page = selected;
    };
  }
}
