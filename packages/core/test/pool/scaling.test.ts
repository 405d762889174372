import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf, stateOf, statuses } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };

describe('scale up', () => {
  it('adds instances, which start and serve those who wait [000-future-02]', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, browser: 'firefox' });
    const { driver, pools } = fixture;
    await pools.lease();
    const waiting = pools.lease();
    await pools.pool().scale(3);
    expect((await waiting).instance).toBe('1');
    expect((await pools.lease({ instance: '2' })).config.settings.browser).toBe('firefox');
    expect(driver.browsers).toHaveLength(3);
    expect(pools.status().summary.total_instances).toBe(3);
    expect(pools.pool().config.instances.map(({ id }) => id)).toEqual(['0', '1', '2']);
  });

  it('of a lazy pool starts nothing before a lease', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, lazy: true });
    await fixture.pools.pool().scale(2);
    expect(statuses(fixture)).toEqual(['stopped', 'stopped']);
    expect(fixture.pools.status().summary.available_instances).toBe(2);
    await fixture.pools.lease({ instance: '1' });
    expect(fixture.driver.starting.count).toBe(1);
  });

  it('does not give new instances what only the old ones were given', async () => {
    const { pools } = await poolOf({
      ...QUIET,
      instances: 1,
      instance: { 0: { alias: 'main', browser: 'firefox' } },
    });
    await pools.pool().scale(2);
    const { config } = await pools.lease({ instance: '1' });
    expect([config.alias, config.settings.browser]).toEqual([null, 'chromium']);
  });
});

describe('scale down', () => {
  it('removes the last instances and closes their browsers [000-future-02]', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 3 });
    await fixture.pools.pool().scale(1);
    expect(fixture.driver.browsers.map(({ disposed }) => disposed)).toEqual([false, true, true]);
    expect(fixture.pools.status().summary.total_instances).toBe(1);
    const error = await errorOf(fixture.pools.lease({ instance: '2' }));
    expect(error.code).toBe('INSTANCE_NOT_FOUND');
    expect(error.hint).toBe('Use one of: 0.');
  });

  it('waits for the holder, while the instance is draining and gives no new lease', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { pools } = fixture;
    const lease = await pools.lease({ instance: '1' });
    const scaled = pools.pool().scale(1);
    await settle();
    expect(statuses(fixture)).toEqual(['healthy', 'draining']);
    expect((await errorOf(pools.lease({ instance: '1' }))).code).toBe('INSTANCE_NOT_FOUND');
    await lease.callTool('browser_click');
    expect(await stateOf(scaled)).toBe('pending');
    await lease.release();
    await scaled;
    expect(statuses(fixture)).toEqual(['healthy']);
  });

  it('takes the lease of a holder who keeps it beyond the time-out', async () => {
    const { clock, pools } = await poolOf({ ...QUIET, instances: 2 });
    const lease = await pools.lease({ instance: '1' });
    const scaled = pools.pool().scale(1, { timeoutMs: 5_000 });
    await clock.advance(5_000);
    await scaled;
    expect(lease.revoked.reason).toMatchObject({ code: 'LEASE_REVOKED' });
    await lease.release();
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('tells those who wait for such an instance at once', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 2 });
    await pools.lease({ instance: '1' });
    const waiting = errorOf(pools.lease({ instance: '1' }));
    void pools
      .pool()
      .scale(1)
      .catch(() => {});
    const error = await waiting;
    expect(error.code).toBe('INSTANCE_NOT_FOUND');
    expect(error.message).toBe("Instance '1' not found in pool 'WEB'.");
  });

  it('tells everybody when what is left has failed for good', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 2, autoRestart: false });
    await pools.lease({ instance: '1' });
    driver.browser('0').crash();
    const waiting = errorOf(pools.lease());
    void pools
      .pool()
      .scale(1)
      .catch(() => {});
    expect((await waiting).code).toBe('NO_HEALTHY_INSTANCES');
  });

  it('removes an instance whose browser does not close properly, and tells', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const bad = fixture.driver.browser('1');
    bad.disposing.fail(new Error('The profile is locked.'));
    await expect(fixture.pools.pool().scale(1)).rejects.toThrow('The profile is locked.');
    expect(statuses(fixture)).toEqual(['healthy']);
    await fixture.pools.pool().scale(2);
    await settle();
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
    bad.disposing.succeed();
    await bad[Symbol.asyncDispose]();
  });

  it('removes one that failed, one that starts, and one that was drained', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 4, autoRestart: false });
    const { driver, pools } = fixture;
    driver.browser('1').crash();
    await pools.pool().drain({ instance: '2' });
    driver.starting.hold();
    void pools
      .pool()
      .restart({ instance: '3' })
      .catch(() => {});
    await settle();
    const scaled = pools.pool().scale(1);
    driver.starting.release();
    await scaled;
    expect(statuses(fixture)).toEqual(['healthy']);
    expect((await pools.lease()).instance).toBe('0');
  });
});

describe('a count', () => {
  it.each([0, -1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY])('of %s is refused', async (count) => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const error = await errorOf(fixture.pools.pool().scale(count));
    expect(error.code).toBe('INVALID_ARGUMENTS');
    expect(error.hint).toBe('Give a whole number from 1 to 1000.');
    expect(statuses(fixture)).toEqual(['healthy']);
  });

  it('to what the settings of the pool do not allow is refused, and changes nothing', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 3, minIdle: 2 });
    const error = await errorOf(pools.pool().scale(1));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain('MIN_IDLE');
    expect(pools.status().summary.total_instances).toBe(3);
  });

  it('of what there is changes nothing', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 2 });
    await pools.pool().scale(2);
    expect(driver.starting.count).toBe(2);
    expect(driver.browsers.some(({ disposed }) => disposed)).toBe(false);
  });
});

describe('down and up again', () => {
  it('while the removed instance is still held gives a new one in its place, later', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { driver, pools } = fixture;
    const lease = await pools.lease({ instance: '1' });
    const down = pools.pool().scale(1);
    const up = pools.pool().scale(2);
    expect(await stateOf(up)).toBe('pending');
    await lease.callTool('browser_click');
    await lease.release();
    await Promise.all([down, up]);
    await settle();
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
    expect(driver.browsers.map(({ config, disposed }) => [config.id, disposed])).toEqual([
      ['0', false],
      ['1', true],
      ['1', false],
    ]);
    expect(await stateOf(pools.lease({ instance: '1' }))).toBe('resolved');
  });

  it('and down, all at once, ends as asked last', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const pool = fixture.pools.pool();
    await Promise.all([pool.scale(4), pool.scale(1), pool.scale(3), pool.scale(2)]);
    await settle();
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
    expect(pool.config.instances).toHaveLength(2);
  });

  it('gives an instance that starts afresh: no memory of the one before it', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 2 });
    await (await pools.lease({ instance: '1', keep: true })).release();
    await pools.pool().scale(1);
    await pools.pool().scale(2);
    await settle();
    await pools.lease({ instance: '1' });
    expect(driver.browser('1').resetting.count).toBe(0);
  });
});
