import type { BrowserContext, Page, Request, Route } from 'playwright';
import type { Clock } from '../clock.js';

/**
 * As many loads of one address in this time (milliseconds) are a loop; a page that shows the time or a score is slower.
 */
const LOOP_LOADS = 5;
const LOOP_MS = 3_000;

const EVERY_ADDRESS = '**/*';

/**
 * Breaks the loop of a page that reloads itself faster than it can be read, by keeping the document that it shows.
 * A page that does not do so is only looked at. Lasts as long as one call.
 */
export class ReloadLoops implements AsyncDisposable {
  readonly #context: BrowserContext;
  readonly #clock: Clock;
  /** When a page began to load its latest address, in this call. */
  readonly #loads = new Map<Page, { address: string; times: number[] }>();
  readonly #left: string | undefined;
  /** The pages whose loop was found, and the address that each is kept from loading again. */
  readonly #held = new Map<Page, string>();
  /** Resolves when a loop is, other than that of the page that is left. */
  readonly broken: Promise<void>;
  #break = () => {};

  /** @param left the URL of the page that a navigation leaves: what it does meanwhile tells nothing of where that goes */
  constructor(context: BrowserContext, clock: Clock, left: string | undefined) {
    this.#left = left === undefined ? undefined : addressOf(left);
    this.#context = context;
    this.#clock = clock;
    this.broken = new Promise((resolve) => {
      this.#break = resolve;
    });
    for (const page of context.pages()) this.#watch(page);
    context.on('page', this.#watch);
  }

  /** Whether there was any. */
  get found(): boolean {
    return this.#held.size > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#context.off('page', this.#watch);
    for (const page of this.#context.pages()) page.off('request', this.#note);
    // One that is closed by now has no routes any more.
    await Promise.allSettled([...this.#held.keys()].map((page) => page.unroute(EVERY_ADDRESS, this.#hold)));
  }

  /** Upstream listens to each page as well, so that the browser is told nothing of it with each call: it is of the context. */
  readonly #watch = (page: Page): void => void page.on('request', this.#note);

  readonly #note = (request: Request): void => {
    const page = pageToLoad(request);
    if (!page || request.redirectedFrom()) return;
    const address = addressOf(request.url());
    const last = this.#loads.get(page);
    const now = this.#clock.now();
    const times = last?.address === address ? last.times.filter((time) => now - time < LOOP_MS) : [];
    times.push(now);
    this.#loads.set(page, { address, times });
    if (times.length < LOOP_LOADS) return;
    if (!this.#held.has(page)) page.route(EVERY_ADDRESS, this.#hold).catch(() => {});
    this.#held.set(page, address);
  };

  /** The browser keeps the document of a navigation that is aborted. What goes elsewhere passes. */
  readonly #hold = async (route: Route): Promise<void> => {
    const request = route.request();
    const page = pageToLoad(request);
    const address = addressOf(request.url());
    const isLoop = page && this.#held.get(page) === address;
    // The page may be gone.
    await (isLoop ? route.abort('aborted') : route.fallback()).catch(() => {});
    if (isLoop && address !== this.#left) this.#break();
  };
}

/** The page whose document is asked for; `undefined` for anything else, and for a page that is not open yet. */
function pageToLoad(request: Request): Page | undefined {
  if (!request.isNavigationRequest()) return undefined;
  try {
    const frame = request.frame();
    return frame.parentFrame() ? undefined : frame.page();
  } catch {
    return undefined;
  }
}

/** Without what a page changes to get past a cache. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
