import type { BrowserContext } from 'playwright';
import type { Clock } from '../../clock.js';
import type { Lease } from '../../pool/lease.js';
import { type BrowserState, type PageState, shownUrl } from './browser-state.js';
import { type CaptureOptions, captureState, readCookies } from './capture-state.js';
import type { Checkpoint } from './checkpoint.js';
import type { SessionCheckpoint } from './checkpoint-store.js';
import { NOT_RESTORED } from './not-restored.js';
import { onPagesMoved } from './page-moves.js';
import { PageReader } from './page-reader.js';
import { type RestoredState, restoreState } from './restore-state.js';

/** Milliseconds that reading all of a browser's state, or bringing it in, may take. */
const STATE_MS = 15_000;

/** Milliseconds after which a checkpoint does without what has not come. Nobody waits for it. */
const CHECKPOINT_MS = 1_000;

/** One browser may be lost by chance; a second in the same way is put down to the pages that it opened. */
const LOSSES_BLAMED_ON_PAGES = 2;

/** How a session came back into a browser. */
export interface BroughtBack extends RestoredState {
  /** When cookies and storage were read, ISO 8601; `null` when they never were. */
  asOf: string | null;
  /** What no saved state brings back, and what this one lacks, in sentences. */
  notRestored: readonly string[];
}

/** The pages that were open at a moment, the current one first. */
interface OpenPages {
  /** Milliseconds since the epoch. */
  at: number;
  /** With the sessionStorage that each has told last. */
  read: () => PageState[];
}

/** What a session has of a process before this one, and keeps for one that comes after it. Default: nothing. */
export interface DurableState {
  known?: Checkpoint | undefined;
  checkpoint?: SessionCheckpoint | undefined;
}

/** What was read of a browser, and how old it is. */
interface Reading<T> {
  /** Readings are numbered as they begin: an older one may end later. */
  readonly number: number;
  /** When it began, milliseconds since the epoch. */
  readonly at: number;
  /** How many calls that change something had been answered by then. */
  readonly answers: number;
  readonly value: T;
}

/**
 * Keeps what survives of one session: reads it from its browser, and brings it into the next one.
 *
 * Where the pages are is known without asking. Cookies are read right behind the answer of a call that may have changed
 * them, which no page takes part in; all the rest by checkpoints, while nobody calls. What is older than the last answer
 * in a session that comes back is told.
 */
export class StateKeeper {
  readonly #clock: Clock;
  readonly #calls: { readonly idle: boolean };
  readonly #reader = new PageReader();
  /** The state as it was last read. */
  #captured: Reading<BrowserState> | undefined;
  /** As they were last read; those of `#captured` or newer. */
  #cookies: Reading<BrowserState['cookies']> | undefined;
  /** Newer than `#captured`. */
  #open: OpenPages | undefined;
  /** The context whose pages are followed from event to event. */
  #followed: BrowserContext | undefined;
  #readings = 0;
  #answers = 0;
  /** All is being read: a checkpoint beside that would find the pages busy with the question. */
  #capturing = false;
  /** Browsers that crashed while the state was being brought back. */
  #lossesInRow = 0;
  readonly #checkpoint: SessionCheckpoint | undefined;
  /** The pages as they were saved last, as text. */
  #savedPages = '';

  /** @param calls whether a call of the session runs or waits: until its answer, its pages are where the last one left them */
  constructor(
    clock: Clock,
    calls: { readonly idle: boolean } = { idle: true },
    { known, checkpoint }: DurableState = {},
  ) {
    this.#clock = clock;
    this.#calls = calls;
    this.#checkpoint = checkpoint;
    if (known) this.#resume(known);
  }

