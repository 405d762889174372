import { PwpoolError } from '@pwpool/core';
import { type Grant, LeaseQueue, systemClock } from '@pwpool/core/internal';
import genericPool from 'generic-pool';
import { Pool as TarnPool } from 'tarn';
import { BareQueue } from './bare-queue.js';

/** Longer than any run: no deadline passes, but every waiter has a running timer, as in production. */
const TIMEOUT_MS = 10 * 60 * 1000;

/** Waiters that will give up together. The promise of `join` settles once its caller has learnt of it. */
export interface CancelGroup {
  join(): Promise<unknown>;
  cancel(): void;
}

/** A library under test, holding a fixed number of trivial resources. `H` is what an acquire gives. */
export interface Contender<H> {
  acquire(): Promise<H>;
  release(held: H): void;
  close(): Promise<unknown>;
}

/** A library that can cancel one waiter. */
export interface Cancelling {
  /** Each waiter of the group is cancelled by itself. */
  cancelEach(): CancelGroup;
}

export function pwpool(entries: number) {
  const queue = new LeaseQueue({
    clock: systemClock,
    onFull: () => new PwpoolError('POOL_BUSY', 'The benchmark sets no limit.'),
    onTimeout: () => new PwpoolError('LEASE_TIMEOUT', 'The benchmark ran longer than its deadline.'),
  });
  for (let entry = 0; entry < entries; entry++) queue.add(String(entry));
  return {
    acquire: () => queue.acquire({ timeoutMs: TIMEOUT_MS }),
    acquireKey: (key: string) => queue.acquire({ key, timeoutMs: TIMEOUT_MS }),
    release: (grant: Grant) => grant.release(),
    cancelEach: () => signalEach((signal) => queue.acquire({ timeoutMs: TIMEOUT_MS, signal })),
    /** One signal for the whole group. */
    cancelTogether() {
      const controller = new AbortController();
      const { signal } = controller;
      return {
        join: () => queue.acquire({ timeoutMs: TIMEOUT_MS, signal }),
        cancel: () => controller.abort(),
      };
    },
    close: async () => queue.close(new PwpoolError('SHUTTING_DOWN', 'The benchmark is over.')),
  };
}

export function bare(entries: number): Contender<void> & Cancelling {
  const queue = new BareQueue(entries, TIMEOUT_MS);
  return {
    acquire: () => queue.acquire(),
    release: () => queue.release(),
    cancelEach: () => signalEach((signal) => queue.acquire(signal)),
    close: async () => queue.close(),
  };
}

/** generic-pool cannot cancel: a waiter leaves by its time-out only. */
export function generic(entries: number): Contender<object> {
  const factory = { create: async () => ({}), destroy: async () => undefined };
  const pool = genericPool.createPool<object>(factory, { max: entries, acquireTimeoutMillis: TIMEOUT_MS });
  return {
    acquire: () => pool.acquire(),
    release: (resource) => void pool.release(resource),
    close: async () => {
      await pool.drain();
      await pool.clear();
    },
  };
}

export function tarn(entries: number): Contender<object> & Cancelling {
  const pool = new TarnPool<object>({
    create: async () => ({}),
    destroy: () => undefined,
    min: 0,
    max: entries,
    acquireTimeoutMillis: TIMEOUT_MS,
  });
  return {
    acquire: () => pool.acquire().promise,
    release: (resource) => void pool.release(resource),
    cancelEach() {
      const group: { abort(): void }[] = [];
      return {
        join() {
          const pending = pool.acquire();
          group.push(pending);
          return pending.promise;
        },
        cancel() {
          for (const pending of group) pending.abort();
        },
      };
    },
    close: () => pool.destroy(),
  };
}

function signalEach(acquire: (signal: AbortSignal) => Promise<unknown>): CancelGroup {
  const controllers: AbortController[] = [];
  return {
    join() {
      const controller = new AbortController();
      controllers.push(controller);
      return acquire(controller.signal);
    },
    cancel() {
      for (const controller of controllers) controller.abort();
    },
  };
}
