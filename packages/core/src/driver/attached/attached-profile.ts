import { EventEmitter } from 'node:events';
import type { BrowserContext, Page } from 'playwright';
import type { Clock } from '../../clock.js';
import { within } from '../../waiting/deadline.js';
import type { TheirTab } from '../playwright/browser-seat.js';
import { closePage } from '../playwright/page-recovery.js';

/** Milliseconds that a tab has to tell whether it is shown. */
const LOOK_MS = 3_000;

/**
 * The default context of a browser that others use as well, say a person, or another server: an instance works in it with
 * their logins, and without their tabs.
 *
 * Playwright takes every page that is not of a context of its own for one of the default context, and so a reset, a
 * health probe or a tool would reach pages of others. `context` is that context with the pages which were opened
 * through it, and their pop-ups, as if there were no others, but for one tab of others that it may take. What applies to
 * all of a context, such as a route, still does.
 */
export class AttachedProfile {
  readonly context: BrowserContext;
  readonly #whole: BrowserContext;
  /** Opened for the instance, and closed with it. */
  readonly #pages = new Set<Page>();
  #taken: Page | undefined;
  /** Those that listeners for `page` know. */
  readonly #told = new WeakSet<Page>();
  readonly #events = new EventEmitter();

  constructor(whole: BrowserContext) {
    this.#whole = whole;
    this.#events.setMaxListeners(0);
    leaveDialogs(whole);
    const own: Partial<Record<PropertyKey, unknown>> = {
      pages: () => [...(this.#taken ? [this.#taken] : []), ...this.#pages],
      newPage: () => this.#newPage(),
      ...this.#pageEvents(),
    };
    this.context = new Proxy(whole, {
      get: (target, name) => {
        const value: unknown = own[name] ?? Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  /** The tab of those who use the browser as well. It stays theirs: only what it opens is the instance's. */
  theirTab(clock: Clock): TheirTab {
    return {
      has: (page) => page === this.#taken,
      take: async () => {
        const theirs = this.#whole.pages().filter((page) => !this.#pages.has(page));
        // Behind a tab of the instance's own none is shown.
        const tab = (await shownTab(theirs, clock)) ?? this.#taken ?? theirs.at(-1);
        await this.#taken?.unrouteAll({ behavior: 'ignoreErrors' });
        this.#take(tab);
        return tab !== undefined;
      },
    };
  }

  #take(tab: Page | undefined): void {
    this.#taken?.off('close', this.#letGo);
    this.#taken?.off('popup', this.#add);
    this.#taken = tab;
    if (!tab) return;
    tab.once('close', this.#letGo);
    tab.on('popup', this.#add);
    this.#tell(tab);
  }

  readonly #letGo = (): void => {
    this.#taken = undefined;
  };

  /** Closes the instance's pages, and no other. A browser that would end with them keeps an empty one. */
  async closePages(clock: Clock): Promise<void> {
    const pages = [...this.#pages];
    if (pages.length > 0 && pages.length === this.#whole.pages().length) await this.#whole.newPage();
    await Promise.all(pages.map((page) => closePage(page, clock)));
  }

  async #newPage(): Promise<Page> {
    const page = await this.#whole.newPage();
    this.#add(page);
    return page;
  }

  readonly #add = (page: Page): void => {
    this.#pages.add(page);
    page.once('close', () => this.#pages.delete(page));
    page.on('popup', this.#add);
    this.#tell(page);
  };

  #tell(page: Page): void {
    if (this.#told.has(page)) return;
    this.#told.add(page);
    this.#events.emit('page', page);
  }

  /** The methods of an emitter: for the event `page` those of our own, for all others the context's. */
  #pageEvents(): Record<string, unknown> {
    const names = ['on', 'once', 'addListener', 'prependListener', 'off', 'removeListener'] as const;
    // Its types know each event by name.
    const whole = this.#whole as unknown as EventEmitter;
    const method = (name: (typeof names)[number]) => (event: string, listener: () => void) => {
      (event === 'page' ? this.#events : whole)[name](event, listener);
      return this.context;
    };
    return Object.fromEntries(names.map((name) => [name, method(name)]));
  }
}

/**
 * The tab that is shown; of several windows' the latest. One that does not answer, behind a dialog for instance, does not
 * count.
 */
async function shownTab(tabs: readonly Page[], clock: Clock): Promise<Page | undefined> {
  const looks = tabs.map(async (tab) => {
    const look = () => tab.evaluate(() => document.visibilityState === 'visible');
    return await within(clock, LOOK_MS, look, false);
  });
  const shown = await Promise.all(looks);
  return tabs.findLast((_, index) => shown[index]);
}

/** Without a listener Playwright answers every dialog at once, also in the pages of others. */
export function leaveDialogs(context: BrowserContext): void {
  context.on('dialog', () => {});
}
