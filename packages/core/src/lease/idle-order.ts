import { LinkedList } from '../waiting/linked-list.js';
import type { Entry } from './entry.js';
import { Heap } from './heap.js';

/**
 * Which idle entry an unkeyed acquire takes:
 * - `fifo`: the one returned earliest;
 * - `lifo`: the one returned latest;
 * - `round-robin`: the one granted longest ago; before all others those never granted, in the order they were added;
 * - `least-used`: the one granted the fewest times; of several, the one returned earliest.
 */
export type LeaseStrategy = 'fifo' | 'lifo' | 'round-robin' | 'least-used';

/** Idle entries in the order of a strategy. As trusting as the list and the heap it is made of. */
export interface IdleOrder {
  /** The one to grant; undefined if there is none. */
  readonly next: Entry | undefined;
  /** Takes an entry that was returned after all that are in here. */
  add(entry: Entry): void;
  remove(entry: Entry): void;
}

class EarliestReturned implements IdleOrder {
  protected readonly list = new LinkedList<Entry>();

  get next(): Entry | undefined {
    return this.list.first;
  }

  add(entry: Entry): void {
    this.list.append(entry);
  }

  remove(entry: Entry): void {
    this.list.remove(entry);
  }
}

class LatestReturned extends EarliestReturned {
  override get next(): Entry | undefined {
    return this.list.last;
  }
}

/** An order for each strategy: constant time for the first two, logarithmic for the others. */
export const IDLE_ORDERS: Readonly<Record<LeaseStrategy, () => IdleOrder>> = {
  fifo: () => new EarliestReturned(),
  lifo: () => new LatestReturned(),
  'round-robin': () => new Heap<Entry>((a, b) => a.lastGrant - b.lastGrant || a.added - b.added),
  'least-used': () => new Heap<Entry>((a, b) => a.grants - b.grants || a.returned - b.returned),
};
