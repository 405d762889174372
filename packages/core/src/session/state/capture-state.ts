import type { BrowserContext, Page } from 'playwright';
import * as z from 'zod';
import type { Clock } from '../../clock.js';
import { PwpoolError, reasonOf } from '../../errors.js';
import { cancelled } from '../../waiting/abort.js';
import { withDeadline } from '../../waiting/deadline.js';
import { type BrowserState, type OriginState, originStateSchema } from './browser-state.js';
import { PageReader, type PageReading } from './page-reader.js';

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
  /** The open pages, the one that the session works in first. Default: in the order in which they were opened. */
  pages?: readonly Page[] | undefined;
  /** Knows the pages from earlier captures. */
  reader?: PageReader | undefined;
}

/**
 * Reads what survives of a context. A page that hangs costs its own storage, not the capture; `incomplete` says so.
 *
 * Run a full capture between calls: for it Playwright visits each site that no page shows any more, in a hidden page
 * that emits no event; a tab that the site opens at the same instant is mistaken for that page, and never shows up
 * (seen with Playwright 1.65.1). A quick capture opens no page.
 * @throws PwpoolError `CALL_TIMEOUT` or `BROWSER_NOT_READY` when even the cookies cannot be read, `CANCELLED`
 */
export async function captureState(context: BrowserContext, options: CaptureOptions): Promise<BrowserState> {
  const { clock, timeoutMs, previous } = options;
  const start = clock.now();
  const [cookies, readings] = await Promise.all([readCookies(context, options), readPages(context, options)]);
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

/**
 * The cookies alone: the browser process tells them, and no page takes part. Throws as `captureState`.
 */
export async function readCookies(
  context: BrowserContext,
  options: CaptureOptions,
): Promise<BrowserState['cookies']> {
  try {
    const cookies = await within(options, options.timeoutMs, 'The browser', () => context.cookies());
    return cookies.map((cookie) => ({ ...cookie }));
  } catch (error) {
    if (error instanceof PwpoolError) throw error;
    throw new PwpoolError('BROWSER_NOT_READY', `The cookies could not be read: ${reasonOf(error)}`);
  }
}

async function readPages(context: BrowserContext, options: CaptureOptions): Promise<PageReading[]> {
  const { reader = new PageReader(), pages = context.pages(), quick = false } = options;
  // Half the time, which leaves the other half for the rest.
  const timeoutMs = options.timeoutMs / 2;
  const question = {
    quick,
    within: <T>(work: () => Promise<T>) => within(options, timeoutMs, 'The page', work),
  };
  const readings = await Promise.all(pages.map((page) => reader.read(page, question)));
  throwIfCancelled(options);
  return readings;
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
