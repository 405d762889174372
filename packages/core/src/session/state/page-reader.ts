import type { Page } from 'playwright';
import * as z from 'zod';
import { PwpoolError } from '../../errors.js';
import { type OriginState, type PageState, shownUrl } from './browser-state.js';

/** What one page told. */
export interface PageReading {
  page: PageState;
  /** The storage that it shares with the other pages of its origin; `undefined` when it has none, or did not tell. */
  shared: OriginState | undefined;
  /** Why its storage is missing. */
  problem?: string;
  /** True for a page that is held up, by a script of its own, a dialog or a navigation. */
  silent?: boolean;
}

interface Told {
  origin: string;
  sessionStorage: PageState['sessionStorage'];
  localStorage: OriginState['localStorage'];
}

interface Known {
  /** Present while the page has been asked and has not answered. */
  asked?: Promise<Told> | undefined;
  told?: Told | undefined;
}

export interface PageQuestion {
  /** Do not wait for a page that still owes the answer to an earlier question. */
  quick: boolean;
  /** Puts a limit to the wait for the page; throws a PwpoolError when it is reached. */
  within: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Asks pages for their storage, and remembers what they told last.
 *
 * A page is asked one question at a time: one with an open dialog, or whose script never ends, is not asked again before
 * it has answered.
 */
export class PageReader {
  readonly #pages = new WeakMap<Page, Known>();

  /** Throws nothing: what could not be read is a `problem`. */
  async read(page: Page, { quick, within }: PageQuestion): Promise<PageReading> {
    const url = page.url();
    // about:blank, data: and the browser's own error pages have no storage to lose.
    if (!/^https?:/.test(url)) return { page: { url, sessionStorage: [] }, shared: undefined };
    const known = this.#known(page);
    const missing = (reason: string) => ({
      page: this.stateOf(page, page.url()),
      shared: undefined,
      problem: `The storage of the page ${shownUrl(url)}: ${reason}`,
    });
    if (quick && known.asked !== undefined) return { ...missing('The page is held up.'), silent: true };
    try {
      const told = await within(() => this.#ask(page, known));
      const here = page.url();
      // What a page says of itself is not believed: it could plant its storage in another site, or it has moved on.
      if (told.origin !== new URL(here).origin) return missing('the page went elsewhere.');
      known.told = told;
      const { origin, localStorage } = told;
      return { page: this.stateOf(page, here), shared: { origin, localStorage } };
    } catch (error) {
      if (error instanceof PwpoolError) return { ...missing(error.message), silent: true };
      return missing('the page did not give it.');
    }
  }

  /** A page at this URL, with the sessionStorage that it told last. Asks nothing; a page that is closed will do. */
  stateOf(page: Page, url: string): PageState {
    const told = this.#pages.get(page)?.told;
    const isItsOwn = told !== undefined && URL.canParse(url) && new URL(url).origin === told.origin;
    return { url, sessionStorage: isItsOwn ? told.sessionStorage : [] };
  }

  #known(page: Page): Known {
    let known = this.#pages.get(page);
    if (!known) {
      known = {};
      this.#pages.set(page, known);
    }
    return known;
  }

  #ask(page: Page, known: Known): Promise<Told> {
    known.asked ??= ask(page).finally(() => {
      known.asked = undefined;
    });
    return known.asked;
  }
}

async function ask(page: Page): Promise<Told> {
  const { origin, sessionStorage, localStorage } = await page.evaluate(readStorage);
  return { origin, sessionStorage: itemsOf(sessionStorage), localStorage: itemsOf(localStorage) };
}

/**
 * Runs in the page, in one go, so that origin and storage belong together. Answers with text, which is ten times
 * faster than objects. Strings are put into JSON one by one: some sites patch how their arrays are.
 */
function readStorage() {
  const read = { origin: location.origin, sessionStorage: '', localStorage: '' };
  for (const kind of ['sessionStorage', 'localStorage'] as const) {
    const storage = window[kind];
    const texts: string[] = [];
    for (let index = 0; index < storage.length; index++) {
      const name = storage.key(index) ?? '';
      texts.push(JSON.stringify(name), JSON.stringify(storage.getItem(name) ?? ''));
    }
    read[kind] = `[${texts.join()}]`;
  }
  return read;
}

function itemsOf(text: string): PageState['sessionStorage'] {
  const texts = z.array(z.string()).parse(JSON.parse(text));
  const items: PageState['sessionStorage'] = [];
  for (let index = 0; index + 1 < texts.length; index += 2) {
    items.push({ name: texts[index] ?? '', value: texts[index + 1] ?? '' });
  }
  return items;
}
