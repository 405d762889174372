import type { Pressure } from '../pressure/pressure.js';

export interface StartGateOptions {
  limit: () => number;
  pressure: Pressure | undefined;
  /** Somebody came or left, or the limit is another. */
  onChange: () => void;
}

/** Lets browsers start: so many at a time, in order of arrival, and none while the machine is under pressure. */
export class StartGate {
  readonly #options: StartGateOptions;
  readonly #line = new Set<() => void>();
  #inside = 0;

  constructor(options: StartGateOptions) {
    this.#options = options;
  }

  /** Whether the next start would have to wait. */
  get isFull(): boolean {
    return (
      this.#options.pressure?.reason !== undefined || this.#inside + this.#line.size >= this.#options.limit()
    );
  }

  /**
   * Waits for a turn. Who comes while it is not full has the turn before this returns.
   * @returns what ends the turn
   * @throws what the signal was aborted with
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    await this.#turn(signal);
    try {
      await this.#options.pressure?.admitted(signal);
    } catch (error) {
      this.#leave();
      throw error;
    }
    return () => this.#leave();
  }

  /** Lets in whom the limit allows, which may have changed. */
  admit(): void {
    for (const enter of this.#line) {
      if (this.#inside >= this.#options.limit()) break;
      enter();
    }
    this.#options.onChange();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#line.delete(enter);
        reject(signal.reason);
        this.#options.onChange();
      };
      const enter = () => {
        this.#line.delete(enter);
        signal.removeEventListener('abort', giveUp);
        this.#inside += 1;
        resolve();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#line.add(enter);
      this.admit();
    });
  }

  #leave(): void {
    this.#inside -= 1;
    this.admit();
  }
}
