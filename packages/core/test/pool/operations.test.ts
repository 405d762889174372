import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { available, errorOf, type PoolFixture, poolOf, stateOf, statuses } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };

describe('operations that meet: what was asked last holds', () => {
  it('a restart while a drain waits for the holder', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const { driver, pools } = fixture;
    const lease = await pools.lease();
    const drained = pools.pool().drain();
    const restarted = pools.pool().restart();
    const next = pools.lease();
    expect(await stateOf(next)).toBe('pending');
    await lease.release();
    await Promise.all([drained, restarted]);
    await (await next).callTool('browser_click');
    expect(driver.browsers).toHaveLength(2);
    expect(statuses(fixture)).toEqual(['healthy']);
  });

  it('a drain while a restart waits for the holder', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const { driver, pools } = fixture;
    const lease = await pools.lease();
    const restarted = pools.pool().restart();
    const waiting = errorOf(pools.lease());
    const drained = pools.pool().drain();
    expect((await waiting).message).toContain('out of service');
    await lease.release();
    await Promise.all([restarted, drained]);
    expect(statuses(fixture)).toEqual(['stopped']);
    expect(available(fixture)).toBe(0);
    expect((await errorOf(pools.lease())).message).toContain('out of service');
    expect(driver.starting.count).toBe(1);
  });

  it('a drain while a restart starts the new browser', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const { driver, pools } = fixture;
    driver.starting.hold();
    const restarted = pools.pool().restart();
    await settle();
    const drained = pools.pool().drain();
    driver.starting.release();
    await Promise.all([restarted, drained]);
    expect(statuses(fixture)).toEqual(['stopped']);
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, true]);
    expect(available(fixture)).toBe(0);
  });

  it('a drain while a restart waits for its turn to start', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2, startConcurrency: 1 });
    const { driver, pools } = fixture;
    driver.starting.hold();
    const first = pools.pool().restart({ instance: '0' });
    await settle();
    const second = errorOf(pools.pool().restart({ instance: '1' }));
    await settle();
    await pools.pool().drain({ instance: '1' });
    expect((await second).code).toBe('BROWSER_NOT_READY');
    driver.starting.release();
    await first;
    expect(statuses(fixture)).toEqual(['healthy', 'stopped']);
  });

  it('a restart while a drain closes the browser', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const { driver, pools } = fixture;
    driver.browser('0').disposing.hold();
    const drained = pools.pool().drain();
    await settle();
    const restarted = pools.pool().restart();
    driver.browser('0').disposing.release();
    await Promise.all([drained, restarted]);
    expect(statuses(fixture)).toEqual(['healthy']);
    expect(available(fixture)).toBe(1);
  });

  it('many restarts of one instance: one after the other, and it is there in the end', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const { driver, pools } = fixture;
    await Promise.all([1, 2, 3].map(() => pools.pool().restart()));
    expect(driver.browsers.filter(({ disposed }) => !disposed)).toHaveLength(1);
    expect(available(fixture)).toBe(1);
  });

  it('scale down during a restart removes the instance', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { driver, pools } = fixture;
    driver.starting.hold();
    const restarted = pools.pool().restart({ instance: '1' });
    await settle();
    const scaled = pools.pool().scale(1);
    driver.starting.release();
    await Promise.all([restarted, scaled]);
    expect(statuses(fixture)).toEqual(['healthy']);
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([false, true, true]);
  });

  it('a restart of what is being removed is refused; of the whole pool it is about the others', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { driver, pools } = fixture;
    const lease = await pools.lease({ instance: '1' });
    const scaled = pools.pool().scale(1);
    await settle();
    expect((await errorOf(pools.pool().restart({ instance: '1' }))).code).toBe('INSTANCE_NOT_FOUND');
    await pools.pool().restart();
    expect(driver.browsers.map(({ config }) => config.id)).toEqual(['0', '1', '0']);
    await lease.release();
    await scaled;
    expect(statuses(fixture)).toEqual(['healthy']);
  });

  it('a drain of the pool while it scales up keeps out of service what is there, and no more', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const drained = fixture.pools.pool().drain();
    await fixture.pools.pool().scale(2);
    await drained;
    await settle();
    expect(statuses(fixture)).toEqual(['stopped', 'healthy']);
    expect((await fixture.pools.lease()).instance).toBe('1');
  });

  it('a restart while an idle browser is closed', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, lazy: true, idleTimeout: 1_000 });
    const { clock, driver, pools } = fixture;
    await (await pools.lease()).release();
    driver.browser('0').disposing.hold();
    await clock.advance(1_000);
    const restarted = pools.pool().restart();
    driver.browser('0').disposing.release();
    await restarted;
    expect(available(fixture)).toBe(1);
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('a restart while a browser that was given up closes slowly: it is not started twice', async () => {
    const fixture = await poolOf({ instances: 1, healthInterval: 1_000, maxRestarts: 1 });
    const { clock, driver, pools } = fixture;
    const hung = driver.browser('0');
    hung.pinging.fail(new Error('No answer.'));
    hung.disposing.hold();
    await clock.advance(2_000);
    const restarted = pools.pool().restart();
    // Closing has eight seconds; the new browser does not wait any longer.
    await clock.advance(8_000);
    await restarted;
    const lease = await pools.lease();
    hung.disposing.release();
    await settle();
    expect(statuses(fixture)).toEqual(['healthy']);
    expect(driver.starting.count).toBe(2);
    await lease.callTool('browser_click');
    // Its restart budget is still whole, too.
    driver.browser('0').crash();
    await settle();
    expect(statuses(fixture)).toEqual(['healthy']);
  });
});

