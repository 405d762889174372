import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, expectNothingLeft, poolOf, poolsOf, stateOf } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };

describe('close with drainMs', () => {
  it('waits for holders, and refuses new leases meanwhile [000-future-04]', async () => {
    const fixture = await poolsOf({
      WEB: { ...QUIET, instances: 2, isDefault: true },
      SCRAPE: { ...QUIET, instances: 1 },
    });
    const { pools } = fixture;
    const lease = await pools.lease();
    const other = await pools.lease({ pool: 'SCRAPE' });
    const waiting = errorOf(pools.lease({ pool: 'SCRAPE' }));
    const closed = pools.close({ drainMs: 30_000 });
    await waiting;
    await errorOf(pools.lease());
    await lease.callTool('browser_click');
    await lease.release();
    expect(await stateOf(closed)).toBe('pending');
    await other.release();
    await closed;
    expectNothingLeft(fixture);
    expect(lease.revoked.aborted).toBe(false);
  });

  it('takes back what is still held when the time is up', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, timeout: 300_000 });
    const lease = await fixture.pools.lease();
    fixture.driver.browser('0').calling.hold();
    const call = errorOf(lease.callTool('browser_click'));
    const closed = fixture.pools.close({ drainMs: 30_000 });
    await fixture.clock.advance(29_999);
    expect(lease.revoked.aborted).toBe(false);
    await fixture.clock.advance(1);
    await closed;
    expect((await call).code).toBe('LEASE_REVOKED');
    expectNothingLeft(fixture);
  });

  it('ends at once when nobody holds anything', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    expect(await stateOf(fixture.pools.close({ drainMs: 30_000 }))).toBe('resolved');
    expectNothingLeft(fixture);
  });

  it('is cut short by a close without', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 1 });
    const lease = await pools.lease();
    const patient = pools.close({ drainMs: 30_000 });
    expect(await stateOf(patient)).toBe('pending');
    await pools.close();
    expect(await stateOf(patient)).toBe('resolved');
    expect(lease.revoked.aborted).toBe(true);
  });
});

describe('a pool on its own', () => {
  it('tells those who come while it drains that it is shutting down', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 1 });
    const pool = pools.pool();
    const lease = await pool.lease();
    const waiting = errorOf(pool.lease());
    const closed = pool.close({ drainMs: 30_000 });
    for (const error of [await waiting, await errorOf(pool.lease()), await errorOf(pool.restart())]) {
      expect(error.code).toBe('SHUTTING_DOWN');
    }
    await lease.release();
    await closed;
  });

  it('takes back what is still held when the time is up', async () => {
    const { clock, pools } = await poolOf({ ...QUIET, instances: 1 });
    const lease = await pools.lease();
    const closed = pools.pool().close({ drainMs: 5_000 });
    await clock.advance(5_000);
    await closed;
    expect(lease.revoked.reason).toMatchObject({ code: 'LEASE_REVOKED' });
  });

  it('does not wait longer than told for a browser that is being started', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, instances: 1 });
    driver.starting.hold();
    driver.browser('0').crash();
    await settle();
    const closed = pools.pool().close({ drainMs: 5_000 });
    await clock.advance(5_000);
    driver.starting.release();
    await closed;
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, true]);
  });
});
