import type { Page } from 'playwright';
import type { Clock } from '../../clock.js';
import type { Lease } from '../../pool/lease.js';
import { type BrowserState, shownUrl } from './browser-state.js';
import { type CaptureOptions, captureState } from './capture-state.js';
import { PageReader } from './page-reader.js';
import { NOT_RESTORED, type RestoredState, restoreState } from './restore-state.js';

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

/** The pages that were open when a call was answered, the current one first. */
interface OpenPages {
  /** Milliseconds since the epoch. */
  at: number;
  pages: readonly { page: Page; url: string }[];
}

/**
 * Keeps what survives of one session: reads it from its browser, and brings it into the next one.
 *
 * Where the pages are is known without asking, so it is as of the last answer; cookies and storage are as of the last
 * checkpoint, which runs behind the answer and keeps nobody waiting.
 */
export class StateKeeper {
  readonly #clock: Clock;
  readonly #reader = new PageReader();
  /** The state as it was last read. */
  #captured: BrowserState | undefined;
  /** Newer than `#captured`. */
  #open: OpenPages | undefined;
  /** How many readings have begun, and which of them gave `#captured`: an older one may end later. */
  #readings = 0;
  #capturedBy = 0;
  /** Browsers that crashed while the state was being brought back. */
  #lossesInRow = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The pages as of the last answer, the rest as of the last reading; `undefined` when nothing is known. */
  get last(): BrowserState | undefined {
    const captured = this.#captured;
    if (!this.#open) return captured;
    const { at, pages } = this.#open;
    const rest = captured ?? {
      version: 1,
      capturedAt: new Date(at).toISOString(),
      cookies: [],
      origins: [],
      incomplete: ['Cookies and storage: not read.'],
    };
    return { ...rest, pages: pages.map(({ page, url }) => this.#reader.stateOf(page, url)) };
  }

  /** Notes which pages are open, and where. Waits for nothing: call it with the answer of a call in hand. */
  notePages(lease: Lease): void {
    const pages = lease.openPages();
    if (!pages) return;
    this.#open = { at: this.#clock.now(), pages: pages.map((page) => ({ page, url: page.url() })) };
  }

  /** Reads all of it. Throws as `captureState`. */
  async capture(lease: Lease, signal?: AbortSignal): Promise<BrowserState> {
    const state = await this.#read(lease, { timeoutMs: STATE_MS, signal });
    this.#open = undefined;
    return state;
  }

  /**
   * Reads what takes no time: enough to go on after a crash. It may run beside the calls that come meanwhile, and ends
   * with the lease. Throws as `captureState`.
   */
  async checkpoint(lease: Lease): Promise<void> {
    await this.#read(lease, { timeoutMs: CHECKPOINT_MS, quick: true, signal: lease.ended });
  }

  async #read(
    lease: Lease,
    options: Pick<CaptureOptions, 'timeoutMs' | 'quick' | 'signal'>,
  ): Promise<BrowserState> {
    const reading = ++this.#readings;
    const state = await captureState(lease.context(), {
      ...options,
      clock: this.#clock,
      previous: this.#captured,
      pages: lease.openPages(),
      reader: this.#reader,
      lost: lease.revoked,
    });
    if (reading > this.#capturedBy) {
      this.#capturedBy = reading;
      this.#captured = state;
    }
    return state;
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

  #keep(state: BrowserState): void {
    this.#captured = state;
    this.#open = undefined;
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
      const asOf = this.#captured?.capturedAt ?? null;
      return { ...restored, asOf, notRestored: [...state.incomplete, ...NOT_RESTORED] };
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
