import { setMaxListeners } from 'node:events';
import type { BrowserContext, Page } from 'playwright';
import { type Clock, systemClock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import type { Lease } from '../pool/lease.js';
import { withDeadline, within } from '../waiting/deadline.js';
import { Semaphore } from '../waiting/semaphore.js';
import { closePages, Tab } from './tab.js';

/** How long an operation waits for its tab unless it says otherwise. */
const WAIT_MS = 60_000;
/** How long a browser may take to open a tab. */
const OPEN_MS = 10_000;

/** How long a tab may be waited for. */
export interface BorrowOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait at most. Default: 60 000. */
  timeoutMs?: number | undefined;
}

/** What the tabs need of site limits; `SiteLimits` has it. */
export interface VisitLimits {
  admit(url: string, options: BorrowOptions): Promise<Disposable>;
  enter(url: string, options: BorrowOptions): Promise<Disposable>;
}

/** How an operation gets its tab. */
export interface UseOptions extends BorrowOptions {
  /** The address that the work will open: it waits for its turn there. Means nothing without `sites`. */
  site?: string | undefined;
}

/** How many tabs there are, and whose limits hold for what they open [004-tab-02]. */
export interface TabPoolOptions {
  /** How many tabs are lent at a time. Default: `MAX_TABS` of the leased instance, which is 1 unless set. */
  maxTabs?: number | undefined;
  /** The limits that `use` keeps for its `site`. */
  sites?: VisitLimits | undefined;
  /** Default: the system's. */
  clock?: Clock | undefined;
}

/**
 * Lends the tabs of one leased browser to operations, each to one at a time, in order of arrival [004-tab-01, 004-tab-02, 004-tab-03].
 *
 * Every operation gets a new page in the lease's context, and the page is closed when it is given back: nothing of one
 * operation meets the next but the cookies and storage of the context. Pages that others open are left alone.
 *
 * Its owner disposes of it before the lease: `await using tabs = new TabPool(lease)` does.
 */
export class TabPool implements AsyncDisposable {
  readonly #lease: Pick<Lease, 'context' | 'ended'>;
  readonly #sites: VisitLimits | undefined;
  readonly #clock: Clock;
  readonly #places = new Semaphore(0);
  readonly #tabs = new Set<Tab>();
  /** Pages that are on their way to a borrower, or come too late for one. */
  readonly #openings = new Set<Promise<Page>>();
  readonly #ended = new AbortController();
  #closed: Promise<void> | undefined;

