import type { Pressure } from '../pressure/pressure.js';
import { Semaphore } from '../waiting/semaphore.js';

export interface StartGateOptions {
  limit: () => number;
  pressure: Pressure | undefined;
  /** The number of starts, or the limit, has changed. */
  onChange: () => void;
}

/** Lets browsers start: so many at a time, in order of arrival, and none while the machine is under pressure. */
export class StartGate {
  readonly #options: StartGateOptions;
  readonly #starts: Semaphore;

  constructor(options: StartGateOptions) {
    this.#options = options;
    this.#starts = new Semaphore(options.limit());
  }

  /** Whether the next start would have to wait. */
  get isFull(): boolean {
    const { held, waiting, limit } = this.#starts;
    return this.#options.pressure?.reason !== undefined || held + waiting >= limit;
  }

  /**
   * Waits for a turn. While the gate is not full, the turn is taken before this returns.
   * @returns what ends the turn
   * @throws what the signal was aborted with
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    const turn = this.#starts.acquire({ signal });
    this.#options.onChange();
    const leave = (permit?: Disposable) => {
      permit?.[Symbol.dispose]();
      this.#options.onChange();
    };
    const permit = await turn.catch((error: unknown) => {
      leave();
      throw error;
    });
    try {
      await this.#options.pressure?.admitted(signal);
    } catch (error) {
      leave(permit);
      throw error;
    }
    return () => leave(permit);
  }

  /** Applies the limit as it is now. */
  admit(): void {
    this.#starts.limit = this.#options.limit();
    this.#options.onChange();
  }
}
