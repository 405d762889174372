import { EventEmitter } from 'node:events';
import type { BrowserContext, Page } from 'playwright';

/**
 * The default context of a browser that others use as well, say a person, or another server: an instance works in it with
 * their logins, and without their tabs.
 *
 * Playwright takes every page that is not of a context of its own for one of the default context, and so a reset, a
 * health probe or a tool would reach pages of others. `context` is that context with the pages which were opened
 * through it, and their pop-ups, as if there were no others. What applies to all of a context, such as a route, still
 * does.
 */
export class AttachedProfile {
  readonly context: BrowserContext;
  readonly #whole: BrowserContext;
  readonly #pages = new Set<Page>();
  readonly #events = new EventEmitter();

  constructor(whole: BrowserContext) {
    this.#whole = whole;
    this.#events.setMaxListeners(0);
    leaveDialogs(whole);
    const own: Partial<Record<PropertyKey, unknown>> = {
      pages: () => [...this.#pages],
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

  /** Closes the instance's pages, and no other. A browser that would end with them keeps an empty one. */
  async closePages(): Promise<void> {
    const pages = [...this.#pages];
    if (pages.length > 0 && pages.length === this.#whole.pages().length) await this.#whole.newPage();
    await Promise.all(pages.map((page) => page.close()));
  }

  async #newPage(): Promise<Page> {
    const page = await this.#whole.newPage();
    this.#add(page);
    return page;
  }

  #add(page: Page): void {
    this.#pages.add(page);
    page.once('close', () => this.#pages.delete(page));
    page.on('popup', (popup) => this.#add(popup));
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

/** Without a listener Playwright answers every dialog at once, also in the pages of others. */
export function leaveDialogs(context: BrowserContext): void {
  context.on('dialog', () => {});
}
