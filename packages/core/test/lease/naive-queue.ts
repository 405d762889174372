import type { EntryState } from '../../src/lease/entry.js';
import type { LeaseCounts, LeaseStrategy } from '../../src/lease/lease-queue.js';

interface NaiveWaiter {
  id: number;
  key: string | undefined;
  principal: string;
  due: number;
  signal: AbortSignal;
}

/**
 * What the queue should do, written for the reader and not for speed: plain arrays, searched from the front.
 * Each acquire has an id; `outcomes` tells the key it was granted or the code it was rejected with.
 */
export class NaiveQueue {
  readonly outcomes = new Map<number, string>();
  /** In the order the entries were added. */
  readonly states = new Map<string, EntryState>();
  readonly cold = new Set<string>();
  /** Ids of the valid grants by key. */
  readonly holders = new Map<string, number>();
  /** In order of arrival. */
  waiters: NaiveWaiter[] = [];
  /** The principals of those who wait, in the order of their turns. */
  #turns: string[] = [];
  strategy: LeaseStrategy;
  limit = Number.POSITIVE_INFINITY;
  #coldHeld = false;
  /** In the order of return. */
  #idle: string[] = [];
  /** The key of every grant there was, of entries that are still there. */
  #history: string[] = [];

  constructor(strategy: LeaseStrategy) {
    this.strategy = strategy;
  }

  counts(): LeaseCounts {
    const states = [...this.states.values()];
    const count = (state: EntryState) => states.filter((other) => other === state).length;
    return {
      idle: count('idle'),
      held: this.#idle.filter((key) => this.#isHeld(key)).length,
      leased: count('leased'),
      reserved: count('reserved'),
      waiting: this.waiters.length,
    };
  }

  acquire(waiter: NaiveWaiter): void {
    const { id, key } = waiter;
    if (waiter.signal.aborted) this.outcomes.set(id, 'CANCELLED');
    else if (key !== undefined && !this.states.has(key)) this.outcomes.set(id, 'INSTANCE_NOT_FOUND');
    else if (this.#serve(waiter)) return;
    else if (this.waiters.length >= this.limit) this.outcomes.set(id, 'POOL_BUSY');
    else {
      this.waiters.push(waiter);
      if (!this.#turns.includes(waiter.principal)) this.#turns.push(waiter.principal);
    }
  }

  add(key: string, reserve: boolean, cold: boolean): void {
    this.states.set(key, 'reserved');
    if (cold) this.cold.add(key);
    if (!reserve) this.circulate(key);
  }

  remove(key: string): void {
    this.takeOut(key);
    this.states.delete(key);
    this.cold.delete(key);
    this.#history = this.#history.filter((other) => other !== key);
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

  restore(key: string, cold: boolean | undefined): void {
    if (cold === true) this.cold.add(key);
    if (cold === false) this.cold.delete(key);
    this.circulate(key);
  }

  circulate(key: string): void {
    this.states.set(key, 'idle');
    this.#idle.push(key);
    this.#serveWaiters();
  }

  holdCold(hold: boolean): void {
    this.#coldHeld = hold;
    this.#serveWaiters();
  }

  rejectIf(leaves: (waiter: NaiveWaiter) => boolean, code: string): void {
    for (const waiter of this.waiters.filter(leaves)) this.outcomes.set(waiter.id, code);
    this.waiters = this.waiters.filter((waiter) => !leaves(waiter));
    this.#turns = this.#turns.filter((each) => this.waiters.some(({ principal }) => principal === each));
  }

  /** The waiters in the order of their principals' turns, as if each were served; `key` leaves out who waits for another. */
  order(key?: string): NaiveWaiter[] {
    const left = this.waiters.filter((waiter) => waiter.key === undefined || waiter.key === key);
    const rounds: NaiveWaiter[] = [];
    while (left.length > 0) {
      for (const turn of this.#turns) {
        const next = left.findIndex(({ principal }) => principal === turn);
        if (next >= 0) rounds.push(...left.splice(next, 1));
      }
    }
    return rounds;
  }

  /** Whoever waits asks again: each principal in turn, for one after the other of its waiters, until one is served. */
  #serveWaiters(): void {
    const asking = this.#turns.flatMap((turn) => this.waiters.filter(({ principal }) => principal === turn));
    const served = asking.find((waiter) => this.#serve(waiter));
    if (!served) return;
    this.waiters = this.waiters.filter((waiter) => waiter !== served);
    this.#turns = this.#turns.filter((turn) => turn !== served.principal);
    if (this.waiters.some(({ principal }) => principal === served.principal))
      this.#turns.push(served.principal);
    this.#serveWaiters();
  }

  #serve({ id, key }: NaiveWaiter): boolean {
    const granted = key ?? this.#next();
    if (granted === undefined || this.states.get(granted) !== 'idle' || this.#isHeld(granted)) return false;
    this.#idle = this.#idle.filter((other) => other !== granted);
    this.#history.push(granted);
    this.cold.delete(granted);
    this.states.set(granted, 'leased');
    this.holders.set(granted, id);
    this.outcomes.set(id, granted);
    return true;
  }

  #next(): string | undefined {
    const warm = this.#idle.filter((key) => !this.cold.has(key));
    const added = [...this.states.keys()];
    if (warm.length === 0) return added.find((key) => this.#idle.includes(key) && !this.#isHeld(key));
    const lastGrant = (key: string) => this.#history.lastIndexOf(key);
    const uses = (key: string) => this.#history.filter((other) => other === key).length;
    switch (this.strategy) {
      case 'fifo':
        return warm[0];
      case 'lifo':
        return warm.at(-1);
      case 'round-robin':
        return added.filter((key) => warm.includes(key)).sort((a, b) => lastGrant(a) - lastGrant(b))[0];
      case 'least-used':
        return warm.sort((a, b) => uses(a) - uses(b))[0];
    }
  }

  #isHeld(key: string): boolean {
    return this.#coldHeld && this.cold.has(key);
  }
}
