import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { available, errorOf, poolOf, stateOf, statuses } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };

describe('drain', () => {
  it('stops an idle instance, which gives no new lease until it is restarted [arch-instance-07]', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { driver, pools } = fixture;
    await pools.pool().drain({ instance: '0' });
    expect(statuses(fixture)).toEqual(['stopped', 'healthy']);
    expect(driver.browser('0').disposed).toBe(true);
    expect((await pools.lease()).instance).toBe('1');
    expect(await stateOf(pools.lease())).toBe('pending');
    const error = await errorOf(pools.lease({ instance: '0' }));
    expect(error.code).toBe('BROWSER_NOT_READY');
    expect(error.message).toBe(
      "Instance '0' of pool 'WEB' is out of service: it is drained and gives no new leases.",
    );
    await pools.pool().restart({ instance: '0' });
    expect(await stateOf(pools.lease({ instance: '0' }))).toBe('pending');
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
  });

  it('is draining while the instance is held, and stops it when its holder leaves [arch-instance-07]', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const lease = await fixture.pools.lease();
    const drained = fixture.pools.pool().drain({ instance: '0' });
    expect(statuses(fixture)).toEqual(['draining', 'healthy']);
    await lease.callTool('browser_click');
    expect(await stateOf(drained)).toBe('pending');
    await lease.release();
    await drained;
    expect(statuses(fixture)).toEqual(['stopped', 'healthy']);
  });

  it('tells those who wait for that instance at once; others wait on for the rest', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 2 });
    await pools.lease({ instance: '0' });
    const other = await pools.lease({ instance: '1' });
    const keyed = errorOf(pools.lease({ instance: '0' }));
    const any = pools.lease();
    void pools.pool().drain({ instance: '0' });
    expect((await keyed).message).toContain("Instance '0' of pool 'WEB' is out of service");
    expect(await stateOf(any)).toBe('pending');
    await other.release();
    expect((await any).instance).toBe('1');
  });

  it('of the whole pool refuses everybody, at once', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { pools } = fixture;
    const leases = [await pools.lease(), await pools.lease()];
    const waiting = [errorOf(pools.lease()), errorOf(pools.lease({ instance: '1' }))];
    const drained = pools.pool().drain();
    for (const error of [...(await Promise.all(waiting)), await errorOf(pools.lease())]) {
      expect(error.code).toBe('BROWSER_NOT_READY');
      expect(error.message).toBe("Pool 'WEB' is out of service: it is drained and gives no new leases.");
    }
    for (const lease of leases) await lease.release();
    await drained;
    expect(statuses(fixture)).toEqual(['stopped', 'stopped']);
    expect(available(fixture)).toBe(0);
  });

  it('takes the lease of a holder who keeps it beyond the time-out', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, timeout: 300_000 });
    const { clock, driver, pools } = fixture;
    const lease = await pools.lease();
    driver.browser('0').calling.hold();
    const call = errorOf(lease.callTool('browser_click'));
    const drained = pools.pool().drain({ timeoutMs: 5_000 });
    await clock.advance(5_000);
    expect((await call).code).toBe('LEASE_REVOKED');
    await drained;
    expect(statuses(fixture)).toEqual(['stopped']);
  });

  it('takes a lease that is only being prepared when its time is up', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, lazy: true });
    const { clock, driver, pools } = fixture;
    driver.starting.hold();
    const lease = errorOf(pools.lease());
    await settle();
    const drained = pools.pool().drain({ timeoutMs: 5_000 });
    await clock.advance(5_000);
    driver.starting.release();
    expect((await lease).code).toBe('LEASE_REVOKED');
    await drained;
    expect(statuses(fixture)).toEqual(['stopped']);
  });

  it('that comes between the grant and its holder lets that one use the instance', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const granted = fixture.pools.lease();
    const drained = fixture.pools.pool().drain();
    const lease = await granted;
    await lease.callTool('browser_click');
    expect(statuses(fixture)).toEqual(['draining']);
    await lease.release();
    await drained;
    expect(statuses(fixture)).toEqual(['stopped']);
  });

  it('of an unknown instance is refused, and nothing else happens', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const error = await errorOf(fixture.pools.pool().drain({ instance: '7' }));
    expect(error.code).toBe('INSTANCE_NOT_FOUND');
    expect(statuses(fixture)).toEqual(['healthy']);
  });

  it('twice is as once', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    await Promise.all([fixture.pools.pool().drain(), fixture.pools.pool().drain()]);
    await fixture.pools.pool().drain();
    expect(fixture.driver.browser('0').disposing.count).toBe(1);
    await fixture.pools.pool().restart();
    expect(available(fixture)).toBe(1);
  });

  it('of an instance in its back-off ends that', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    const { clock, driver, pools } = fixture;
    driver.browser('0').crash();
    await settle();
    driver.browser('0').crash();
    await pools.pool().drain({ instance: '0' });
    await clock.advance(60_000);
    expect(statuses(fixture)).toEqual(['stopped', 'healthy']);
    expect(driver.starting.count).toBe(3);
  });

  it('of one that has failed for good, with the others, says that the pool is out of service', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 2, autoRestart: false });
    driver.browser('0').crash('Out of memory.');
    await pools.pool().drain({ instance: '1' });
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    await pools.pool().drain({ instance: '0' });
    expect((await errorOf(pools.lease())).message).toContain('out of service');
  });

  it('and a crash under the last holder end the same way', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const lease = await fixture.pools.lease();
    const drained = fixture.pools.pool().drain();
    fixture.driver.browser('0').crash();
    await drained;
    expect(statuses(fixture)).toEqual(['stopped']);
    expect(lease.revoked.reason).toMatchObject({ code: 'INSTANCE_CRASHED' });
    await fixture.clock.advance(60_000);
    expect(fixture.driver.starting.count).toBe(1);
  });

  it('leaves no browser for the idle time-out or the minimum to care for', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2, lazy: true, minIdle: 1, idleTimeout: 1_000 });
    await fixture.clock.advance(0);
    await fixture.pools.pool().drain();
    await fixture.clock.advance(60_000);
    expect(statuses(fixture)).toEqual(['stopped', 'stopped']);
    expect(fixture.driver.starting.count).toBe(1);
  });
});
