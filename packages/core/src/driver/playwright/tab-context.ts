import type { BrowserContext, Page } from 'playwright';
import type { Clock } from '../../clock.js';
import { within } from '../../waiting/deadline.js';
import { closePage } from './page-recovery.js';

/** Milliseconds that the pages of a tab have to close. */
const CLOSE_MS = 5_000;

type Listener = (...args: never[]) => void;

/**
 * One tab of a context in which others have theirs, with the pages that it opens: the tools of each see their own and
 * no others. What would hold for the whole context, routes and scripts of pages to come, holds for the tab's pages, or
 * was set by whoever made the context; cookies and storage are common to all. Disposing closes the pages and takes off
 * what was listened to.
 */
export class TabContext implements AsyncDisposable {
  /** The context as the tools of the tab have it. */
  readonly view: BrowserContext;
  readonly #context: BrowserContext;
  readonly #clock: Clock;
  readonly #pages = new Set<Page>();
  /** What is to be told of pages of the tab alone. */
  readonly #onPage: ((page: Page) => void)[] = [];
  readonly #listeners: { event: string; listener: Listener }[] = [];
  /** For pages that the tab has yet to open. */
  readonly #routes: Parameters<Page['route']>[] = [];
  readonly #socketRoutes: Parameters<Page['routeWebSocket']>[] = [];
  #closed = false;

  private constructor(context: BrowserContext, clock: Clock) {
    this.#context = context;
    this.#clock = clock;
    const own = this.#methods();
    this.view = new Proxy(context, {
      get: (target, key) => Reflect.get(Object.hasOwn(own, key) ? own : target, key),
    });
  }

  /** Opens the tab, on a blank page. */
  static async open(context: BrowserContext, clock: Clock): Promise<TabContext> {
    const tab = new TabContext(context, clock);
    await tab.#newPage();
    return tab;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const { event, listener } of this.#listeners)
      this.#context.off(event as 'close', listener as () => void);
    const pages = [...this.#pages];
    await within(this.#clock, CLOSE_MS, () =>
      Promise.allSettled(pages.map((page) => closePage(page, this.#clock))),
    );
  }

  #methods(): Record<PropertyKey, unknown> {
    const listen = (event: string, listener: Listener) => {
      if (event === 'page') this.#onPage.push(listener as (page: Page) => void);
      else {
        this.#listeners.push({ event, listener });
        this.#context.on(event as 'close', listener as () => void);
      }
      return this.view;
    };
    const once = (event: string, listener: Listener) => {
      this.#listeners.push({ event, listener });
      this.#context.once(event as 'close', listener as () => void);
      return this.view;
    };
    const forget = (event: string, listener: Listener) => {
      const at = this.#onPage.indexOf(listener as (page: Page) => void);
      if (event === 'page' && at >= 0) this.#onPage.splice(at, 1);
      else if (event !== 'page') {
        const known = this.#listeners.findIndex((each) => each.event === event && each.listener === listener);
        if (known >= 0) this.#listeners.splice(known, 1);
        this.#context.off(event as 'close', listener as () => void);
      }
      return this.view;
    };
    const ended = { dispose: async () => {}, [Symbol.asyncDispose]: async () => {} };
    return {
      pages: () => [...this.#pages],
      newPage: () => this.#newPage(),
      on: listen,
      addListener: listen,
      once,
      off: forget,
      removeListener: forget,
      listeners: (event: string) =>
        this.#listeners.filter((each) => each.event === event).map((each) => each.listener),
      route: async (...route: Parameters<Page['route']>) => {
        this.#routes.push(route);
        await this.#each((page) => page.route(...route));
        const dispose = () => this.#unroute(route[0], route[1]);
        return { dispose, [Symbol.asyncDispose]: dispose };
      },
      unroute: (url: Parameters<Page['unroute']>[0], handler?: Parameters<Page['unroute']>[1]) =>
        this.#unroute(url, handler),
      unrouteAll: async (...options: Parameters<Page['unrouteAll']>) => {
        this.#routes.splice(0);
        await this.#each((page) => page.unrouteAll(...options));
      },
      routeWebSocket: async (...route: Parameters<Page['routeWebSocket']>) => {
        this.#socketRoutes.push(route);
        await this.#each((page) => page.routeWebSocket(...route));
      },
      // Whoever made the context has added what is configured.
      addInitScript: async () => ended,
    };
  }

  async #newPage(): Promise<Page> {
    const page = await this.#context.newPage();
    await this.#own(page);
    return page;
  }

  async #own(page: Page): Promise<void> {
    if (this.#closed) return await page.close();
    this.#pages.add(page);
    page.once('close', () => this.#pages.delete(page));
    page.on('popup', (popup) => void this.#own(popup).catch(() => {}));
    for (const tell of [...this.#onPage]) tell(page);
    for (const route of this.#routes) await page.route(...route);
    for (const route of this.#socketRoutes) await page.routeWebSocket(...route);
  }

  async #unroute(
    url: Parameters<Page['unroute']>[0],
    handler?: Parameters<Page['unroute']>[1],
  ): Promise<void> {
    const left = this.#routes.filter(([known, its]) => known !== url || (handler && its !== handler));
    this.#routes.splice(0, this.#routes.length, ...left);
    await this.#each((page) => page.unroute(url, handler));
  }

  async #each(work: (page: Page) => Promise<unknown>): Promise<void> {
    await Promise.all([...this.#pages].map(work));
  }
}
