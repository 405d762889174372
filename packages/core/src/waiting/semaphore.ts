import { WaitingLine, type WaitOptions } from './waiting-line.js';

/** Lets so many in at a time, in order of arrival. */
export class Semaphore {
  readonly #line = new WaitingLine();
  #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many permits are held. */
  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#line.length;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Raised, those who wait are let in before this returns; lowered, permits that are held stay so until they are given back. */
  set limit(limit: number) {
    this.#limit = limit;
    this.#admit();
  }

  /**
   * Waits for a permit, which is held until it is disposed of: `using _permit = await semaphore.acquire()`. A free
   * permit is granted before this returns.
   * @throws as `WaitingLine.wait`
   */
  async acquire(options: WaitOptions = {}): Promise<Disposable> {
    const turn = this.#line.wait(options);
    this.#admit();
    await turn;
    return this.#permit();
  }

  /** A permit, if one is free and nobody waits. */
  tryAcquire(): Disposable | undefined {
    if (this.#held >= this.#limit) return undefined;
    this.#held += 1;
    return this.#permit();
  }

  #permit(): Disposable {
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        this.#held -= 1;
        this.#admit();
      },
    };
  }

  rejectWaiters(error: unknown): void {
    this.#line.rejectAll(error);
  }

  #admit(): void {
    while (this.#held < this.#limit && this.#line.length > 0) {
      this.#held += 1;
      this.#line.serve();
    }
  }
}
