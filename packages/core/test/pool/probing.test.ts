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

describe('health checks', () => {
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

  it('are eight at a time, so that the pages they open do not come all at once', async () => {
    const { clock, driver } = await poolOf({ ...PROBED, instances: 20 });
    const probed = () => driver.browsers.filter(({ pinging }) => pinging.count === 1).length;
    for (const { pinging } of driver.browsers) pinging.hold();
    await clock.advance(20_000);
    expect(probed()).toBe(8);
    for (const { pinging } of driver.browsers) pinging.release();
    await settle();
    expect(probed()).toBe(20);
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

  it('after one miss suspect the browser, which still serves, and trust it again after an answer [000-health-04, 000-status-11, arch-instance-04]', async () => {
    const { clock, driver, pools } = await poolOf(PROBED);
    const browser = driver.browser('0');
    browser.pinging.hold();
    await clock.advance(25_000);
    expect(stateOfFirst(pools)).toEqual({ status: 'suspect', responsive: false });
    await (await pools.lease()).release();

    browser.pinging.release();
    await clock.advance(20_000);
    expect(stateOfFirst(pools)).toEqual({ status: 'healthy', responsive: true });
    // A miss after an answer is a first miss again.
    browser.pinging.fail(new Error('No answer.'));
    await clock.advance(20_000);
    expect(stateOfFirst(pools)).toEqual({ status: 'suspect', responsive: false });
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

describe('HEALTH_FAILURES', () => {
  it('of 1 gives a browser up after one miss', async () => {
    const { clock, driver } = await poolOf({ ...PROBED, healthFailures: 1 });
    driver.browser('0').pinging.hold();
    await clock.advance(24_999);
    expect(driver.browsers).toHaveLength(1);
    await clock.advance(1);
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
  });

  it('of 3 waits for three in a row: an answer between them counts from the start', async () => {
    const { clock, driver } = await poolOf({ ...PROBED, healthFailures: 3 });
    const { pinging } = driver.browser('0');
    for (const misses of [2, 2, 3]) {
      expect(driver.browsers).toHaveLength(1);
      pinging.fail(new Error('No answer.'));
      await clock.advance(misses * 20_000);
      pinging.succeed();
      await clock.advance(20_000);
    }
    expect(driver.browsers).toHaveLength(2);
  });

  it('are those of one browser: a new one is not blamed for the old one', async () => {
    const { clock, driver } = await poolOf({ ...PROBED, healthFailures: 2 });
    driver.browser('0').pinging.fail(new Error('No answer.'));
    await clock.advance(20_000);
    driver.browser('0').crash();
    await settle();
    driver.browser('0').pinging.fail(new Error('No answer.'));
    await clock.advance(20_000);
    expect(driver.browsers).toHaveLength(2);
    // The second restart within two minutes waits half a second.
    await clock.advance(20_500);
    expect(driver.browsers).toHaveLength(3);
  });
});

describe('a closer look', () => {
  it('is taken at idle instances only', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, instances: 2 });
    const lease = await pools.lease({ instance: '0' });
    await clock.advance(20_000);
    expect(driver.browsers.map(({ inspecting }) => inspecting.count)).toEqual([0, 1]);
    await lease.release();
    await clock.advance(20_000);
    expect(driver.browsers.map(({ inspecting }) => inspecting.count)).toEqual([1, 2]);
  });

  it('that finds a page which hangs, twice, leads to a new browser', async () => {
    const { clock, driver, pools } = await poolOf(PROBED);
    driver.browser('0').inspecting.hold();
    await clock.advance(25_000);
    expect(firstOf(pools)?.health_check).toMatchObject({
      responsive: false,
      error: 'No answer to the health check within 5000 ms.',
    });
    await clock.advance(25_000);
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('that finds no page can be opened, twice, leads to a new browser', async () => {
    const { clock, driver } = await poolOf(PROBED);
    driver.browser('0').inspecting.fail(new Error('Target.createTarget: failed'));
    await clock.advance(40_000);
    expect(driver.browsers).toHaveLength(2);
  });

  it('does not keep anybody from a lease, and a lease taken meanwhile is no failure', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, healthFailures: 1 });
    driver.browser('0').inspecting.hold();
    await clock.advance(20_000);
    const lease = await pools.lease();
    await lease.callTool('browser_click');
    await clock.advance(5_000);
    expect(stateOfFirst(pools)).toEqual({ status: 'healthy', responsive: true });
    expect(lease.revoked.aborted).toBe(false);
    expect(driver.browsers).toHaveLength(1);
  });

  it('nor is one that was taken and given back meanwhile', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, healthFailures: 1, reset: 'lease' });
    const browser = driver.browser('0');
    browser.inspecting.hold();
    await clock.advance(20_000);
    await (await pools.lease()).release();
    // The reset has closed the page that was looked at.
    browser.inspecting.fail(new Error('Target closed'));
    browser.inspecting.release();
    await settle();
    expect(stateOfFirst(pools)).toEqual({ status: 'healthy', responsive: true });
    expect(driver.browsers).toHaveLength(1);
  });

  it('at an instance that is drained meanwhile ends with it', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, healthFailures: 1 });
    driver.browser('0').inspecting.hold();
    await clock.advance(20_000);
    await pools.pool().drain();
    await clock.advance(60_000);
    expect(stateOfFirst(pools).status).toBe('stopped');
    expect(driver.browsers).toHaveLength(1);
  });
});

describe('a probe', () => {
  it('finds that the process is gone, without asking the browser [000-health-02]', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, healthFailures: 1, autoRestart: false });
    // No process has this id: it is beyond what the kernel gives out.
    driver.browser('0').processId = 2 ** 30;
    const causes: string[] = [];
    pools.on('instance-lost', ({ cause }) => void causes.push(cause));
    await clock.advance(20_000);
    expect(causes).toEqual(['crash']);
    expect(driver.browser('0').pinging.count).toBe(0);
    expect(firstOf(pools)).toMatchObject({
      status: 'failed',
      health_check: { error: `The process ${2 ** 30} has ended.` },
    });
  });
});
