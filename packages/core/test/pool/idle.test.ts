import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, type PoolFixture, poolOf, stateOf, statuses } from './pool-fixture.js';

const NOT_READY = new PwpoolError('BROWSER_NOT_READY', 'It does not start.');
const QUIET = { healthInterval: 86_400_000 };
const LAZY = { ...QUIET, lazy: true };

/** Lets what is due at once happen. */
const now = ({ clock }: PoolFixture) => clock.advance(0);

describe('IDLE_TIMEOUT', () => {
  it('closes a browser of a lazy pool after 5 minutes, and the next lease brings it back [002-security-05]', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 1 });
    const { clock, driver, pools } = fixture;
    await (await pools.lease()).release();
    await clock.advance(299_999);
    expect(statuses(fixture)).toEqual(['healthy']);
    await clock.advance(1);
    expect(statuses(fixture)).toEqual(['stopped']);
    expect(driver.browser('0').disposed).toBe(true);
    expect(pools.pool().status().instances[0]).toMatchObject({
      process_id: null,
      health_check: { responsive: false, error: null },
    });
    expect(pools.status().summary.available_instances).toBe(1);
    expect((await pools.lease()).instance).toBe('0');
    expect(driver.starting.count).toBe(2);
  });

  it('closes nothing in an eager pool', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2 });
    await (await fixture.pools.lease()).release();
    await fixture.clock.advance(86_399_999);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
  });

  it('of 0 closes nothing in a lazy pool', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 1, idleTimeout: 0 });
    await (await fixture.pools.lease()).release();
    await fixture.clock.advance(86_399_999);
    expect(statuses(fixture)).toEqual(['healthy']);
  });

  it('set for an eager pool closes what was never used, too', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 2, idleTimeout: 60_000 });
    await fixture.clock.advance(59_999);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
    await fixture.clock.advance(1);
    expect(statuses(fixture)).toEqual(['stopped', 'stopped']);
    expect(fixture.driver.starting.count).toBe(2);
  });

  it('runs from the last release, for each browser its own', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 2, idleTimeout: 10_000 });
    const { clock, pools } = fixture;
    const leases = [await pools.lease(), await pools.lease()];
    await clock.advance(60_000);
    await leases[0]?.release();
    await clock.advance(6_000);
    await leases[1]?.release();
    await clock.advance(4_000);
    expect(statuses(fixture)).toEqual(['stopped', 'healthy']);
    await (await pools.lease({ instance: '1' })).release();
    await clock.advance(9_999);
    expect(statuses(fixture)).toEqual(['stopped', 'healthy']);
    await clock.advance(1);
    expect(statuses(fixture)).toEqual(['stopped', 'stopped']);
  });

  it('never closes a leased one, however long the lease', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 1, idleTimeout: 1_000 });
    const lease = await fixture.pools.lease();
    await fixture.clock.advance(3_600_000);
    await lease.callTool('browser_click');
    expect(fixture.driver.browsers).toHaveLength(1);
  });

  it('that runs out in the moment of a lease leaves the holder its browser', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 1, idleTimeout: 1_000 });
    const { clock, driver, pools } = fixture;
    await (await pools.lease()).release();
    await clock.advance(999);
    const lease = pools.lease();
    await clock.advance(1);
    await (await lease).callTool('browser_click');
    expect(driver.browsers).toHaveLength(1);
    expect(driver.browser('0').disposed).toBe(false);
  });

  it('makes a caller who comes a moment too late wait for a new browser', async () => {
    const { clock, driver, pools } = await poolOf({ ...LAZY, instances: 1, idleTimeout: 1_000 });
    await (await pools.lease()).release();
    driver.browser('0').disposing.hold();
    await clock.advance(1_000);
    const lease = pools.lease();
    expect(await stateOf(lease)).toBe('pending');
    driver.browser('0').disposing.release();
    await (await lease).callTool('browser_click');
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
  });

  it('needs no reset afterwards: the new browser is clean', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, instances: 1, idleTimeout: 1_000 });
    await (await pools.lease({ keep: true })).release();
    await clock.advance(1_000);
    await pools.lease();
    expect(driver.browsers.map(({ resetting }) => resetting.count)).toEqual([0, 0]);
  });

  it('puts the instance back though its browser does not close properly', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 1, idleTimeout: 1_000 });
    await (await fixture.pools.lease()).release();
    const dead = fixture.driver.browser('0');
    dead.disposing.fail(new Error('The profile is locked.'));
    await fixture.clock.advance(1_000);
    expect(await stateOf(fixture.pools.lease())).toBe('resolved');
    dead.disposing.succeed();
    await dead[Symbol.asyncDispose]();
  });
});

