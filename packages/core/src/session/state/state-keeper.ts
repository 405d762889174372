import type { Clock } from '../../clock.js';
import type { Lease } from '../../pool/lease.js';
import { type BrowserState, shownUrl } from './browser-state.js';
import { captureState } from './capture-state.js';
import { NOT_RESTORED, type RestoredState, restoreState } from './restore-state.js';

/** Milliseconds that reading all of a browser's state, or bringing it in, may take. */
const STATE_MS = 15_000;

/** Milliseconds that a checkpoint may keep the next call waiting. */
const CHECKPOINT_MS = 1_000;

/** One browser may be lost by chance; a second in the same way is put down to the pages that it opened. */
const LOSSES_BLAMED_ON_PAGES = 2;

/** How a session came back into a browser. */
export interface BroughtBack extends RestoredState {
  /** When the state was read, ISO 8601; `null` when there was none. */
  asOf: string | null;
  /** What no saved state brings back, and what this one lacks, in sentences. */
  notRestored: readonly string[];
}

/** Keeps what survives of one session: reads it from its browser, and brings it into the next one. */
export class StateKeeper {
  readonly #clock: Clock;
  #last: BrowserState | undefined;
  /** Browsers that crashed while the state was being brought back. */
  #lossesInRow = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The state as it was last read. */
  get last(): BrowserState | undefined {
    return this.#last;
  }

  /** Reads all of it. Throws as `captureState`. */
  async capture(lease: Lease, signal?: AbortSignal): Promise<BrowserState> {
    this.#last = await captureState(lease.context(), {
      clock: this.#clock,
      timeoutMs: STATE_MS,
      previous: this.#last,
      currentPage: lease.currentPage(),
      signal,
      lost: lease.revoked,
    });
    return this.#last;
  }

  /** Reads what takes no time: enough to go on after a crash. */
  async checkpoint(lease: Lease): Promise<void> {
    this.#last = await captureState(lease.context(), {
      clock: this.#clock,
      timeoutMs: CHECKPOINT_MS,
      previous: this.#last,
      currentPage: lease.currentPage(),
      quick: true,
      lost: lease.revoked,
    });
  }

  /**
   * Brings a state into a browser that is new, and keeps it as the last one. What it lacks is among what failed.
   * Throws as `restoreState`.
   */
  async bring(lease: Lease, state: BrowserState, signal?: AbortSignal): Promise<RestoredState> {
    const { restoredUrl, failed } = await this.#restore(lease, state, signal);
    this.#last = state;
    return { restoredUrl, failed: [...state.incomplete, ...failed] };
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
    const state = this.#last;
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
      return { ...restored, asOf: state.capturedAt, notRestored: [...state.incomplete, ...NOT_RESTORED] };
    } catch (error) {
      // Playwright may tell of a lost browser an instant before the lease learns of it.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (!lease.revoked.aborted) throw error;
      // One that was taken away by force tells nothing of the pages.
      if (lease.revoked.reason.code === 'INSTANCE_CRASHED') this.#lossesInRow += 1;
      if (this.#lossesInRow >= LOSSES_BLAMED_ON_PAGES) this.#last = withoutPages(state);
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
