import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/config-input.js';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, expectNothingLeft, poolOf, stateOf } from './pool-fixture.js';

const ONE_AT_A_TIME = { startConcurrency: 1, healthInterval: 86_400_000 };
const LAZY = { ...ONE_AT_A_TIME, lazy: true };

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

  it('is waited for in line: the caller is told at its LEASE_TIMEOUT', async () => {
    const { clock, driver, pools } = await poolOf({ ...LAZY, instances: 2, startTimeout: 30_000 });
    driver.starting.hold();
    const first = errorOf(pools.lease());
    const second = errorOf(pools.lease({ timeoutMs: 5_000 }));
    await clock.advance(5_000);
    const error = await second;
    expect(error.code).toBe('LEASE_TIMEOUT');
    expect(error.message).toContain('Waiting for their turn to start: 1 (START_CONCURRENCY).');
    await clock.advance(25_000);
    expect((await first).message).toContain('did not start within 30000 ms');
    driver.starting.release();
  });

  it('ties nobody to its instance: the earliest has whichever comes back first', async () => {
    const { driver, pools } = await poolOf({ ...LAZY, instances: 3 });
    const warm = await pools.lease();
    driver.starting.hold();
    const hung = pools.lease();
    const [second, third] = [pools.lease(), pools.lease()];
    await settle();
    await warm.release();
    expect((await second).instance).toBe('0');
    expect(await stateOf(third)).toBe('pending');
    driver.starting.release();
    expect((await hung).instance).toBe('1');
    expect((await third).instance).toBe('2');
  });

  it('is no longer needed when a start fails: the next in line has its turn', async () => {
    const { driver, pools } = await poolOf({ ...LAZY, instances: 2 });
    driver.starting.hold();
    const first = errorOf(pools.lease());
    const second = pools.lease({ instance: '1' });
    driver.starting.fail(new PwpoolError('BROWSER_NOT_READY', 'No such browser.'));
    await settle();
    driver.starting.releaseNext();
    expect((await first).message).toBe('No such browser.');
    await settle();
    expect(driver.starting.waiting).toBe(1);
    driver.starting.succeed();
    driver.starting.release();
    expect((await second).instance).toBe('1');
  });

  it('is not needed for what may start at once: nobody is refused by QUEUE_LIMIT', async () => {
    const { pools } = await poolOf({ ...LAZY, instances: 4, startConcurrency: 4, queueLimit: 0 });
    const leases = await Promise.all([1, 2, 3, 4].map(() => pools.lease()));
    expect(leases.map(({ instance }) => instance)).toEqual(['0', '1', '2', '3']);
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
    const second = errorOf(pools.lease({ instance: '1' }));
    await settle();
    await pools.pool().drain({ instance: '1' });
    expect((await second).message).toBe(
      "Instance '1' of pool 'WEB' is out of service: it is drained and gives no new leases.",
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
