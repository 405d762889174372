import type { Entry } from './entry.js';
import { Heap } from './heap.js';
import { IDLE_ORDERS, type IdleOrder, type LeaseStrategy } from './idle-order.js';

/**
 * The idle entries in three ranks: the warm in the order of the strategy, then the cold in the order they were added,
 * and last, when nothing else can be had, the doubtful.
 */
export class IdleEntries {
  /** While true, no cold entry is to be granted. */
  coldHeld = false;
  #warm: IdleOrder;
  readonly #cold = new Heap<Entry>((a, b) => a.added - b.added);
  readonly #doubtful = new Heap<Entry>((a, b) => a.returned - b.returned);
  #returns = 0;

  constructor(strategy: LeaseStrategy) {
    this.#warm = IDLE_ORDERS[strategy]();
  }

  /** The entry that an unkeyed acquire takes, unless it is held. */
  get next(): Entry | undefined {
    const cold = this.#cold.next;
    return this.#warm.next ?? (this.coldHeld ? undefined : cold) ?? this.#doubtful.next ?? cold;
  }

  /** How many of them are held. */
  get held(): number {
    return this.coldHeld ? this.#cold.size : 0;
  }

  /** Whether the entry is not to be granted for now. */
  isHeld(entry: Entry): boolean {
    return entry.cold && this.coldHeld;
  }

  add(entry: Entry): void {
    entry.returned = this.#returns++;
    this.#rankOf(entry).add(entry);
  }

  remove(entry: Entry): void {
    this.#rankOf(entry).remove(entry);
  }

  /** Orders the warm entries anew, by what is known of their returns and grants. */
  setStrategy(strategy: LeaseStrategy): void {
    const entries: Entry[] = [];
    for (let entry = this.#warm.next; entry; entry = this.#warm.next) {
      this.#warm.remove(entry);
      entries.push(entry);
    }
    this.#warm = IDLE_ORDERS[strategy]();
    for (const entry of entries.sort((a, b) => a.returned - b.returned)) this.#warm.add(entry);
  }

  #rankOf(entry: Entry): IdleOrder {
    if (entry.doubtful) return this.#doubtful;
    return entry.cold ? this.#cold : this.#warm;
  }
}
