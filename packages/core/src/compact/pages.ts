import type { BrowserContext, Dialog, Page } from 'playwright';

/** Pages that a session holds at most [002-security-04]. */
export const MAX_PAGES = 3;

/**
 * The pages of a context, and the one that the compact tools work in: the first, until a page opens in the course of a
 * call; when that closes, the one before. Dialogs are answered at once, since no compact tool does.
 */
export class Pages implements Disposable {
  readonly #context: BrowserContext;
  /** In the order in which they were opened. */
  readonly #open: Page[] = [];
  #current: Page | undefined;
  #calls = 0;
  #notices: string[] = [];
  readonly #unwatch: (() => void)[] = [];

  /** @param onPage is told of each page, those that are there included, before anything happens in it */
  constructor(context: BrowserContext, onPage: (page: Page) => () => void) {
    this.#context = context;
    const add = (page: Page) => this.#add(page, onPage);
    for (const page of context.pages()) add(page);
    context.on('page', add);
    this.#unwatch.push(() => void context.off('page', add));
  }

  get current(): Page | undefined {
    return this.#current;
  }

  /** The page to work in, opened if there is none. */
  async page(): Promise<Page> {
    return this.#current ?? (await this.#context.newPage());
  }

  async close(): Promise<void> {
    await Promise.all(this.#context.pages().map((page) => page.close()));
  }

  /** A call begins; what it gives is disposed of at its end. */
  begin(): Disposable {
    this.#calls += 1;
    return {
      [Symbol.dispose]: () => {
        this.#calls -= 1;
      },
    };
  }

  /** What happened to pages that nobody was told yet, in sentences. */
  takeNotices(): string[] {
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  [Symbol.dispose](): void {
    for (const stop of this.#unwatch) stop();
  }

  #add(page: Page, onPage: (page: Page) => () => void): void {
    if (this.#open.length >= MAX_PAGES) {
      this.#notices.push(
        `The page opened another one, which was closed: a session has at most ${MAX_PAGES}. browser_close closes them all.`,
      );
      void page.close().catch(() => {});
      return;
    }
    this.#open.push(page);
    if (!this.#current || this.#calls > 0) this.#current = page;
    const onDialog = (dialog: Dialog) => this.#answer(dialog);
    const onClose = () => this.#remove(page);
    page.on('dialog', onDialog);
    page.on('close', onClose);
    const stop = onPage(page);
    this.#unwatch.push(() => {
      page.off('dialog', onDialog);
      page.off('close', onClose);
      stop();
    });
  }

  #remove(page: Page): void {
    this.#open.splice(this.#open.indexOf(page), 1);
    if (this.#current === page) this.#current = this.#open.at(-1);
  }

  /** As Playwright does when nobody listens. */
  #answer(dialog: Dialog): void {
    const type = dialog.type();
    const done = type === 'beforeunload' ? dialog.accept() : dialog.dismiss();
    // Its page may be gone.
    void done.catch(() => {});
    if (type === 'beforeunload') return;
    const way =
      type === 'alert'
        ? ''
        : ` To answer it otherwise, set window.${type} with browser_execute_js before, then try again.`;
    this.#notices.push(`The page showed ${type} "${dialog.message()}", which was dismissed.${way}`);
  }
}
