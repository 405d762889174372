import { describe, expect, it } from 'vitest';
import type { LeaseStrategy } from '../../src/lease/idle-order.js';
import { type QueueFixture, queueOf } from './queue-fixture.js';

/** Leases this entry once and gives it back. */
async function use({ acquire }: QueueFixture, ...keys: string[]): Promise<void> {
  for (const key of keys) (await acquire({ key })).release();
}

/** Leases everything that is idle, and tells in which order it came. */
async function leaseAll({ queue, acquire }: QueueFixture): Promise<string[]> {
  const keys: string[] = [];
  while (queue.counts().idle > 0) keys.push((await acquire()).key);
  return keys;
}

const STRATEGIES: readonly LeaseStrategy[] = ['fifo', 'lifo', 'round-robin', 'least-used'];

describe('strategy', () => {
  it('fifo, the default, leases the entry that was returned earliest [000-lease-04, arch-lease-08]', async () => {
    const pool = queueOf(['0', '1', '2']);
    await use(pool, '1', '0');
    expect(await leaseAll(pool)).toEqual(['2', '1', '0']);
  });

  it('lifo leases the entry that was returned latest [arch-lease-08]', async () => {
    const pool = queueOf(['0', '1', '2'], { strategy: 'lifo' });
    await use(pool, '1', '0');
    expect(await leaseAll(pool)).toEqual(['0', '1', '2']);
  });

  it('round-robin leases the entry that was granted longest ago, whenever it was returned [arch-lease-08]', async () => {
    const pool = queueOf(['0', '1', '2', '3'], { strategy: 'round-robin' });
    const { acquire } = pool;
    const grants = [await acquire(), await acquire(), await acquire()];
    expect(grants.map(({ key }) => key)).toEqual(['0', '1', '2']);
    for (const grant of grants.reverse()) grant.release();
    expect(await leaseAll(pool)).toEqual(['3', '0', '1', '2']);
  });

  it('round-robin takes entries that were never granted as they were added, before all others', async () => {
    const pool = queueOf(['0', '1', '2'], { strategy: 'round-robin' });
    await use(pool, '0');
    pool.queue.reserve('1');
    pool.queue.restore('1');
    pool.queue.add('3');
    expect(await leaseAll(pool)).toEqual(['1', '2', '3', '0']);
  });

  it('least-used leases the entry that was granted the fewest times [arch-lease-08]', async () => {
    const pool = queueOf(['0', '1', '2'], { strategy: 'least-used' });
    await use(pool, '0', '0', '0', '1', '2', '2');
    expect(await leaseAll(pool)).toEqual(['1', '2', '0']);
  });

  it('least-used takes the one returned earliest of those used as often', async () => {
    const pool = queueOf(['0', '1', '2'], { strategy: 'least-used' });
    await use(pool, '2', '0', '1');
    expect(await leaseAll(pool)).toEqual(['2', '0', '1']);
  });

  it('counts the lease of a waiter as any other', async () => {
    const pool = queueOf(['0'], { strategy: 'least-used' });
    const held = await pool.acquire();
    const waiting = pool.acquire();
    held.release();
    (await waiting).release();
    pool.queue.add('1');
    await use(pool, '1');
    expect(await leaseAll(pool)).toEqual(['1', '0']);
  });

  it('an entry that was removed and added again has no past', async () => {
    const pool = queueOf(['0', '1'], { strategy: 'least-used' });
    await use(pool, '0', '0', '1');
    pool.queue.remove('0');
    pool.queue.add('0');
    expect(await leaseAll(pool)).toEqual(['0', '1']);
  });

  it.each(STRATEGIES)('%s leases no entry that is under maintenance [arch-lease-09]', async (strategy) => {
    const pool = queueOf(['0', '1', '2', '3', '4'], { strategy });
    const leased = await pool.acquire({ key: '4' });
    expect(pool.queue.reserve('4')).toBe(false);
    pool.queue.reserve('0');
    pool.queue.reserve('2');
    expect((await leaseAll(pool)).sort()).toEqual(['1', '3']);
    expect(leased.released).toBe(false);
  });

  it.each(STRATEGIES)(
    '%s: a keyed lease leaves the order of the other idle entries alone',
    async (strategy) => {
      const keys = ['0', '1', '2', '3', '4', '5', '6'];
      const untouched = await leaseAll(queueOf(keys, { strategy }));
      const pool = queueOf(keys, { strategy });
      await pool.acquire({ key: '1' });
      await pool.acquire({ key: '4' });
      expect(await leaseAll(pool)).toEqual(untouched.filter((key) => key !== '1' && key !== '4'));
    },
  );
});

describe('setStrategy', () => {
  const orders: [LeaseStrategy, string[]][] = [
    ['fifo', ['2', '3', '0', '1']],
    ['lifo', ['1', '0', '3', '2']],
    ['round-robin', ['3', '1', '2', '0']],
    ['least-used', ['3', '2', '0', '1']],
  ];
  const changes = orders.flatMap(([from]) => orders.map(([to, order]) => ({ from, to, order })));

  it.each(changes)(
    'from $from to $to orders what is idle by what has happened',
    async ({ from, to, order }) => {
      const pool = queueOf(['0', '1', '2', '3'], { strategy: from });
      await use(pool, '1', '1', '2');
      // Granted in the order 1, 2, 0; back in the order 2, 3, 0, 1. Granted twice: 0 and 1. Never: 3.
      pool.queue.reserve('3');
      pool.queue.restore('3');
      await use(pool, '0', '0');
      pool.queue.reserve('1');
      pool.queue.restore('1');
      pool.queue.setStrategy(to);
      expect(await leaseAll(pool)).toEqual(order);
    },
  );

  it('holds for what is returned later', async () => {
    const pool = queueOf(['0', '1', '2']);
    pool.queue.setStrategy('lifo');
    await use(pool, '0');
    expect(await leaseAll(pool)).toEqual(['0', '2', '1']);
  });
});
