import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { available, errorOf, poolOf, stateOf, statuses } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };
const NOT_READY = new PwpoolError('BROWSER_NOT_READY', 'It does not start.');

describe('restart', () => {
  it('replaces every idle browser, never the last that callers could have, and ends when the new ones run', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { driver, pools } = fixture;
    driver.starting.hold();
    const restarted = pools.pool().restart();
    expect(await stateOf(restarted)).toBe('pending');
    expect(available(fixture)).toBe(1);
    driver.starting.release();
    await restarted;
    expect(driver.browsers.map(({ disposed, retired }) => disposed && retired)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(available(fixture)).toBe(2);
  });

  it('of one instance, by its alias, leaves the others alone', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 2, instance: { 1: { alias: 'main' } } });
    await pools.pool().restart({ instance: 'main' });
    expect(driver.browsers.map(({ config, disposed }) => [config.id, disposed])).toEqual([
      ['0', false],
      ['1', true],
      ['1', false],
    ]);
  });

  it('waits for the holder, and comes before the next one [arch-lease-09]', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1 });
    const lease = await pools.lease();
    const next = pools.lease();
    const restarted = pools.pool().restart();
    await lease.callTool('browser_click');
    expect(await stateOf(restarted)).toBe('pending');
    expect(driver.browsers).toHaveLength(1);
    await lease.release();
    await restarted;
    await (await next).callTool('browser_click');
    expect(driver.browsers).toHaveLength(2);
    expect(driver.browser('0').disposed).toBe(false);
  });

  it('takes the instance from a holder who keeps it beyond the time-out', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, instances: 1 });
    const lease = await pools.lease();
    const restarted = pools.pool().restart({ timeoutMs: 5_000 });
    await clock.advance(4_999);
    expect(lease.revoked.aborted).toBe(false);
    await clock.advance(1);
    await restarted;
    const error = await errorOf(lease.callTool('browser_click'));
    expect(error.code).toBe('LEASE_REVOKED');
    expect(error.message).toContain('did not give it back within 5000 ms');
    expect(driver.browsers).toHaveLength(2);
  });

  it('has the time-out of leases unless told', async () => {
    const { clock, pools } = await poolOf({ ...QUIET, instances: 1, leaseTimeout: 7_000 });
    const lease = await pools.lease();
    const restarted = pools.pool().restart();
    await clock.advance(6_999);
    expect(lease.revoked.aborted).toBe(false);
    await clock.advance(1);
    await restarted;
    expect(lease.revoked.aborted).toBe(true);
  });

  it('brings back an instance that has failed for good, with its budget whole [arch-instance-05]', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, maxRestarts: 1 });
    const { clock, driver, pools } = fixture;
    driver.browser('0').crash();
    await settle();
    driver.browser('0').crash();
    await clock.advance(59_999);
    expect(statuses(fixture)).toEqual(['failed']);
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    await pools.pool().restart();
    expect(await stateOf(pools.lease())).toBe('resolved');
    driver.browser('0').crash();
    await settle();
    expect(statuses(fixture)).toEqual(['healthy']);
  });

  it('lets callers wait as soon as it has begun', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1, autoRestart: false });
    driver.browser('0').crash();
    driver.starting.hold();
    const restarted = pools.pool().restart();
    const lease = pools.lease();
    expect(await stateOf(lease)).toBe('pending');
    driver.starting.release();
    await restarted;
    expect(await stateOf(lease)).toBe('resolved');
  });

  it('does not wait for the back-off of a failed instance', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const { clock, driver, pools } = fixture;
    driver.browser('0').crash();
    await settle();
    driver.browser('0').crash();
    expect(statuses(fixture)).toEqual(['failed']);
    await pools.pool().restart();
    expect(statuses(fixture)).toEqual(['healthy']);
    await clock.advance(60_000);
    expect(driver.starting.count).toBe(3);
  });

  it('that fails tells why, and leaves the rest to the restart policy', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { clock, driver, pools } = fixture;
    driver.starting.fail(NOT_READY);
    expect(await errorOf(pools.pool().restart({ instance: '0' }))).toBe(NOT_READY);
    await settle();
    expect(statuses(fixture)).toEqual(['failed', 'healthy']);
    driver.starting.succeed();
    await clock.advance(500);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
    expect(available(fixture)).toBe(2);
  });

  it('of a lazy pool starts what ran, and nothing else', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2, lazy: true });
    await (await fixture.pools.lease({ instance: '1' })).release();
    await fixture.pools.pool().restart();
    expect(statuses(fixture)).toEqual(['stopped', 'healthy']);
    expect(available(fixture)).toBe(2);
  });

  it('of an instance that is just being started gives it one browser in the end', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 }, { prepare: ({ starting }) => starting.hold() });
    const restarted = fixture.pools.pool().restart();
    fixture.driver.starting.release();
    await restarted;
    expect(fixture.driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
    expect(available(fixture)).toBe(1);
  });

  it('replaces a browser that does not close properly all the same', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1 });
    const old = driver.browser('0');
    old.disposing.fail(new Error('The profile is locked.'));
    await pools.pool().restart();
    expect(driver.browsers).toHaveLength(2);
    expect(await stateOf(pools.lease())).toBe('resolved');
    old.disposing.succeed();
    await old[Symbol.asyncDispose]();
  });

  it('of an unknown instance is refused', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 1 });
    expect((await errorOf(pools.pool().restart({ instance: '7' }))).code).toBe('INSTANCE_NOT_FOUND');
  });
});