describe('close during an operation', () => {
  const CLOSED = ['SHUTTING_DOWN', 'resolved'];

  it.each<[string, (fixture: PoolFixture) => Promise<void>]>([
    ['restart', ({ pools }) => pools.pool().restart()],
    ['drain', ({ pools }) => pools.pool().drain()],
    ['scale', ({ pools }) => pools.pool().scale(1)],
  ])('%s that waits for a holder ends it', async (_name, operate) => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const lease = await fixture.pools.lease({ instance: '1' });
    const operation = operate(fixture);
    expect(await stateOf(operation)).toBe('pending');
    await fixture.pools.close();
    expect(CLOSED).toContain(await stateOf(operation));
    expect(lease.revoked.aborted).toBe(true);
    expect(statuses(fixture).every((status) => status === 'stopped')).toBe(true);
  });

  it.each<[string, (fixture: PoolFixture) => Promise<void>]>([
    ['restart', ({ pools }) => pools.pool().restart()],
    ['drain', ({ pools }) => pools.pool().drain()],
    ['scale', ({ pools }) => pools.pool().scale(1)],
  ])('%s that waits for a lease in preparation ends it', async (_name, operate) => {
    const fixture = await poolOf({ ...QUIET, instances: 2, lazy: true });
    const { driver, pools } = fixture;
    driver.starting.hold();
    const lease = errorOf(pools.lease({ instance: '1' }));
    await settle();
    const operation = operate(fixture);
    await settle();
    const closed = pools.close();
    driver.starting.release();
    await closed;
    expect((await lease).code).toBe('SHUTTING_DOWN');
    expect(CLOSED).toContain(await stateOf(operation));
  });

  it.each<[string, (fixture: PoolFixture) => Promise<void>]>([
    ['restart', ({ pools }) => pools.pool().restart()],
    ['drain', ({ pools }) => pools.pool().drain()],
    ['scale', ({ pools }) => pools.pool().scale(1)],
  ])('%s that waits for a reset ends it', async (_name, operate) => {
    const fixture = await poolOf({ ...QUIET, instances: 2, reset: 'lease' });
    const { driver, pools } = fixture;
    const lease = await pools.lease({ instance: '1' });
    driver.browser('1').resetting.hold();
    const released = lease.release();
    await settle();
    const operation = operate(fixture);
    await settle();
    await pools.close();
    await released;
    expect(CLOSED).toContain(await stateOf(operation));
  });

  it('waits for a browser that an operation is closing', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { driver, pools } = fixture;
    for (const browser of driver.browsers) browser.disposing.hold();
    const drained = pools.pool().drain({ instance: '0' });
    const scaled = pools.pool().scale(1);
    await settle();
    const closed = pools.close();
    expect(await stateOf(closed)).toBe('pending');
    driver.browser('0').disposing.release();
    expect(await stateOf(closed)).toBe('pending');
    driver.browser('1').disposing.release();
    expect(await stateOf(closed)).toBe('resolved');
    await drained;
    await scaled;
  });

  it('refuses operations that come later', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1 });
    await pools.close();
    const pool = pools.pool();
    for (const operation of [pool.restart(), pool.scale(3), pool.reconfigure(pool.config)]) {
      expect((await errorOf(operation)).code).toBe('SHUTTING_DOWN');
    }
    await pool.drain();
    expect(driver.starting.count).toBe(1);
    expect(pool.status().total_instances).toBe(1);
  });
});