  /** Goes on where another process was killed. */
  #resume({ pages, cookies, state }: Checkpoint): void {
    if (state) this.#captured = { number: ++this.#readings, ...state };
    if (cookies) this.#cookies = { number: ++this.#readings, ...cookies };
    if (!pages) return;
    this.#answers = pages.answers;
    this.#open = { at: pages.at, read: () => pages.value };
  }

  /** Where the pages are, and the rest as of the last readings; `undefined` when nothing is known. */
  get last(): BrowserState | undefined {
    const captured = this.#captured?.value;
    if (!this.#open) return captured;
    const { at, read } = this.#open;
    const rest = captured ?? {
      version: 1,
      capturedAt: iso(at),
      origins: [],
      incomplete: [this.#cookies ? 'The storage of sites: not read.' : 'Cookies and storage: not read.'],
    };
    return {
      ...rest,
      cookies: this.#cookies?.value ?? [],
      pages: read(),
    };
  }

  /**
   * A call was answered: notes which pages are open, and begins to read the cookies if it may have changed them. Waits
   * for nothing: call it with the answer in hand.
   */
  answered(lease: Lease, changed: boolean): void {
    if (changed) this.#answers += 1;
    this.#notePages(lease);
    if (!changed) return;
    // Those of a browser that is lost meanwhile are told to be older.
    void this.#readCookies(lease).catch(() => {});
  }

  /** Notes which pages are open, and where, now and whenever one moves between calls. Waits for nothing. */
  #notePages(lease: Lease): void {
    const pages = lease.openPages();
    if (!pages) return;
    this.#follow(lease, pages[0]?.context());
    const open = pages.map((page) => ({ page, url: page.url() }));
    const read = () => open.map(({ page, url }) => this.#reader.stateOf(page, url));
    this.#open = { at: this.#clock.now(), read };
    this.#savePages();
  }

  #savePages(): void {
    const pages = this.#open?.read() ?? this.#captured?.value.pages;
    if (!this.#checkpoint || !pages) return;
    const text = JSON.stringify([this.#answers, pages]);
    if (text === this.#savedPages) return;
    this.#savedPages = text;
    this.#checkpoint.save('pages', { at: this.#clock.now(), answers: this.#answers, value: pages });
  }

  #follow(lease: Lease, context: BrowserContext | undefined): void {
    if (!context || context === this.#followed) return;
    this.#followed = context;
    const onMove = () => {
      // Pages close an instant before the lease learns that their browser is gone.
      setImmediate(() => {
        if (this.#calls.idle && context === this.#followed && !lease.ended.aborted) this.#notePages(lease);
      });
    };
    const stop = onPagesMoved(context, onMove);
    lease.ended.addEventListener('abort', stop, { once: true });
  }

  async #readCookies(lease: Lease): Promise<void> {
    const reading = this.#begin();
    const options = { clock: this.#clock, timeoutMs: CHECKPOINT_MS, signal: lease.ended };
    this.#useCookies({ ...reading, value: await readCookies(lease.context(), options) });
  }

  #useCookies(cookies: Reading<BrowserState['cookies']>): void {
    if (cookies.number <= (this.#cookies?.number ?? 0)) return;
    this.#cookies = cookies;
    const { at, answers, value } = cookies;
    this.#checkpoint?.save('cookies', { at, answers, value });
  }

  #useState(state: Reading<BrowserState>): void {
    if (state.number <= (this.#captured?.number ?? 0)) return;
    this.#captured = state;
    const { at, answers, value } = state;
    this.#checkpoint?.save('state', { at, answers, value });
    this.#savePages();
  }

  #begin(): Omit<Reading<never>, 'value'> {
    return { number: ++this.#readings, at: this.#clock.now(), answers: this.#answers };
  }

  /** Reads all of it. Throws as `captureState`. */
  async capture(lease: Lease, signal?: AbortSignal): Promise<BrowserState> {
    this.#capturing = true;
    try {
      const state = await this.#read(lease, { timeoutMs: STATE_MS, signal });
      this.#open = undefined;
      this.#savePages();
      return state;
    } finally {
      this.#capturing = false;
    }
  }

  /**
   * Reads what takes no time: enough to go on after a crash. It may run beside the calls that come meanwhile, and ends
   * with the lease. Left out while all is being read. Throws as `captureState`.
   */
  async checkpoint(lease: Lease): Promise<void> {
    if (this.#capturing) return;
    await this.#read(lease, { timeoutMs: CHECKPOINT_MS, quick: true, signal: lease.ended });
  }

  async #read(
    lease: Lease,
    options: Pick<CaptureOptions, 'timeoutMs' | 'quick' | 'signal'>,
  ): Promise<BrowserState> {
    const reading = this.#begin();
    const value = await captureState(lease.context(), {
      ...options,
      clock: this.#clock,
      previous: this.#captured?.value,
      pages: lease.openPages(),
      reader: this.#reader,
      lost: lease.revoked,
    });
    this.#useState({ ...reading, value });
    this.#useCookies({ ...reading, value: value.cookies });
    return value;
  }

  /**
   * Brings a state into a browser that is new, and keeps it as the last one. What it lacks is among what failed.
   * Throws as `restoreState`.
   */
  async bring(lease: Lease, state: BrowserState, signal?: AbortSignal): Promise<RestoredState> {
    const { restoredUrl, failed } = await this.#restore(lease, state, signal);
    this.#keep(state);
    return { restoredUrl, failed: [...state.incomplete, ...failed] };
  }

  /** What was read before the last call that may have changed it was answered, in sentences. */
  #older(): string[] {
    const sentence = (what: string, reading: Reading<unknown> | undefined) =>
      reading && reading.answers < this.#answers
        ? [`${what}: as of ${iso(reading.at)}, which is before the last call was answered.`]
        : [];
    return [...sentence('Cookies', this.#cookies), ...sentence('The storage of sites', this.#captured)];
  }

  #keep(value: BrowserState): void {
    const reading = this.#begin();
    this.#open = undefined;
    this.#useState({ ...reading, value });
    this.#useCookies({ ...reading, value: value.cookies });
  }

  async #restore(lease: Lease, state: BrowserState, signal?: AbortSignal): Promise<RestoredState> {
    const pagesOnly = !lease.config.settings.isolated;
    return await restoreState(lease.context(), state, {
      clock: this.#clock,
      timeoutMs: STATE_MS,
      signal,
      lost: lease.revoked,
      pagesOnly,
    });
  }

  /** Brings the last state into a browser that is new. Throws as `restoreState`, or why the lease was revoked. */
  async bringBack(lease: Lease, signal?: AbortSignal): Promise<BroughtBack> {
    const state = this.last;
    if (!state)
      return {
        restoredUrl: null,
        failed: ['There was no saved state.'],
        asOf: null,
        notRestored: NOT_RESTORED,
      };
    try {
      const restored = await this.#restore(lease, state, signal);
      this.#lossesInRow = 0;
      const read = this.#captured ?? this.#cookies;
      const asOf = this.#captured?.value.capturedAt ?? (read ? iso(read.at) : null);
      // Those of a profile on disk are as old as the browser left them.
      const older = lease.config.settings.isolated ? this.#older() : [];
      return { ...restored, asOf, notRestored: [...older, ...state.incomplete, ...NOT_RESTORED] };
    } catch (error) {
      // Playwright may tell of a lost browser an instant before the lease learns of it.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (!lease.revoked.aborted) throw error;
      // One that was taken away by force tells nothing of the pages.
      if (lease.revoked.reason.code === 'INSTANCE_CRASHED') this.#lossesInRow += 1;
      if (this.#lossesInRow >= LOSSES_BLAMED_ON_PAGES) this.#keep(withoutPages(state));
      throw lease.revoked.reason;
    }
  }
}

/** A page that crashes its browser would crash each one that the session is brought back into. */
function withoutPages(state: BrowserState): BrowserState {
  const left = state.pages.map(
    ({ url }) => `${shownUrl(url)} was not opened again: a browser crashed on it.`,
  );
  return { ...state, pages: [], incomplete: [...state.incomplete, ...left] };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
