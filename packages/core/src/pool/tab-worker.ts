import { type ItemTask, type ItemWorker, NoPlace } from '../bulk/run-items.js';
import { asPwpoolError, PwpoolError } from '../errors.js';
import type { Lease } from './lease.js';
import type { LeasePlan } from './lease-worker.js';

/** A lease that several items have at once. */
interface Shared {
  readonly lease: Promise<Lease>;
  items: number;
  /** An item failed in it: no other comes in, and the last that leaves ends it. */
  retired: boolean;
  /** Once it is there. */
  held?: Lease;
}

/** Leases that so many items share at a time. Disposing gives them back. */
export class SharedLeases<T> implements AsyncDisposable {
  readonly #plan: LeasePlan<T, Lease>;
  readonly #most: number;
  readonly #shared = new Set<Shared>();
  readonly #givenBack = new Set<Promise<void>>();

  /** @param most items at once in one */
  constructor(plan: LeasePlan<T, Lease>, most: number) {
    this.#plan = plan;
    this.#most = most;
  }

  /**
   * Takes a place in a lease that has one, or in a new one.
   * @returns the lease, and what gives the place back: with `failed` it is the last of that lease
   * @throws `NoPlace`; what setting it up throws
   */
  async join(task: ItemTask<T>): Promise<{ lease: Lease; leave(failed: boolean): Promise<void> }> {
    const open = [...this.#shared].find((each) => this.#isOpen(each));
    const shared = open ?? { lease: this.#lease(task), items: 0, retired: false };
    this.#shared.add(shared);
    shared.items += 1;
    const leave = async (failed: boolean) => {
      shared.items -= 1;
      shared.retired ||= failed;
      if (shared.retired && shared.items === 0) await this.#giveBack(shared);
    };
    try {
      const lease = await shared.lease;
      shared.held = lease;
      return { lease, leave };
    } catch (error) {
      await leave(true);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#shared].map((shared) => this.#giveBack(shared)));
    await Promise.all(this.#givenBack);
  }

  #isOpen({ items, retired, held }: Shared): boolean {
    return items < this.#most && !retired && !held?.ended.aborted;
  }

  async #lease(task: ItemTask<T>): Promise<Lease> {
    const lease = await this.#plan.lease(task).catch((error: unknown) => {
      throw new NoPlace(asPwpoolError(error));
    });
    try {
      await this.#plan.setUp?.(lease, task);
      return lease;
    } catch (error) {
      void this.#release(lease);
      throw lease.ended.aborted && !task.signal.aborted ? lease.ended.reason : error;
    }
  }

  async #giveBack(shared: Shared): Promise<void> {
    this.#shared.delete(shared);
    const lease = await shared.lease.catch(() => undefined);
    if (!lease) return;
    if (!lease.ended.aborted) await this.#plan.tearDown?.(lease);
    void this.#release(lease);
  }

  /** Its clean-up, which the next item need not wait for. */
  async #release(lease: Lease): Promise<void> {
    const done = lease.release().catch(() => {});
    this.#givenBack.add(done);
    await done;
    this.#givenBack.delete(done);
  }
}

/** Does items in tabs of shared leases, each in a tab of its own. */
export class TabWorker<T, R, Tab extends AsyncDisposable> implements ItemWorker<T, R> {
  readonly #leases: SharedLeases<T>;
  readonly #open: (lease: Lease, task: ItemTask<T>) => Promise<Tab>;
  readonly #work: (tab: Tab, task: ItemTask<T>, lease: Lease) => Promise<R>;

  constructor(
    leases: SharedLeases<T>,
    open: (lease: Lease, task: ItemTask<T>) => Promise<Tab>,
    work: (tab: Tab, task: ItemTask<T>, lease: Lease) => Promise<R>,
  ) {
    this.#leases = leases;
    this.#open = open;
    this.#work = work;
  }

  async run(task: ItemTask<T>): Promise<R> {
    const { lease, leave } = await this.#leases.join(task);
    task.where = `${lease.pool}/${lease.instance}`;
    let failed = true;
    try {
      await using tab = await this.#open(lease, task);
      const result = await this.#work(tab, task, lease);
      failed = false;
      return result;
    } catch (error) {
      throw lease.ended.aborted && !task.signal.aborted ? lease.ended.reason : error;
    } finally {
      await leave(failed);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** @throws PwpoolError `INVALID_ARGUMENTS` for tabs with a clean state for each item */
export function checkTabs(tabs: number, keep: boolean): void {
  if (!(Number.isSafeInteger(tabs) && tabs >= 1)) {
    throw new PwpoolError('INVALID_ARGUMENTS', `tabs cannot be ${tabs}.`, {
      hint: 'Give it as a whole number, 1 or more.',
    });
  }
  if (tabs === 1 || keep) return;
  throw new PwpoolError(
    'INVALID_ARGUMENTS',
    `${tabs} tabs of a browser share its cookies and storage: that needs clean: lease.`,
    {
      hint: 'Set clean: lease, or leave tabs out and set CONTEXTS_PER_BROWSER: a clean state each, in one process.',
    },
  );
}
