import type { BrowserContext, Page } from 'playwright';
import { z } from 'zod';
import { type Clock, cancelled, withDeadline } from '../../clock.js';
import { PwpoolError, reasonOf } from '../../errors.js';
import {
  type BrowserState,
  type OriginState,
  originStateSchema,
  type PageState,
  shownUrl,
} from './browser-state.js';

const WHAT = 'Reading the state of the browser';

export interface CaptureOptions {
  clock: Clock;
  /** Milliseconds for all of it. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Aborts when the browser is gone, which Playwright does not tell every wait. */
  lost?: AbortSignal | undefined;
  /**
   * Reads cookies and the storage of the open pages only: a few milliseconds, and no page is opened. IndexedDB, and
   * sites that no page shows any more, are taken from `previous`.
   */
  quick?: boolean;
  /** An earlier state of the same session: the source of what this capture does not read. */
  previous?: BrowserState | undefined;
  /** The page that the session works in. Default: the page that was opened first. */
  currentPage?: Page | undefined;
}

/** What one page told. */
interface PageReading {
  page: PageState;
  /** The storage that it shares with the other pages of its origin; `undefined` when it has none. */
  shared: OriginState | undefined;
  /** Why its storage is missing. */
  problem?: string;
  /** True for a page that is held up, by a script of its own, a dialog or a navigation. */
  silent?: boolean;
}

/**
 * Reads what survives of a context. A page that hangs costs its own storage, not the capture; `incomplete` says so.
 *
 * Run it between calls. For a full capture Playwright visits each site that no page shows any more, in a hidden page
 * that emits no event; a tab that the site opens at the same instant is mistaken for that page, and never shows up
 * (seen with Playwright 1.65.1). A quick capture opens no page.
 * @throws PwpoolError `CALL_TIMEOUT` or `BROWSER_NOT_READY` when even the cookies cannot be read, `CANCELLED`
 */
export async function captureState(context: BrowserContext, options: CaptureOptions): Promise<BrowserState> {
  const { clock, timeoutMs, previous } = options;
  const start = clock.now();
  const [cookies, readings] = await Promise.all([
    readCookies(context, options),
    Promise.all(pagesOf(context, options.currentPage).map((page) => readPage(page, options))),
  ]);
  const incomplete = readings.flatMap(({ problem }) => problem ?? []);
  let origins: OriginState[] | undefined;
  // A held-up page would keep Playwright waiting, and visiting sites whenever it ends, be it within a later call.
  if (!options.quick && !readings.some(({ silent }) => silent)) {
    const left = { ...options, timeoutMs: Math.max(start + timeoutMs - clock.now(), 0) };
    origins = await readSites(context, left, incomplete);
  }
  if (!origins) {
    origins = mergeSites(readings, previous);
    incomplete.push(ageOfSites(previous));
  }
  return {
    version: 1,
    capturedAt: new Date(start).toISOString(),
    cookies,
    origins,
    pages: readings.map(({ page }) => page),
    incomplete,
  };
}

function pagesOf(context: BrowserContext, current: Page | undefined): Page[] {
  const pages = context.pages();
  if (!current || !pages.includes(current)) return pages;
  return [current, ...pages.filter((page) => page !== current)];
}

async function readCookies(context: BrowserContext, options: CaptureOptions) {
  try {
    const cookies = await within(options, options.timeoutMs, 'The browser', () => context.cookies());
    return cookies.map((cookie) => ({ ...cookie }));
  } catch (error) {
    if (error instanceof PwpoolError) throw error;
    throw new PwpoolError('BROWSER_NOT_READY', `The browser does not give its cookies: ${reasonOf(error)}`);
  }
}

async function readPage(page: Page, options: CaptureOptions): Promise<PageReading> {
  const url = page.url();
  const nothing: PageReading = { page: { url, sessionStorage: [] }, shared: undefined };
  // about:blank, data: and the browser's own error pages have no storage to lose.
  if (!/^https?:/.test(url)) return nothing;
  const lost = `The storage of the page ${shownUrl(url)}`;
  try {
    // Half the time, which leaves the other half for the rest.
    const read = await within(options, options.timeoutMs / 2, 'The page', () => page.evaluate(readStorage));
    const here = page.url();
    // What a page says of itself is not believed: it could plant its storage in another site, or it has moved on.
    if (read.origin !== new URL(here).origin)
      return { ...nothing, problem: `${lost}: the page went elsewhere.` };
    return {
      page: { url: here, sessionStorage: itemsOf(read.sessionStorage) },
      shared: { origin: read.origin, localStorage: itemsOf(read.localStorage) },
    };
  } catch (error) {
    throwIfCancelled(options);
    if (error instanceof PwpoolError)
      return { ...nothing, problem: `${lost}: ${error.message}`, silent: true };
    return { ...nothing, problem: `${lost}: the page did not give it.` };
  }
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

/** Every site that the context has been to; `undefined` when it cannot be told. */
async function readSites(
  context: BrowserContext,
  options: CaptureOptions,
  incomplete: string[],
): Promise<OriginState[] | undefined> {
  const read = async (indexedDB: boolean) => {
    const state = await within(options, options.timeoutMs / 2, 'The browser', () =>
      context.storageState({ indexedDB }),
    );
    return z.array(originStateSchema).parse(state.origins);
  };
  try {
    return await read(true);
  } catch {
    throwIfCancelled(options);
  }
  try {
    // One database that cannot be read, or one that a page keeps locked, fails all of it.
    const origins = await read(false);
    incomplete.push('IndexedDB: the browser did not give it.');
    return origins;
  } catch {
    throwIfCancelled(options);
    return undefined;
  }
}

/** The storage that open pages told, and for the rest what was known before. */
function mergeSites(readings: readonly PageReading[], previous: BrowserState | undefined): OriginState[] {
  const sites = new Map(previous?.origins.map((site) => [site.origin, site]));
  for (const { shared } of readings) {
    if (!shared) continue;
    const indexedDB = sites.get(shared.origin)?.indexedDB;
    if (shared.localStorage.length === 0 && !indexedDB) sites.delete(shared.origin);
    else sites.set(shared.origin, indexedDB ? { ...shared, indexedDB } : shared);
  }
  return [...sites.values()];
}

/** What `mergeSites` takes from the previous state is as old as that one says, if it did not read it itself. */
function ageOfSites(previous: BrowserState | undefined): string {
  const said = previous?.incomplete.find((sentence) => sentence.startsWith('IndexedDB'));
  if (said !== undefined) return said;
  return `IndexedDB, and the storage of sites without an open page: ${previous ? `as of ${previous.capturedAt}` : 'not read'}.`;
}

async function within<T>(
  { clock, signal, lost }: CaptureOptions,
  timeoutMs: number,
  who: string,
  work: () => Promise<T>,
): Promise<T> {
  const onTimeout = () =>
    new PwpoolError('CALL_TIMEOUT', `${who} did not answer within ${Math.round(timeoutMs)} ms.`);
  return await withDeadline({ clock, timeoutMs, signals: [signal, lost], onTimeout }, WHAT, work);
}

function throwIfCancelled({ signal, lost }: CaptureOptions): void {
  for (const each of [signal, lost]) if (each?.aborted) throw cancelled(each, WHAT);
}
