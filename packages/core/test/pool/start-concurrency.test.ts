import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/config-input.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, expectNothingLeft, poolOf, stateOf } from './pool-fixture.js';

const ONE_AT_A_TIME = { startConcurrency: 1, healthInterval: 86_400_000 };

const statuses = (pool: { status(): { instances: { status: string }[] } }) =>
  pool.status().instances.map(({ status }) => status);

describe('START_CONCURRENCY', () => {
  it('bounds starts for leases too', async () => {
    const { driver, pools } = await poolOf({ instances: 4, lazy: true, startConcurrency: 2 });
    driver.starting.hold();
    const leases = [1, 2, 3, 4].map(() => pools.lease());
    await settle();
    expect(driver.starting.waiting).toBe(2);
    driver.starting.releaseNext();
    expect(await stateOf(Promise.race(leases))).toBe('resolved');
    expect(driver.starting.waiting).toBe(2);
    driver.starting.release();
    await Promise.all(leases);
    expect(driver.starting.count).toBe(4);
  });

  it('bounds first starts, restarts after crashes, and restarts that were asked for, together', async () => {
    const { driver, pools } = await poolOf({ ...ONE_AT_A_TIME, instances: 2 });
    driver.starting.hold();
    driver.browser('0').crash();
    const restarted = pools.pool().restart({ instance: '1' });
    const scaled = pools.pool().scale(3);
    const seen = [];
    for (let started = 0; started < 3; started++) {
      await settle();
      seen.push(driver.starting.waiting);
      driver.starting.releaseNext();
    }
    await Promise.all([restarted, scaled]);
    await settle();
    expect(seen).toEqual([1, 1, 1]);
    expect(statuses(pools.pool())).toEqual(['healthy', 'healthy', 'healthy']);
  });

  it('may be raised by a reload: more start at once', async () => {
    const pool = (startConcurrency: number) => ({
      pools: { WEB: { instances: 4, isDefault: true, startConcurrency } },
    });
    const { driver, pools } = await poolOf(
      { instances: 4, startConcurrency: 1 },
      { prepare: ({ starting }) => starting.hold() },
    );
    expect(driver.starting.waiting).toBe(1);
    await pools.reload(resolveConfig(pool(3)));
    await settle();
    expect(driver.starting.waiting).toBe(3);
  });

  it('keeps nobody out of turn: one who waits longer is first', async () => {
    const { driver, pools } = await poolOf(
      { ...ONE_AT_A_TIME, instances: 3 },
      { prepare: ({ starting }) => starting.hold() },
    );
    const order: string[] = [];
    driver.onStart = ({ config }) => void order.push(config.id);
    await pools.pool().scale(4);
    driver.starting.release();
    await settle();
    expect(order).toEqual(['0', '1', '2', '3']);
  });
});

describe('a start that waits for its turn', () => {
  it('does not use up START_TIMEOUT', async () => {
    const { clock, driver, pools } = await poolOf(
      { ...ONE_AT_A_TIME, instances: 2, startTimeout: 3_000 },
      { prepare: ({ starting }) => starting.hold() },
    );
    await clock.advance(2_999);
    driver.starting.releaseNext();
    await clock.advance(2_999);
    expect(statuses(pools.pool())).toEqual(['healthy', 'starting']);
    driver.starting.releaseNext();
    await settle();
    expect(statuses(pools.pool())).toEqual(['healthy', 'healthy']);
    expect(driver.starting.count).toBe(2);
  });

  it('gives its lease when the turn has come', async () => {
    const { driver, pools } = await poolOf({ ...ONE_AT_A_TIME, instances: 2, lazy: true });
    driver.starting.hold();
    const first = pools.lease();
    const second = pools.lease();
    await settle();
    driver.starting.releaseNext();
    expect(await stateOf(first)).toBe('resolved');
    expect(await stateOf(second)).toBe('pending');
    driver.starting.releaseNext();
    expect((await second).instance).toBe('1');
  });

  it('counts as waiting for the lease: the caller is not kept beyond both limits', async () => {
    const { clock, driver, pools } = await poolOf({
      ...ONE_AT_A_TIME,
      instances: 2,
      lazy: true,
      startTimeout: 3_000,
    });
    driver.starting.hold();
    const first = errorOf(pools.lease());
    const second = errorOf(pools.lease({ timeoutMs: 1_000 }));
    await clock.advance(3_000);
    expect((await first).message).toContain('did not start within 3000 ms');
    await clock.advance(1_000);
    const error = await second;
    expect(error.code).toBe('BROWSER_NOT_READY');
    expect(error.message).toBe("Instance '1' of pool 'WEB' was not ready within 4000 ms.");
    // What was begun for it serves the next.
    const third = pools.lease({ instance: '1' });
    driver.starting.release();
    expect(await stateOf(third)).toBe('resolved');
  });

  it('leaves the line when the pool is closed', async () => {
    const fixture = await poolOf({ ...ONE_AT_A_TIME, instances: 3, lazy: true });
    const { driver, pools } = fixture;
    driver.starting.hold();
    const leases = [1, 2, 3].map(() => errorOf(pools.lease()));
    await settle();
    const closed = pools.close();
    driver.starting.release();
    await closed;
    expect((await Promise.all(leases)).map(({ code }) => code)).toEqual([
      'SHUTTING_DOWN',
      'SHUTTING_DOWN',
      'SHUTTING_DOWN',
    ]);
    expect(driver.starting.count).toBe(1);
    expectNothingLeft(fixture);
  });

  it('is given up when its instance is drained, and told to who asked for it', async () => {
    const { driver, pools } = await poolOf({ ...ONE_AT_A_TIME, instances: 2, lazy: true });
    driver.starting.hold();
    const first = pools.lease();
    const second = errorOf(pools.lease());
    await settle();
    await pools.pool().drain({ instance: '1' });
    expect((await second).message).toBe(
      "Instance '1' of pool 'WEB' was stopped before its start had its turn.",
    );
    driver.starting.release();
    await first;
    await settle();
    expect(driver.starting.count).toBe(1);
    expect(statuses(pools.pool())).toEqual(['healthy', 'stopped']);
  });

  it('comes once, also when its instance is restarted meanwhile', async () => {
    const { driver, pools } = await poolOf(
      { ...ONE_AT_A_TIME, instances: 2 },
      { prepare: ({ starting }) => starting.hold() },
    );
    const restarted = pools.pool().restart({ instance: '1' });
    driver.starting.release();
    await restarted;
    await settle();
    expect(driver.starting.count).toBe(2);
    expect(statuses(pools.pool())).toEqual(['healthy', 'healthy']);
    expect(pools.status().summary.available_instances).toBe(2);
  });
});
