import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf, stateOf } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };

type Strategy = 'fifo' | 'lifo' | 'round-robin' | 'least-used';

describe('QUEUE_LIMIT', () => {
  it('refuses one caller too many at once, and tells who holds what', async () => {
    const { clock, pools } = await poolOf({ ...QUIET, instances: 2, queueLimit: 1 });
    await pools.lease({ holder: 'session alice' });
    await clock.advance(1_500);
    const held = await pools.lease({ holder: 'script run' });
    const waiting = pools.lease();
    const error = await errorOf(pools.lease());
    expect(error.code).toBe('POOL_BUSY');
    expect(error.retryable).toBe(true);
    expect(error.message).toBe(
      "Pool 'WEB' is busy: 1 callers wait for an instance already, which is its QUEUE_LIMIT. " +
        'Held: instance 0 by session alice for 1500 ms; instance 1 by script run for 0 ms.',
    );
    expect(error.hint).toContain('QUEUE_LIMIT');
    expect(error.details).toMatchObject({
      pool: 'WEB',
      counts: { leased: 2, idle: 0, waiting: 1 },
      holders: [
        { instance: '0', holder: 'session alice', heldMs: 1_500 },
        { instance: '1', holder: 'script run', heldMs: 0 },
      ],
    });
    await held.release();
    expect(await stateOf(waiting)).toBe('resolved');
  });

  it('counts those who wait for a certain instance too', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 2, queueLimit: 1 });
    await pools.lease({ instance: '0' });
    void pools.lease({ instance: '0' }).catch(() => {});
    expect((await errorOf(pools.lease({ instance: '0' }))).code).toBe('POOL_BUSY');
    // Whoever need not wait is not concerned.
    expect((await pools.lease()).instance).toBe('1');
  });

  it('of 0 lets nobody wait', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 1, queueLimit: 0 });
    const lease = await pools.lease();
    expect((await errorOf(pools.lease())).code).toBe('POOL_BUSY');
    await lease.release();
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('has room again when a waiter leaves', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 1, queueLimit: 1 });
    const held = await pools.lease();
    const controller = new AbortController();
    const first = errorOf(pools.lease({ signal: controller.signal }));
    controller.abort();
    await first;
    const second = pools.lease();
    await held.release();
    expect(await stateOf(second)).toBe('resolved');
  });

  it('is changed by a reload', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 1 });
    const pool = pools.pool();
    await pool.reconfigure({ ...pool.config, settings: { ...pool.config.settings, queueLimit: 0 } });
    await pools.lease();
    expect((await errorOf(pools.lease())).code).toBe('POOL_BUSY');
  });
});

describe('STRATEGY', () => {
  /** Leases all four, gives them back in the order 2, 0, 3, 1, and tells which ones come next. */
  async function orderOf(strategy?: Strategy): Promise<string[]> {
    const { pools } = await poolOf({
      ...QUIET,
      instances: 4,
      startConcurrency: 1,
      ...(strategy ? { strategy } : {}),
    });
    // Granted last to first, and 3 twice.
    const used = await pools.lease({ instance: '3' });
    await used.release();
    const leases = new Map(
      await Promise.all(
        ['3', '2', '1', '0'].map(async (instance) => [instance, await pools.lease({ instance })] as const),
      ),
    );
    for (const instance of ['2', '0', '3', '1']) await leases.get(instance)?.release();
    const next = await Promise.all([1, 2, 3, 4].map(() => pools.lease()));
    return next.map(({ instance }) => instance);
  }

  it.each<[Strategy | undefined, string, string[]]>([
    [undefined, 'the one returned earliest', ['2', '0', '3', '1']],
    ['fifo', 'the one returned earliest', ['2', '0', '3', '1']],
    ['lifo', 'the one returned latest', ['1', '3', '0', '2']],
    ['round-robin', 'the one leased longest ago', ['3', '2', '1', '0']],
    ['least-used', 'the one leased least often, of several the one returned earliest', ['2', '0', '1', '3']],
  ])('%s: %s [arch-lease-08]', async (strategy, _what, expected) => {
    expect(await orderOf(strategy)).toEqual(expected);
  });

  it('lifo keeps to the browsers it has: others of a lazy pool are not started', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 3, lazy: true, strategy: 'lifo' });
    for (let use = 0; use < 5; use++) await (await pools.lease()).release();
    expect(driver.starting.count).toBe(1);
  });

  it('never takes a cold browser while a warm one is idle', async () => {
    for (const strategy of ['fifo', 'lifo', 'round-robin', 'least-used'] as const) {
      const { driver, pools } = await poolOf({ ...QUIET, instances: 3, lazy: true, strategy });
      await (await pools.lease({ instance: '2' })).release();
      expect((await pools.lease()).instance).toBe('2');
      await settle();
      expect(driver.starting.count).toBe(1);
    }
  });
});
