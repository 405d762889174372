import type { Page } from 'playwright';
import type { ToolArguments } from '../../connection/tool-connection.js';

/**
 * Which page upstream's tools work in. Upstream keeps that to itself; these are its rules: the first page, until
 * `browser_tabs` makes or selects another one; when it closes, the page that takes its place in the list. A pop-up never
 * becomes it by itself.
 *
 * Where these rules leave a doubt (a tab that closes while it is selected, a page that crashes), none is known until
 * `browser_tabs` chooses one.
 */
export class CurrentTab {
  /** In the order in which upstream counts them. */
  readonly #pages: Page[] = [];
  #page: Page | undefined;
  /** There is one, and nobody knows which. */
  #inDoubt = false;
  /** Pages that were opened since `browser_tabs` began to make one; `undefined` while it does not. */
  #made: number | undefined;
  #turns = 0;

  get page(): Page | undefined {
    return this.#page;
  }

  /** Grows whenever another page may have become the current one. */
  get turns(): number {
    return this.#turns;
  }

  /** The page's number in `browser_tabs`. */
  indexOf(page: Page): number {
    return this.#pages.indexOf(page);
  }

  opened(page: Page): void {
    this.#pages.push(page);
    const isFirst = !this.#page && !this.#inDoubt;
    if (this.#made !== undefined) this.#made++;
    if (isFirst || this.#made === 1) this.found(page);
  }

  closed(page: Page): void {
    const index = this.#pages.indexOf(page);
    this.#pages.splice(index, 1);
    if (this.#pages.length === 0) this.#turnTo(undefined);
    else if (this.#page === page) this.#turnTo(this.#pages[Math.min(index, this.#pages.length - 1)]);
  }

  /** The current page crashed in a call: upstream left it for a new one, unless it was closed before. */
  crashed(): void {
    const [only, ...others] = this.#pages;
    if (others.length > 0) this.#doubt();
    else this.#turnTo(only);
  }

  /** Something has shown that this is the one. */
  found(page: Page): void {
    this.#inDoubt = false;
    this.#turnTo(page);
  }

  /** A call of `browser_tabs` begins. @returns what is to be called at its end */
  follow({ action, index }: ToolArguments): (failed: boolean) => void {
    this.#turns++;
    if (action === 'new') this.#made = 0;
    const selected = action === 'select' && typeof index === 'number' ? this.#pages[index] : undefined;
    return (failed) => {
      this.#turns++;
      // With several, a pop-up may have come before the page that was made.
      if (this.#made !== undefined && this.#made > 1) this.#doubt();
      this.#made = undefined;
      if (!selected) return;
      if (!failed && this.#pages.includes(selected)) this.found(selected);
      else if (this.#pages.length > 1) this.#doubt();
    };
  }

  #doubt(): void {
    this.#turnTo(undefined);
    this.#inDoubt = true;
  }

  #turnTo(page: Page | undefined): void {
    if (page === undefined) this.#inDoubt = false;
    if (page !== this.#page) this.#turns++;
    this.#page = page;
  }
}
