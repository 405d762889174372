import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, expectNothingLeft, poolOf, poolsOf, stateOf } from './pool-fixture.js';

describe('close', () => {
  it('closes every browser of every pool, and leaves no timer', async () => {
    const fixture = await poolsOf({ WEB: { instances: 2, isDefault: true }, SCRAPE: { instances: 2 } });
    await fixture.pools.close();
    expect(fixture.driver.browsers).toHaveLength(4);
    expectNothingLeft(fixture);
  });

  it('is idempotent', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    await Promise.all([pools.close(), pools.close()]);
    await pools[Symbol.asyncDispose]();
    expect(driver.browser('0').disposing.count).toBe(1);
  });

  it('of a lazy pool that never ran starts nothing', async () => {
    const fixture = await poolOf({ instances: 2, lazy: true });
    await fixture.pools.close();
    expect(fixture.driver.starting.count).toBe(0);
    expectNothingLeft(fixture);
  });

  it('with leases held takes them back: a call in flight and later use are told', async () => {
    const fixture = await poolOf({ instances: 1 });
    const { driver, pools } = fixture;
    const lease = await pools.lease();
    driver.browser('0').calling.hold();
    const call = errorOf(lease.callTool('browser_click'));
    driver.browser('0').disposing.hold();
    const closed = pools.close();
    expect((await call).code).toBe('SHUTTING_DOWN');
    expect(lease.revoked.aborted).toBe(true);
    expect((await errorOf(lease.callTool('browser_click'))).code).toBe('SHUTTING_DOWN');
    await lease.release();
    driver.browser('0').disposing.release();
    await closed;
    expectNothingLeft(fixture);
    expect(driver.browser('0').unblocking.count).toBe(0);
  });

  it('sends those who wait away, and those who come later', async () => {
    const { clock, pools } = await poolOf({ instances: 1 });
    await pools.lease();
    const waiting = [errorOf(pools.lease()), errorOf(pools.lease({ instance: '0' }))];
    await pools.close();
    for (const error of [...(await Promise.all(waiting)), await errorOf(pools.lease())]) {
      expect(error.code).toBe('SHUTTING_DOWN');
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it('right after a lease was asked for gives none', async () => {
    const { pools } = await poolOf({ instances: 1 });
    const lease = errorOf(pools.lease());
    await pools.close();
    expect((await lease).code).toBe('SHUTTING_DOWN');
    expect(pools.status().summary.leased_instances).toBe(0);
  });

  it('during an eager start closes the browsers that are still to come, and begins no more', async () => {
    const fixture = await poolOf(
      { instances: 5, startConcurrency: 2 },
      { prepare: ({ starting }) => starting.hold() },
    );
    const closed = fixture.pools.close();
    expect(await stateOf(closed)).toBe('pending');
    fixture.driver.starting.release();
    await closed;
    await settle();
    expect(fixture.driver.starting.count).toBe(2);
    expectNothingLeft(fixture);
  });

  it('during the start of a lazy one tells its caller', async () => {
    const fixture = await poolOf({ instances: 1, lazy: true });
    fixture.driver.starting.hold();
    const lease = errorOf(fixture.pools.lease());
    await settle();
    const closed = fixture.pools.close();
    fixture.driver.starting.release();
    await closed;
    expect((await lease).code).toBe('SHUTTING_DOWN');
    expectNothingLeft(fixture);
  });

  it('during a restart, and during its back-off', async () => {
    const fixture = await poolOf({ instances: 1 });
    const { clock, driver, pools } = fixture;
    driver.browser('0').crash();
    await settle();
    driver.browser('0').crash();
    expect(clock.pendingTimers).toBe(2);
    await pools.close();
    expectNothingLeft(fixture);
    await clock.advance(60_000);
    expect(driver.starting.count).toBe(2);
  });

  it('during a reset', async () => {
    const fixture = await poolOf({ instances: 1, reset: 'lease' });
    const lease = await fixture.pools.lease();
    fixture.driver.browser('0').resetting.hold();
    const released = lease.release();
    await settle();
    await fixture.pools.close();
    await released;
    expectNothingLeft(fixture);
  });

  it('during a probe that gets no answer', async () => {
    const fixture = await poolOf({ instances: 1, healthInterval: 1_000 });
    fixture.driver.browser('0').pinging.hold();
    await fixture.clock.advance(1_000);
    await fixture.pools.close();
    await settle();
    expectNothingLeft(fixture);
  });

  it('while a browser that was given up is being closed waits for it', async () => {
    const fixture = await poolOf({ instances: 1, healthInterval: 1_000 });
    const browser = fixture.driver.browser('0');
    browser.pinging.fail(new Error('No answer.'));
    browser.disposing.hold();
    await fixture.clock.advance(2_000);
    const closed = fixture.pools.close();
    expect(await stateOf(closed)).toBe('pending');
    browser.disposing.release();
    await closed;
    expectNothingLeft(fixture);
    expect(fixture.driver.starting.count).toBe(1);
  });

  it('after a crash waits until what the browser left is cleared away', async () => {
    const fixture = await poolOf({ instances: 1, autoRestart: false });
    const browser = fixture.driver.browser('0');
    browser.disposing.hold();
    browser.crash();
    const closed = fixture.pools.close();
    expect(await stateOf(closed)).toBe('pending');
    browser.disposing.release();
    await closed;
    expectNothingLeft(fixture);
  });

  it('that fails for one browser closes the others first, then tells', async () => {
    const { driver, pools } = await poolOf({ instances: 2 });
    const [bad, good] = driver.browsers;
    bad?.disposing.fail(new Error('The profile is locked.'));
    good?.disposing.hold();
    const closed = pools.close();
    closed.catch(() => {});
    expect(await stateOf(closed)).toBe('pending');
    good?.disposing.release();
    await expect(closed).rejects.toThrow('The profile is locked.');
    expect(good?.disposed).toBe(true);
    bad?.disposing.succeed();
    await bad?.[Symbol.asyncDispose]();
  });
});
