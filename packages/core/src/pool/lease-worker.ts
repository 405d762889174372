import { type ItemTask, type ItemWorker, NoPlace } from '../bulk/run-items.js';
import { asPwpoolError } from '../errors.js';

/** Milliseconds, the most that a timer takes: an item waits for its browser as long as its run goes on. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** A browser that is leased, here or from a server. */
export interface Leased {
  readonly pool: string;
  readonly instance: string;
  /** Aborts when the lease is over, with the reason. */
  readonly ended: AbortSignal;
  release(): Promise<void>;
}

/** How items get their browsers. */
export interface LeasePlan<T, L extends Leased> {
  /** @throws PwpoolError as `Pool.lease` */
  lease(task: ItemTask<T>): Promise<L>;
  /** Done with each lease before its first item. */
  setUp?: ((lease: L, task: ItemTask<T>) => Promise<void>) | undefined;
  /** Done with each lease that is still good, after its last item. Never rejects. */
  tearDown?: ((lease: L) => Promise<void>) | undefined;
}

/** Does items in browsers of a pool, each in a lease of its own, or one after the other in the same. */
export class LeaseWorker<T, R, L extends Leased> implements ItemWorker<T, R> {
  readonly #plan: LeasePlan<T, L>;
  /** Go on in the same browser with the next item, as the last left it, unless that failed. */
  readonly #keep: boolean;
  readonly #work: (lease: L, task: ItemTask<T>) => Promise<R>;
  #lease: L | undefined;
  /** The clean-up of the lease before, which the next one need not wait for. */
  #givenBack: Promise<void> = Promise.resolve();

  constructor(plan: LeasePlan<T, L>, keep: boolean, work: (lease: L, task: ItemTask<T>) => Promise<R>) {
    this.#plan = plan;
    this.#keep = keep;
    this.#work = work;
  }

  async run(task: ItemTask<T>): Promise<R> {
    let good = false;
    try {
      const lease = await this.#leaseFor(task);
      task.where = `${lease.pool}/${lease.instance}`;
      const result = await this.#work(lease, task);
      good = this.#keep;
      return result;
    } catch (error) {
      // What a page says when its browser is gone tells less than the pool knows.
      const lost = this.#lease?.ended.aborted && !task.signal.aborted;
      throw lost ? this.#lease?.ended.reason : error;
    } finally {
      if (!good) await this.#giveBack();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#giveBack();
    await this.#givenBack;
  }

  async #leaseFor(task: ItemTask<T>): Promise<L> {
    if (this.#lease && !this.#lease.ended.aborted) return this.#lease;
    const lease = await this.#plan.lease(task).catch((error: unknown) => {
      throw new NoPlace(asPwpoolError(error));
    });
    this.#lease = lease;
    task.where = `${lease.pool}/${lease.instance}`;
    await this.#plan.setUp?.(lease, task);
    return lease;
  }

  async #giveBack(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    if (!lease) return;
    if (!lease.ended.aborted) await this.#plan.tearDown?.(lease);
    this.#givenBack = Promise.allSettled([this.#givenBack, lease.release()]).then(() => {});
  }
}
