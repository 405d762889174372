import { PwpoolError } from '../../src/errors.js';
import type { AcquireOptions, Grant } from '../../src/lease/grant.js';
import {
  LeaseQueue,
  type LeaseQueueOptions,
  type LeaseTimeoutInfo,
  type LineFullInfo,
} from '../../src/lease/lease-queue.js';
import { FakeClock } from '../../src/testing/fake-clock.js';

export const TIMEOUT_MS = 1000;

export interface QueueFixture {
  clock: FakeClock;
  queue: LeaseQueue;
  /** What the queue reported of each wait that ran out of time. */
  timeouts: LeaseTimeoutInfo[];
  /** What the queue reported of each caller that found the line full. */
  refusals: LineFullInfo[];
  /** Acquires with the default deadline. */
  acquire: (options?: Partial<AcquireOptions>) => ReturnType<LeaseQueue['acquire']>;
}

/** A queue with these entries, added in this order, on a clock that stands still. */
export function queueOf(
  keys: readonly string[],
  options: Pick<LeaseQueueOptions, 'strategy' | 'fairness' | 'limit' | 'onCold'> = {},
): QueueFixture {
  const clock = new FakeClock();
  const timeouts: LeaseTimeoutInfo[] = [];
  const refusals: LineFullInfo[] = [];
  const queue = new LeaseQueue({
    ...options,
    clock,
    onTimeout: (info) => {
      timeouts.push(info);
      return new PwpoolError('LEASE_TIMEOUT', `No instance came free within ${info.waitedMs} ms.`);
    },
    onFull: (info) => {
      refusals.push(info);
      return new PwpoolError('POOL_BUSY', `${info.counts.waiting} callers wait already.`);
    },
  });
  for (const key of keys) queue.add(key);
  return {
    clock,
    queue,
    timeouts,
    refusals,
    acquire: (options) => queue.acquire({ timeoutMs: TIMEOUT_MS, ...options }),
  };
}

/** Resolves to the code the promise was rejected with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof PwpoolError) return error.code;
    throw error;
  }
  return 'no error';
}

/** Notes the name of each acquire when it is granted, in the order of the grants. */
export function recorder() {
  const order: string[] = [];
  const grants = new Map<string, Grant>();
  const watch = (name: string, acquired: Promise<Grant>) => {
    void acquired.then((grant) => {
      order.push(`${name}:${grant.key}`);
      grants.set(name, grant);
    });
  };
  return { order, grants, watch };
}
