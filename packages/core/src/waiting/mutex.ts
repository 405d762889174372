import { cancelled } from './abort.js';
import { Semaphore } from './semaphore.js';

/** Runs pieces of work one at a time, in order of arrival. A caller that gives up leaves the line. */
export class Mutex {
  readonly #semaphore = new Semaphore(1);

  /** True while no work runs or waits. */
  get idle(): boolean {
    return this.#semaphore.held === 0;
  }

  /** How many wait behind the work that runs. */
  get waiting(): number {
    return this.#semaphore.waiting;
  }

  /**
   * Runs `work` when all work before it is over. Once it runs, it decides itself what an abort means.
   * @param what the work in words
   * @throws PwpoolError `CANCELLED` when the signal aborts before the turn has come; else what `work` throws
   */
  async run<T>(work: () => Promise<T>, what: string, signal?: AbortSignal): Promise<T> {
    using _permit = await this.#semaphore.acquire({ signal, what });
    if (signal?.aborted) throw cancelled(signal, what);
    return await work();
  }
}
