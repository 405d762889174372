import type { Pressure } from '../health/pressure.js';

/** Lets browsers start: so many at a time, in order of arrival, and none while the machine is under pressure. */
export class StartGate {
  readonly #limit: () => number;
  readonly #pressure: Pressure | undefined;
  readonly #line = new Set<() => void>();
  #inside = 0;

  constructor(options: { limit: () => number; pressure: Pressure | undefined }) {
    this.#limit = options.limit;
    this.#pressure = options.pressure;
  }

  /**
   * Waits for a turn.
   * @returns what ends the turn
   * @throws what the signal was aborted with
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    await this.#turn(signal);
    try {
      await this.#pressure?.admitted(signal);
    } catch (error) {
      this.#leave();
      throw error;
    }
    return () => this.#leave();
  }

  /** Lets in whom the limit allows, which may have changed. */
  admit(): void {
    for (const enter of this.#line) {
      if (this.#inside >= this.#limit()) return;
      enter();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#line.delete(enter);
        reject(signal.reason);
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
