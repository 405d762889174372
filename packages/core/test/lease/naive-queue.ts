import type { EntryState } from '../../src/lease/entry.js';
import type { LeaseCounts, LeaseStrategy } from '../../src/lease/lease-queue.js';

interface NaiveWaiter {
  id: number;
  key: string | undefined;
  due: number;
  signal: AbortSignal;
}

/**
 * What the queue should do, written for the reader and not for speed: plain arrays, searched from the front.
 * Each acquire has an id; `outcomes` tells the key it was granted or the code it was rejected with.
 */
export class NaiveQueue {
  readonly outcomes = new Map<number, string>();
  readonly states = new Map<string, EntryState>();
  /** Ids of the valid grants by key. */
  readonly holders = new Map<string, number>();
  waiters: NaiveWaiter[] = [];
  #idle: string[] = [];
  readonly #strategy: LeaseStrategy;

  constructor(strategy: LeaseStrategy) {
    this.#strategy = strategy;
  }

  counts(): LeaseCounts {
    const states = [...this.states.values()];
    const count = (state: EntryState) => states.filter((other) => other === state).length;
    return {
      idle: count('idle'),
      leased: count('leased'),
      reserved: count('reserved'),
      waiting: this.waiters.length,
    };
  }

  acquire(waiter: NaiveWaiter): void {
    const { id, key } = waiter;
    if (waiter.signal.aborted) this.outcomes.set(id, 'CANCELLED');
    else if (key !== undefined && !this.states.has(key)) this.outcomes.set(id, 'INSTANCE_NOT_FOUND');
    else {
      const free = key === undefined ? this.#idle.at(this.#strategy === 'fifo' ? 0 : -1) : key;
      if (free !== undefined && this.states.get(free) === 'idle') this.#grant(free, id);
      else this.waiters.push(waiter);
    }
  }

  add(key: string, reserve: boolean): void {
    this.states.set(key, 'reserved');
    if (!reserve) this.circulate(key);
  }

  remove(key: string): void {
    this.takeOut(key);
    this.states.delete(key);
    this.rejectIf((waiter) => waiter.key === key, 'INSTANCE_NOT_FOUND');
  }

  release(id: number, reserve: boolean): void {
    for (const [key, holder] of this.holders) {
      if (holder !== id) continue;
      this.takeOut(key);
      if (!reserve) this.circulate(key);
    }
  }

  takeOut(key: string): void {
    this.#idle = this.#idle.filter((other) => other !== key);
    this.holders.delete(key);
    this.states.set(key, 'reserved');
  }

  circulate(key: string): void {
    const next = this.waiters.find((waiter) => waiter.key === undefined || waiter.key === key);
    if (!next) {
      this.states.set(key, 'idle');
      this.#idle.push(key);
      return;
    }
    this.waiters = this.waiters.filter((waiter) => waiter !== next);
    this.#grant(key, next.id);
  }

  rejectIf(leaves: (waiter: NaiveWaiter) => boolean, code: string): void {
    for (const waiter of this.waiters.filter(leaves)) this.outcomes.set(waiter.id, code);
    this.waiters = this.waiters.filter((waiter) => !leaves(waiter));
  }

  #grant(key: string, id: number): void {
    this.#idle = this.#idle.filter((other) => other !== key);
    this.states.set(key, 'leased');
    this.holders.set(key, id);
    this.outcomes.set(id, key);
  }
}
