import type { BrowserContext, Page } from 'playwright';
import { type ItemTask, type RunItemsOptions, runItems } from '../bulk/run-items.js';
import type { Clock } from '../clock.js';
import { cancelled, unlessAborted } from '../waiting/abort.js';
import type { Lease } from './lease.js';
import { LeaseWorker, NO_TIMEOUT_MS } from './lease-worker.js';
import type { Pool } from './pool.js';
import { checkTabs, SharedLeases, TabWorker } from './tab-worker.js';

/** What `BrowserPools.map` gives to work with, for one attempt at an item. */
export interface MapTask<T> {
  item: T;
  /** Position among the items, from 0. */
  index: number;
  /** From 1. */
  attempt: number;
  page: Page;
  context: BrowserContext;
  lease: Lease;
  /** Aborts when the run is ended: by the caller's signal, or because an item failed. */
  signal: AbortSignal;
}

/** How far `BrowserPools.map` is. */
export interface MapProgress {
  done: number;
  failed: number;
  running: number;
}

export interface MapOptions {
  /** Name of the pool; the default pool if left out. */
  pool?: string | undefined;
  /** How many items run at once. Default: as many as the pool has instances, times `tabs`. */
  concurrency?: number | undefined;
  /** How often an item that failed is tried again. Default 2. */
  retries?: number | undefined;
  /**
   * `item`: each starts in a clean browser, which is the default. `lease`: a browser is kept from item to item as long as
   * they succeed.
   */
  clean?: 'item' | 'lease' | undefined;
  /**
   * How many items at once have a tab each of the same browser, whose cookies and storage they share: needs `clean: 'lease'`. Default 1:
   * each item has all of its browser.
   */
  tabs?: number | undefined;
  /** Ends the run at once. */
  signal?: AbortSignal | undefined;
  /** Called when an item begins, and when it is over. */
  onProgress?: ((progress: MapProgress) => void) | undefined;
}

/** As `BrowserPools.map`. */
export async function mapItems<T, R>(
  pool: Pool,
  clock: Clock,
  items: Iterable<T> | AsyncIterable<T>,
  work: (task: MapTask<T>) => R | Promise<R>,
  options: MapOptions,
): Promise<R[]> {
  const { clean = 'item', retries = 2, tabs = 1 } = options;
  const { concurrency = pool.config.instances.length * tabs } = options;
  const keep = clean === 'lease';
  checkTabs(tabs, keep);
  const { signal, onProgress } = options;
  const results: R[] = [];
  const running = new Set<number>();
  let counts = { done: 0, failed: 0 };
  const tell = () => onProgress?.({ ...counts, running: running.size });
  const run: RunItemsOptions<T, R> = {
    clock,
    concurrency,
    retries,
    signal,
    onStart: ({ index }) => {
      running.add(index);
      tell();
    },
    onOutcome: (outcome, now) => {
      running.delete(outcome.index);
      counts = { ...now };
      tell();
      if (!outcome.ok) throw outcome.error;
      results[outcome.index] = outcome.value;
    },
  };
  const plan = {
    lease: ({ signal: endOn }: { signal: AbortSignal }) =>
      pool.lease({ endOn, timeoutMs: NO_TIMEOUT_MS, holder: 'map' }),
  };
  const workOn = async (lease: Lease, page: Page, { item, index, attempt, signal }: ItemTask<T>) =>
    await work({ item, index, attempt, page, context: lease.context(), lease, signal });
  await using shared = new SharedLeases<T>(plan, tabs);
  const openTab = async (lease: Lease) => {
    const page = await unlessAborted(lease.ended, lease.context().newPage());
    return { page, [Symbol.asyncDispose]: async () => await page.close().catch(() => {}) };
  };
  const newWorker = () =>
    tabs > 1
      ? new TabWorker(shared, openTab, ({ page }, task, lease) => workOn(lease, page, task))
      : new LeaseWorker(plan, keep, async (lease: Lease, task: ItemTask<T>) =>
          workOn(lease, await lease.page(), task),
        );
  const { endedBy } = await runItems(items, newWorker, run);
  if (endedBy === 'signal' && signal) throw cancelled(signal, 'The run');
  return results;
}
