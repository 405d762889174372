import type { BrowserHandle } from '../driver/browser-driver.js';

/** Browsers of an instance that are being closed: asked to, lost, given up or replaced. */
export class Departures {
  readonly #leaving = new Set<Promise<void>>();

  /** Ends a browser. Rejects as the driver does; whoever does not care may leave that unobserved. */
  end(handle: BrowserHandle): Promise<void> {
    const ended = Promise.resolve(handle[Symbol.asyncDispose]());
    this.#track(ended);
    return ended;
  }

  /** Ends a browser that nobody waits for any more, when it is up. */
  expect(coming: Promise<BrowserHandle>): void {
    this.#track(coming.then((handle) => handle[Symbol.asyncDispose]()));
  }

  /** Ends a browser of no more use. It has been replaced by then, so nobody can do more about a failure than this. */
  async discard(handle: BrowserHandle): Promise<void> {
    await this.end(handle).catch(() => {});
  }

  async allGone(): Promise<void> {
    await Promise.all(this.#leaving);
  }

  #track(ended: Promise<void>): void {
    const leaving = ended.catch(() => {}).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
