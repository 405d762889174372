import type { BrowserContext, Dialog, Page } from 'playwright';

/** Dialogs and file choosers that are open, by page: while one is, its scripts rest and upstream does nothing else there. */
export class OpenModals implements Disposable {
  readonly #context: BrowserContext;
  /** A set: the next dialog may come before the news that the last is gone. */
  readonly #dialogs = new WeakMap<Page, Set<Dialog>>();
  readonly #choosers = new WeakSet<Page>();

  constructor(context: BrowserContext) {
    this.#context = context;
    for (const page of context.pages()) this.#watchChoosers(page);
    context.on('page', this.#watchChoosers);
    context.on('dialog', this.#opened);
    context.on('dialogclosed', this.#closed);
  }

  dialogIn(page: Page): boolean {
    return (this.#dialogs.get(page)?.size ?? 0) > 0;
  }

  /** True once for a chooser: whether it is still open only upstream knows. */
  takeChooser(page: Page): boolean {
    return this.#choosers.delete(page);
  }

  [Symbol.dispose](): void {
    this.#context.off('page', this.#watchChoosers);
    this.#context.off('dialog', this.#opened);
    this.#context.off('dialogclosed', this.#closed);
  }

  readonly #opened = (dialog: Dialog): void => {
    const page = dialog.page();
    if (page) this.#dialogs.set(page, (this.#dialogs.get(page) ?? new Set()).add(dialog));
  };

  readonly #closed = (dialog: Dialog): void => {
    const page = dialog.page();
    if (page) this.#dialogs.get(page)?.delete(dialog);
  };

  readonly #watchChoosers = (page: Page): void => {
    page.on('filechooser', () => void this.#choosers.add(page));
  };
}
