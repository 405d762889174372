import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf } from './pool-fixture.js';

type Pools = Awaited<ReturnType<typeof poolOf>>['pools'];
const statuses = (pools: Pools) => pools.status().pools[0]?.instances.map(({ status }) => status);
const counts = (pools: Pools) => {
  const { healthy_instances, available_instances, failed_instances } = pools.status().summary;
  return { healthy: healthy_instances, available: available_instances, failed: failed_instances };
};

describe('a browser that does not answer', () => {
  it('is suspect as soon as somebody asks how the pool is, and neither healthy nor available [arch-instance-11]', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 2 });
    await clock.advance(3_000);
    driver.browser('0').pinging.hold();
    const asked = pools.checkedStatus();
    await clock.advance(1_000);
    const [pool] = (await asked).pools;
    expect(pool?.instances.map(({ status }) => status)).toEqual(['suspect', 'healthy']);
    expect(pool).toMatchObject({ healthy_instances: 1, available_instances: 1 });
    expect(pool?.instances[0]?.health_check).toMatchObject({
      responsive: false,
      error: 'No answer within 1000 ms.',
    });

    // The probe that followed at once clears it; that it missed its glance costs no browser.
    driver.browser('0').pinging.release();
    await settle();
    expect(statuses(pools)).toEqual(['healthy', 'healthy']);
    expect(driver.browsers).toHaveLength(2);
  });

  it('is not asked again within a second, nor one that rests', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 2, lazy: true });
    await pools.lease();
    await pools.checkedStatus();
    expect(driver.browser('0').pinging.count).toBe(0);
    await clock.advance(1_000);
    await Promise.all([pools.checkedStatus(), pools.checkedStatus()]);
    await pools.checkedStatus();
    expect(driver.browser('0').pinging.count).toBe(2);
    expect(driver.browsers).toHaveLength(1);
  });

  it('is suspect within HEALTH_TIMEOUT of a call that timed out, however far off the next round is [arch-instance-11]', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, timeout: 1_000, timeoutAction: 500 });
    const lease = await pools.lease();
    driver.browser('0').calling.hold();
    driver.browser('0').pinging.hold();
    const call = errorOf(lease.callTool('browser_click'));
    await clock.advance(1_000);
    expect((await call).code).toBe('CALL_TIMEOUT');
    await clock.advance(5_000);
    expect(statuses(pools)).toEqual(['suspect']);
    // One probe out of turn is none of the two that it may miss.
    expect(lease.revoked.aborted).toBe(false);
  });

  it('is given to nobody who can have another, and is better than none [arch-instance-08]', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 3, healthInterval: 20_000 });
    await pools.pool().drain({ instance: '2' });
    driver.browser('0').pinging.fail(new Error('No answer.'));
    await clock.advance(20_000);
    expect(statuses(pools)).toEqual(['suspect', 'healthy', 'stopped']);
    expect((await pools.lease()).instance).toBe('1');
    expect((await pools.lease()).instance).toBe('0');
  });

  it('is the choice of a session, too, only if there is no other', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 2, healthInterval: 20_000 });
    driver.browser('0').pinging.fail(new Error('No answer.'));
    await clock.advance(20_000);
    expect(pools.pool().soonestOf(['0', '1'])).toBe('1');
  });
});

describe('a lazy pool', () => {
  it('whose browser cannot start has it neither available nor unexplained [arch-instance-09]', async () => {
    const { driver, pools } = await poolOf({ instances: 2, lazy: true });
    driver.starting.fail(new PwpoolError('BROWSER_NOT_READY', 'No chromium.', { hint: 'Install it.' }));
    await errorOf(pools.lease());
    expect(statuses(pools)).toEqual(['failed', 'stopped']);
    expect(counts(pools)).toEqual({ healthy: 0, available: 1, failed: 1 });
    expect(pools.status().pools[0]?.instances[0]?.health_check.error).toMatch(
      /^No chromium\. .*Install it\.$/,
    );

    driver.starting.succeed();
    await pools.lease({ instance: '0' });
    expect(counts(pools)).toEqual({ healthy: 1, available: 1, failed: 0 });
  });

  it('whose browser crashed shows why until the next start, which any lease may bring [arch-instance-10]', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, lazy: true });
    await (await pools.lease()).release();
    await clock.advance(500);
    driver.browser('0').crash('It ended with code 139.');
    await clock.advance(60_000);
    expect(pools.status().pools[0]?.instances[0]).toMatchObject({
      status: 'stopped',
      health_check: {
        last_check: '2026-01-02T10:15:30.500Z',
        responsive: false,
        error: 'It ended with code 139.',
      },
    });
    expect(counts(pools)).toEqual({ healthy: 0, available: 1, failed: 0 });
    await pools.lease();
    expect(pools.status().pools[0]?.instances[0]?.health_check.error).toBeNull();
  });
});
