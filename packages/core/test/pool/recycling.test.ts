import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import type { PoolEvents } from '../../src/pool/pool-events.js';
import { settle } from '../../src/testing/fake-clock.js';
import { type PoolFixture, poolOf, stateOf } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };

const statusOf = ({ pools }: PoolFixture) => pools.pool().status().instances[0]?.status;

function recycled({ pools }: PoolFixture): PoolEvents['instance-recycled'][] {
  const seen: PoolEvents['instance-recycled'][] = [];
  pools.on('instance-recycled', (event) => seen.push(event));
  return seen;
}

/** Takes a lease and gives it back so many times. */
async function use({ pools }: PoolFixture, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await (await pools.lease()).release();
}

describe('MAX_USES', () => {
  it('replaces the browser after so many leases, before the next one [arch-instance-06]', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, maxUses: 3 });
    const seen = recycled(fixture);
    const { driver, pools } = fixture;
    await use(fixture, 2);
    const third = await pools.lease();
    const next = pools.lease();
    await settle();
    expect(driver.browsers).toHaveLength(1);
    await third.release();
    await (await next).callTool('browser_click');
    expect(driver.browsers.map(({ disposed, retired }) => ({ disposed, retired }))).toEqual([
      { disposed: true, retired: true },
      { disposed: false, retired: false },
    ]);
    expect(seen).toEqual([
      { pool: 'WEB', instance: '0', cause: 'uses', text: 'has served 3 leases (MAX_USES)' },
    ]);
  });

  it('leases the instance to nobody while its browser is replaced, then to those who wait in order [arch-lease-09]', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1, maxUses: 1 });
    const first = await pools.lease();
    const waiting = [pools.lease({ instance: '0' }), pools.lease()];
    const [second, third] = waiting;
    driver.starting.hold();
    await first.release();
    await settle();
    expect(driver.browser('0').disposed).toBe(true);
    expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 0 });
    expect(await stateOf(Promise.race(waiting))).toBe('pending');
    driver.starting.release();
    expect(await stateOf(second ?? Promise.reject())).toBe('resolved');
    expect(await stateOf(third ?? Promise.reject())).toBe('pending');
  });

  it('does not hold back who gives the lease back', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1, maxUses: 1 });
    const lease = await pools.lease();
    driver.browser('0').disposing.hold();
    expect(await stateOf(lease.release())).toBe('resolved');
  });

  it('counts each browser anew', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, maxUses: 2 });
    await use(fixture, 5);
    await settle();
    expect(fixture.driver.browsers).toHaveLength(3);
    fixture.driver.browser('0').crash();
    await use(fixture, 1);
    expect(fixture.driver.browsers).toHaveLength(4);
  });

  it('does not count a caller who left before he had his lease', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1, lazy: true, maxUses: 1 });
    driver.starting.hold();
    const controller = new AbortController();
    const cancelled = stateOf(pools.lease({ signal: controller.signal }));
    controller.abort();
    expect(await cancelled).toBe('CANCELLED');
    driver.starting.release();
    const lease = await pools.lease();
    expect(driver.browsers).toHaveLength(1);
    await lease.release();
    await settle();
    expect(driver.browsers).toHaveLength(2);
  });

  it('needs no reset afterwards: the new browser is clean', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1, maxUses: 1 });
    await (await pools.lease({ keep: true })).release();
    await pools.lease();
    expect(driver.browsers.map(({ resetting }) => resetting.count)).toEqual([0, 0]);
  });

  it('replaces it though it does not close properly', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1, maxUses: 1 });
    const lease = await pools.lease();
    const old = driver.browser('0');
    old.disposing.fail(new Error('The profile is locked.'));
    await lease.release();
    expect(await stateOf(pools.lease())).toBe('resolved');
    old.disposing.succeed();
    await old[Symbol.asyncDispose]();
  });

  it('leaves a replacement that does not start to the restart policy', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1, maxUses: 1, maxRestarts: 2 });
    const { clock, driver, pools } = fixture;
    const lease = await pools.lease();
    driver.starting.fail(new PwpoolError('BROWSER_NOT_READY', 'It does not start.'));
    await lease.release();
    await settle();
    // Once in place of the old one, once at once as a restart.
    expect(driver.starting.count).toBe(3);
    expect(statusOf(fixture)).toBe('failed');
    driver.starting.succeed();
    const next = pools.lease();
    await clock.advance(500);
    expect(await stateOf(next)).toBe('resolved');
  });

  it('meets a crash of the old browser: one new browser, no more', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 1, maxUses: 1 });
    const lease = await pools.lease();
    const old = driver.browser('0');
    old.disposing.hold();
    await lease.release();
    old.crash();
    old.disposing.release();
    await pools.lease();
    expect(driver.browsers).toHaveLength(2);
  });
});

