import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf, stateOf } from './pool-fixture.js';

const PROBED = { instances: 1, healthInterval: 20_000, healthTimeout: 5_000 };

type Pools = Awaited<ReturnType<typeof poolOf>>['pools'];
const firstOf = (pools: Pools) => pools.status().pools[0]?.instances[0];
const stateOfFirst = (pools: Pools) => {
  const first = firstOf(pools);
  return { status: first?.status, responsive: first?.health_check.responsive };
};

describe('health checks (seed 000, "Health Check Mechanism")', () => {
  it('run every HEALTH_INTERVAL on every instance that runs [000-health-01]', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, instances: 2, lazy: true });
    await (await pools.lease({ instance: '1' })).release();
    await clock.advance(19_999);
    expect(driver.browser('1').pinging.count).toBe(0);
    await clock.advance(1);
    expect(driver.browser('1').pinging.count).toBe(1);
    await clock.advance(60_000);
    expect(driver.browser('1').pinging.count).toBe(4);
    expect(driver.browsers).toHaveLength(1);
  });

  it('bypass the lease: a leased instance in the middle of a call is probed too [000-health-03, 000-health-05]', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, timeout: 300_000 });
    const lease = await pools.lease();
    driver.browser('0').calling.hold();
    const call = lease.callTool('browser_click');
    await clock.advance(60_000);
    expect(driver.browser('0').pinging.count).toBe(3);
    expect(firstOf(pools)?.health_check).toEqual({
      last_check: new Date(clock.now()).toISOString(),
      responsive: true,
      error: null,
    });
    // A long call is no failure.
    expect(await stateOf(call)).toBe('pending');
    driver.browser('0').calling.release();
    await call;
  });

  it('after one miss suspect the browser, which still serves, and trust it again after an answer [000-health-04, arch-instance-04]', async () => {
    const { clock, driver, pools } = await poolOf(PROBED);
    const browser = driver.browser('0');
    browser.pinging.hold();
    await clock.advance(25_000);
    expect(stateOfFirst(pools)).toEqual({ status: 'healthy', responsive: false });
    await (await pools.lease()).release();

    browser.pinging.release();
    await clock.advance(20_000);
    expect(stateOfFirst(pools)).toEqual({ status: 'healthy', responsive: true });
    // A miss after an answer is a first miss again.
    browser.pinging.fail(new Error('No answer.'));
    await clock.advance(20_000);
    expect(stateOfFirst(pools)).toEqual({ status: 'healthy', responsive: false });
    expect(driver.browsers).toHaveLength(1);
  });

  it('give a browser up after two misses: its holder is told, and it is replaced [000-health-04, 000-health-06, arch-instance-04]', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, timeout: 300_000 });
    const browser = driver.browser('0');
    const lease = await pools.lease();
    browser.calling.hold();
    const call = errorOf(lease.callTool('browser_click'));
    browser.pinging.hold();
    await clock.advance(49_999);
    expect(lease.revoked.aborted).toBe(false);
    await clock.advance(1);
    const error = await call;
    expect(error.code).toBe('INSTANCE_CRASHED');
    expect(error.message).toBe(
      "Instance '0' of pool 'WEB' was given up: No answer to the health check within 5000 ms.",
    );
    expect(browser.disposed).toBe(true);
    expect(browser.unblocking.count).toBe(0);
    await settle();
    expect(stateOfFirst(pools)).toEqual({ status: 'healthy', responsive: true });
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('of an instance do not wait for a lease, nor a lease for them [000-health-05]', async () => {
    const { clock, driver, pools } = await poolOf(PROBED);
    driver.browser('0').pinging.hold();
    await clock.advance(20_000);
    const lease = await pools.lease();
    await lease.callTool('browser_click');
    expect(driver.browser('0').pinging.waiting).toBe(1);
  });

  it('of one hanging browser do not touch the others', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, instances: 2 });
    driver.browser('0').pinging.hold();
    await clock.advance(50_000);
    expect(driver.browsers.map(({ config }) => config.id)).toEqual(['0', '1', '0']);
    expect(pools.status().summary.healthy_instances).toBe(2);
  });

  it('and a crash in the middle of one are told once', async () => {
    const { clock, driver, pools } = await poolOf(PROBED);
    driver.browser('0').pinging.hold();
    await clock.advance(20_000);
    driver.browser('0').crash();
    await settle();
    expect(stateOfFirst(pools)).toEqual({ status: 'healthy', responsive: true });
    expect(driver.starting.count).toBe(2);
  });
});