  /** @throws PwpoolError `INVALID_ARGUMENTS` (`maxTabs`), else as `Lease.context` */
  constructor(lease: Pick<Lease, 'context' | 'ended' | 'config'>, options: TabPoolOptions = {}) {
    const { maxTabs = lease.config.settings.maxTabs, sites, clock = systemClock } = options;
    // As many listeners as tabs that are being opened at once; Node warns from eleven on.
    setMaxListeners(0, this.#ended.signal);
    this.#lease = lease;
    this.#sites = sites;
    this.#clock = clock;
    lease.context();
    this.setMaxTabs(maxTabs);
    lease.ended.addEventListener('abort', this.#onLeaseEnded, { once: true });
  }

  get maxTabs(): number {
    return this.#places.limit;
  }

  /**
   * Changes how many tabs are lent at a time. Raised, those who wait are served at once; lowered, tabs that are lent stay
   * so until they are given back.
   * @throws PwpoolError `INVALID_ARGUMENTS` if it is no whole number, 1 or more
   */
  setMaxTabs(maxTabs: number): void {
    if (!(Number.isSafeInteger(maxTabs) && maxTabs >= 1)) {
      throw new PwpoolError('INVALID_ARGUMENTS', `A tab pool cannot have ${maxTabs} tabs.`, {
        hint: 'Give maxTabs as a whole number, 1 or more.',
      });
    }
    this.#places.limit = maxTabs;
  }

  /**
   * Lends a new tab, waiting for its turn if need be.
   * @throws PwpoolError `LEASE_TIMEOUT` with the counts, `CANCELLED`, `INVALID_ARGUMENTS` (`timeoutMs`),
   *   `BROWSER_NOT_READY` if the browser opens none; the lease's error once that is over, `LEASE_REVOKED` after disposal
   */
  async borrow({ signal, timeoutMs = WAIT_MS }: BorrowOptions = {}): Promise<Tab> {
    this.#context();
    const onTimeout = () => this.#noTab(timeoutMs);
    const inTime = { clock: this.#clock, timeoutMs, onTimeout };
    const place = await this.#places.acquire({ signal, what: 'The wait for a tab', deadline: inTime });
    const opening = this.#open();
    this.#openings.add(opening);
    try {
      const signals = [signal, this.#ended.signal];
      const deadline = { clock: this.#clock, timeoutMs: OPEN_MS, signals, onTimeout: () => notOpened() };
      const page = await withDeadline(deadline, 'The opening of a tab', () => opening);
      const tab: Tab = new Tab(page, this.#clock, () => {
        this.#tabs.delete(tab);
        place[Symbol.dispose]();
      });
      this.#openings.delete(opening);
      this.#tabs.add(tab);
      return tab;
    } catch (error) {
      // Its place is free when the page is closed, or when it does not come at all.
      void this.#closeLate(opening).then(() => place[Symbol.dispose]());
      throw error;
    }
  }

  /**
   * Runs `work` on a tab of its own, and gives the tab back when it is done, also after an error. With `site`, the work
   * has its turn at that site when it begins, and for as long as it runs; each of the waits has `timeoutMs`.
   * @throws PwpoolError as `borrow`; as `SiteLimits.enter`; else what `work` throws
   */
  async use<T>(work: (page: Page) => Promise<T>, options: UseOptions = {}): Promise<T> {
    const { site, ...wait } = options;
    const sites = site === undefined ? undefined : this.#sites;
    this.#context();
    const waitInLine = { ...wait, signal: this.#whileOpen(wait.signal) };
    using _admission = await sites?.admit(site ?? '', waitInLine);
    await using tab = await this.borrow(wait);
    using _visit = await sites?.enter(site ?? '', waitInLine);
    return await work(tab.page);
  }

  /** Closes the tabs that are lent, and refuses those who wait. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    const hint = 'Make a new one, on a lease that lasts.';
    await this.#close(new PwpoolError('LEASE_REVOKED', 'The tab pool was closed.', { hint }));
  }

  async #open(): Promise<Page> {
    const context = this.#context();
    try {
      return await context.newPage();
    } catch (error) {
      throw notOpened(error);
    }
  }

  /** Closes a page as soon as it is there, after its borrower has left. Never rejects. */
  async #closeLate(opening: Promise<Page>): Promise<void> {
    await within(this.#clock, OPEN_MS, async () => await closePages([await opening], this.#clock));
    this.#openings.delete(opening);
  }

  #context(): BrowserContext {
    this.#ended.signal.throwIfAborted();
    return this.#lease.context();
  }

  #whileOpen(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#ended.signal]) : this.#ended.signal;
  }

  readonly #onLeaseEnded = (): void => {
    void this.#close(this.#lease.ended.reason as PwpoolError);
  };

  #close(error: PwpoolError): Promise<void> {
    this.#closed ??= this.#end(error);
    return this.#closed;
  }

  async #end(error: PwpoolError): Promise<void> {
    this.#lease.ended.removeEventListener('abort', this.#onLeaseEnded);
    this.#places.rejectWaiters(error);
    this.#ended.abort(error);
    await Promise.all([
      ...[...this.#tabs].map((tab) => tab.giveBack()),
      ...[...this.#openings].map((opening) => this.#closeLate(opening)),
    ]);
  }

  #noTab(waitedMs: number): PwpoolError {
    const { held, limit, waiting } = this.#places;
    const message = `Waited ${waitedMs} ms for a tab: ${held} of ${limit} lent, ${waiting} more waiting.`;
    return new PwpoolError('LEASE_TIMEOUT', message, {
      hint: 'Give tabs back as soon as an operation is done, or raise maxTabs.',
      details: { maxTabs: limit, lent: held, waiting },
    });
  }
}

function notOpened(cause?: unknown): PwpoolError {
  return new PwpoolError('BROWSER_NOT_READY', 'The browser opened no tab.', {
    hint: 'Try again, or take a new lease.',
    cause,
  });
}