describe('MAX_AGE', () => {
  // The test draws the largest jitter, which takes a tenth off.
  const AGED = { instances: 1, maxAge: 100_000, healthInterval: 10_000 };

  it('replaces an idle browser beyond it, at the next health check [arch-instance-06]', async () => {
    const fixture = await poolOf(AGED);
    const seen = recycled(fixture);
    await fixture.clock.advance(80_000);
    expect(fixture.driver.browsers).toHaveLength(1);
    await fixture.clock.advance(10_000);
    expect(fixture.driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
    expect(seen).toEqual([{ pool: 'WEB', instance: '0', cause: 'age', text: 'has run for 90 s (MAX_AGE)' }]);
    expect(await stateOf(fixture.pools.lease())).toBe('resolved');
  });

  it('replaces a leased one when it is given back, never under its holder [arch-instance-06, arch-lease-09]', async () => {
    const { clock, driver, pools } = await poolOf(AGED);
    const lease = await pools.lease();
    await clock.advance(1_000_000);
    await lease.callTool('browser_click');
    expect(driver.browsers).toHaveLength(1);
    await lease.release();
    await settle();
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
  });

  it('counts from the start of the browser, not of the pool', async () => {
    const { clock, driver } = await poolOf(AGED);
    await clock.advance(60_000);
    driver.browser('0').crash();
    await clock.advance(80_000);
    expect(driver.browsers).toHaveLength(2);
    await clock.advance(10_000);
    expect(driver.browsers).toHaveLength(3);
  });
});

describe.runIf(process.platform === 'linux')('MAX_MEMORY_MB', () => {
  // The browser's process is this one: it takes more than 1 MB, and less than a million.
  const PROBED = { instances: 1, healthInterval: 1_000 };

  it('replaces an idle browser that takes more, at the next health check [arch-instance-06]', async () => {
    const fixture = await poolOf({ ...PROBED, maxMemoryMb: 1 });
    const seen = recycled(fixture);
    await fixture.clock.advance(1_000);
    await expect.poll(() => fixture.driver.browsers.length).toBe(2);
    expect(fixture.driver.browsers.map(({ retired }) => retired)).toEqual([true, false]);
    expect(seen[0]).toMatchObject({ cause: 'memory', text: expect.stringMatching(/^takes \d+ MB/) });
  });

  it('keeps one that takes less, or whose share of a browser is less', async () => {
    for (const settings of [{ maxMemoryMb: 1_000_000 }, { maxMemoryMb: 1, sharedBy: 1_000_000 }]) {
      const { sharedBy = 1, maxMemoryMb } = settings;
      const { clock, driver } = await poolOf({ ...PROBED, maxMemoryMb });
      driver.browser('0').sharedBy = sharedBy;
      // The next round begins when this one, with its look at the memory, is over.
      await clock.advance(1_000);
      await expect.poll(() => clock.pendingTimers).toBe(1);
      expect(driver.browsers).toHaveLength(1);
    }
  });

  it('replaces a leased one when it is given back, never under its holder [arch-instance-06, arch-lease-09]', async () => {
    const { clock, driver, pools } = await poolOf({ ...PROBED, maxMemoryMb: 1 });
    const lease = await pools.lease();
    await clock.advance(1_000);
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await lease.callTool('browser_click');
    expect(driver.browsers).toHaveLength(1);
    await lease.release();
    await settle();
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
  });

  it('looks only at browsers whose process is known', async () => {
    const { clock, driver } = await poolOf({ ...PROBED, maxMemoryMb: 1 });
    driver.browser('0').processId = null;
    await clock.advance(5_000);
    expect(driver.browsers).toHaveLength(1);
  });
});
