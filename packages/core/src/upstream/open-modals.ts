import type { BrowserContext, Page } from 'playwright';

/** Dialogs and file choosers that are open, by page: while one is, upstream does nothing else there. */
export class OpenModals implements Disposable {
  readonly #context: BrowserContext;
  /** How many dialogs are open: one may come before the news that the last is gone. */
  readonly #dialogs = new Map<Page, number>();
  readonly #choosers = new WeakSet<Page>();

  constructor(context: BrowserContext) {
    this.#context = context;
    for (const page of context.pages()) this.#watch(page);
    context.on('page', this.#watch);
  }

  dialogIn(page: Page): boolean {
    return (this.#dialogs.get(page) ?? 0) > 0;
  }

  /** True once for a chooser: whether it is still open only upstream knows. */
  takeChooser(page: Page): boolean {
    return this.#choosers.delete(page);
  }

  [Symbol.dispose](): void {
    this.#context.off('page', this.#watch);
  }

  readonly #watch = (page: Page): void => {
    const count = (change: number) =>
      void this.#dialogs.set(page, Math.max(0, (this.#dialogs.get(page) ?? 0) + change));
    page.on('dialog', () => count(1));
    page.on('dialogclosed', () => count(-1));
    page.on('filechooser', () => void this.#choosers.add(page));
    page.once('close', () => void this.#dialogs.delete(page));
  };
}