describe('MIN_IDLE', () => {
  it('starts browsers of a lazy pool ahead of demand', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 3, minIdle: 2 });
    expect(statuses(fixture)).toEqual(['stopped', 'stopped', 'stopped']);
    await now(fixture);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy', 'stopped']);
  });

  it('starts another one when one is leased', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 3, minIdle: 1 });
    await now(fixture);
    expect((await fixture.pools.lease()).instance).toBe('0');
    await now(fixture);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy', 'stopped']);
    await fixture.pools.lease();
    await now(fixture);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy', 'healthy']);
  });

  it('is kept when a browser is lost for good, or for a while', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 3, minIdle: 1, maxRestarts: 1 });
    const { driver } = fixture;
    await now(fixture);
    // Once back at once, then no more.
    for (let crash = 0; crash < 2; crash++) {
      driver.browser('0').crash();
      await now(fixture);
    }
    expect(statuses(fixture)).toEqual(['failed', 'healthy', 'stopped']);
    driver.browser('1').crash();
    await now(fixture);
    driver.browser('1').crash();
    await now(fixture);
    expect(statuses(fixture)).toEqual(['failed', 'failed', 'healthy']);
  });

  it('starts another one when a warm one is drained', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 2, minIdle: 1 });
    await now(fixture);
    expect(statuses(fixture)).toEqual(['healthy', 'stopped']);
    await fixture.pools.pool().drain({ instance: '0' });
    await now(fixture);
    expect(statuses(fixture)).toEqual(['stopped', 'healthy']);
  });

  it('counts what it is starting already', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 4, minIdle: 1 });
    const { driver, pools } = fixture;
    driver.starting.hold();
    await now(fixture);
    expect(driver.starting.waiting).toBe(1);
    const lease = pools.lease({ instance: '3' });
    await now(fixture);
    // One for the lease, one ahead of demand.
    expect(driver.starting.waiting).toBe(2);
    driver.starting.release();
    await lease;
    await now(fixture);
    expect(driver.starting.count).toBe(2);
  });

  it('serves a caller with the browser that is being started, when there is no other', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 1, minIdle: 1 });
    fixture.driver.starting.hold();
    await now(fixture);
    const lease = fixture.pools.lease();
    expect(await stateOf(lease)).toBe('pending');
    fixture.driver.starting.release();
    expect(await stateOf(lease)).toBe('resolved');
    expect(fixture.driver.starting.count).toBe(1);
  });

  it('survives IDLE_TIMEOUT: the browsers that were used last stay', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 3, minIdle: 1, idleTimeout: 10_000 });
    const { clock, pools } = fixture;
    const leases = [await pools.lease(), await pools.lease(), await pools.lease()];
    for (const instance of [1, 0, 2]) {
      await leases[instance]?.release();
      await clock.advance(1_000);
    }
    await clock.advance(3_600_000);
    expect(statuses(fixture)).toEqual(['stopped', 'stopped', 'healthy']);
  });

  it('brings back what crashed while idle', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 1, minIdle: 1 });
    await now(fixture);
    fixture.driver.browser('0').crash();
    await now(fixture);
    expect(statuses(fixture)).toEqual(['healthy']);
    expect(fixture.driver.starting.count).toBe(2);
  });

  it('does not try a browser that fails to start again and again: it backs off, then gives up', async () => {
    const fixture = await poolOf(
      { ...LAZY, instances: 1, minIdle: 1, maxRestarts: 3 },
      { prepare: ({ starting }) => starting.fail(NOT_READY) },
    );
    const counts = [];
    for (const delay of [0, 499, 1, 1_000, 59_999]) {
      await fixture.clock.advance(delay);
      counts.push(fixture.driver.starting.count);
    }
    expect(counts).toEqual([2, 2, 3, 4, 4]);
    expect(statuses(fixture)).toEqual(['failed']);
    expect((await errorOf(fixture.pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
  });

  it('is kept up after a scale-up, and while nobody leases', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 2, minIdle: 2 });
    await now(fixture);
    await fixture.pools.lease();
    await now(fixture);
    await fixture.pools.pool().scale(3);
    await now(fixture);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy', 'healthy']);
  });

  it('stops with the pool', async () => {
    const fixture = await poolOf({ ...LAZY, instances: 2, minIdle: 1 });
    fixture.driver.starting.hold();
    await now(fixture);
    const closed = fixture.pools.close();
    await settle();
    fixture.driver.starting.release();
    await closed;
    await fixture.clock.advance(3_600_000);
    expect(fixture.driver.starting.count).toBe(1);
  });
});
