import type { BrowserContext, Frame, JSHandle, Page } from 'playwright';
import type { Clock } from '../../clock.js';
import { within } from '../../waiting/deadline.js';
import { CurrentTab } from './current-tab.js';
import type { DocumentMark } from './document-mark.js';

/** Milliseconds that a page has to say whether it still shows the same document. One that takes longer has changed. */
const ANSWER_MS = 2_000;

/** Pages that navigate while they are asked are asked again, up to this often. */
const ROUNDS = 3;

interface WatchedPage {
  /** How many documents each frame has shown since the watch began. Detached frames are gone from it. */
  readonly loads: Map<Frame, number>;
  /**
   * The main frame's document, unless it could not be had. Within an object: of a handle to a node itself Playwright
   * makes a preview, and brings all of its script for selectors into the page for that.
   */
  document: JSHandle<{ document: Document }> | undefined;
  /** The document was asked for, in vain or not. */
  asked: boolean;
  /** How often the main frame navigated, also within its document. */
  navigations: number;
  /** It did since the page was last asked. */
  moved: boolean;
  settling: Promise<void> | undefined;
  stop(): void;
}

/**
 * Knows which documents a browser context shows, and tells a new one from a navigation within a document.
 *
 * Playwright reports a navigation before anything that the new document answers, so a mark that has not changed
 * over a call means that no document was replaced in it. Watching costs nothing until a page navigates.
 */
export class DocumentWatch implements Disposable {
  readonly currentTab = new CurrentTab();
  /** Pages that have crashed, closed or not. */
  readonly crashed = new WeakSet<Page>();
  readonly #clock: Clock;
  readonly #pages = new Map<Page, WatchedPage>();
  readonly #contexts = new Set<BrowserContext>();
  readonly #onPage = (page: Page) => this.#watchPage(page);

  constructor(context: BrowserContext, clock: Clock) {
    this.#clock = clock;
    this.watch(context);
  }

  /** Adds the pages of a further context, such as one that upstream makes for an isolated tab. */
  watch(context: BrowserContext): void {
    if (this.#contexts.has(context)) return;
    this.#contexts.add(context);
    for (const page of context.pages()) this.#watchPage(page);
    context.on('page', this.#onPage);
  }

  get pages(): Page[] {
    return [...this.#pages.keys()];
  }

  /** The documents of a page now, as far as they are known: call `settle` before. Empty for a page that is closed. */
  mark(page: Page): DocumentMark {
    return new Map(this.#pages.get(page)?.loads);
  }

  marks(): ReadonlyMap<Page, DocumentMark> {
    return new Map([...this.#pages.keys()].map((page) => [page, this.mark(page)]));
  }

  /** Whether a page has navigated, and it is not known yet whether to another document. */
  isUnsettled(page: Page): boolean {
    const watched = this.#pages.get(page);
    return watched !== undefined && (watched.moved || watched.settling !== undefined);
  }

  /** Asks pages that navigated whether their document is another. Pages that go on navigating stay unsettled. */
  async settle(pages: Iterable<Page> = this.#pages.keys()): Promise<void> {
    await Promise.all(
      [...pages].map(async (page) => {
        const watched = this.#pages.get(page);
        if (!watched) return;
        if (watched.moved) {
          watched.settling ??= this.#settle(page, watched).finally(() => {
            watched.settling = undefined;
          });
        }
        await watched.settling;
        if (!watched.asked) void this.#keepDocument(page, watched);
      }),
    );
  }

  async #settle(page: Page, watched: WatchedPage): Promise<void> {
    for (let round = 0; round < ROUNDS && watched.moved; round++) {
      watched.moved = false;
      const { document: held } = watched;
      if (held && (await this.#ask(async () => await held.evaluate((it) => it.document === document))))
        continue;
      count(watched.loads, page.mainFrame());
      drop(watched);
    }
  }

  /** Gets hold of the document that is shown now. Nobody waits for it. */
  async #keepDocument(page: Page, watched: WatchedPage): Promise<void> {
    const { navigations } = watched;
    watched.asked = true;
    const held = await this.#ask(async () => await page.evaluateHandle(() => ({ document })));
    if (navigations === watched.navigations && this.#pages.has(page)) {
      watched.document = held;
    } else {
      // Whether it is the document of before is unknown.
      watched.asked = false;
      void held?.dispose().catch(() => {});
    }
  }

  /** `undefined` when it fails or the page does not answer. */
  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    return await within(this.#clock, ANSWER_MS, question);
  }

  /** Whether the page's last snapshot holds all these references: only a document that one was taken of has any. */
  async resolves(page: Page, references: readonly string[]): Promise<boolean> {
    const found = await Promise.all(
      references.map((bare) => this.#ask(async () => await page.locator(`aria-ref=${bare}`).count())),
    );
    return found.every((matches) => matches === 1);
  }

  [Symbol.dispose](): void {
    for (const context of this.#contexts) context.off('page', this.#onPage);
    this.#contexts.clear();
    for (const watched of this.#pages.values()) watched.stop();
    this.#pages.clear();
  }

  #watchPage(page: Page): void {
    const loads = new Map(page.frames().map((frame) => [frame, 0]));
    const onAttached = (frame: Frame) => void loads.set(frame, 0);
    const onDetached = (frame: Frame) => void loads.delete(frame);
    const onNavigated = (frame: Frame) => {
      // In a child frame a navigation within the document counts too: refusing a reference is the safe side.
      if (frame !== page.mainFrame()) return count(loads, frame);
      watched.navigations++;
      watched.moved = true;
    };
    const onClosed = () => {
      this.#pages.delete(page);
      this.currentTab.closed(page);
      watched.stop();
    };
    const onCrash = () => void this.crashed.add(page);
    const watched: WatchedPage = {
      loads,
      document: undefined,
      asked: false,
      navigations: 0,
      moved: false,
      settling: undefined,
      stop() {
        page.off('frameattached', onAttached);
        page.off('framedetached', onDetached);
        page.off('framenavigated', onNavigated);
        page.off('close', onClosed);
        page.off('crash', onCrash);
        drop(watched);
      },
    };
    page.on('frameattached', onAttached);
    page.on('framedetached', onDetached);
    page.on('framenavigated', onNavigated);
    page.on('close', onClosed);
    page.on('crash', onCrash);
    this.#pages.set(page, watched);
    this.currentTab.opened(page);
  }
}

function count(loads: Map<Frame, number>, frame: Frame): void {
  loads.set(frame, (loads.get(frame) ?? 0) + 1);
}

function drop(watched: WatchedPage): void {
  void watched.document?.dispose().catch(() => {});
  watched.document = undefined;
  watched.asked = false;
}
