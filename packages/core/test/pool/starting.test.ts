import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf, stateOf } from './pool-fixture.js';

const NOT_READY = new PwpoolError('BROWSER_NOT_READY', 'No chromium was found on this machine.');

const statuses = (pool: { status(): { instances: { status: string }[] } }) =>
  pool.status().instances.map(({ status }) => status);

describe('an eager pool', () => {
  it('starts every browser in the background [000-start-01]', async () => {
    const { driver, pools } = await poolOf({ instances: 3 });
    expect(driver.starting.count).toBe(3);
    expect(statuses(pools.pool())).toEqual(['healthy', 'healthy', 'healthy']);
  });

  it('starts no more than START_CONCURRENCY at once [arch-instance-03]', async () => {
    const { driver } = await poolOf(
      { instances: 5, startConcurrency: 2 },
      { prepare: ({ starting }) => starting.hold() },
    );
    const seen = [];
    for (let started = 0; started < 5; started++) {
      seen.push(driver.starting.waiting);
      driver.starting.releaseNext();
      await settle();
    }
    expect(seen).toEqual([2, 2, 2, 2, 1]);
    expect(driver.starting.count).toBe(5);
  });

  it('serves a caller as soon as one browser runs', async () => {
    const { driver, pools } = await poolOf({ instances: 2 }, { prepare: ({ starting }) => starting.hold() });
    const lease = pools.lease();
    expect(await stateOf(lease)).toBe('pending');
    driver.starting.releaseNext();
    expect((await lease).instance).toBe('0');
    expect(statuses(pools.pool())).toEqual(['healthy', 'starting']);
  });

  it('keeps those who wait for a certain instance until that one runs', async () => {
    const { driver, pools } = await poolOf({ instances: 2 }, { prepare: ({ starting }) => starting.hold() });
    const lease = pools.lease({ instance: '1' });
    driver.starting.releaseNext();
    expect(await stateOf(lease)).toBe('pending');
    driver.starting.releaseNext();
    expect(await stateOf(lease)).toBe('resolved');
  });
});

describe('a lazy pool', () => {
  it('starts a browser with its first lease and keeps it [000-future-01, 002-life-02, arch-instance-01]', async () => {
    const { driver, pools } = await poolOf({ instances: 2, lazy: true });
    expect(driver.starting.count).toBe(0);
    expect(statuses(pools.pool())).toEqual(['stopped', 'stopped']);
    await (await pools.lease({ instance: '1' })).release();
    expect(statuses(pools.pool())).toEqual(['stopped', 'healthy']);
    await (await pools.lease({ instance: '1' })).release();
    expect(driver.starting.count).toBe(1);
  });

  it('starts one browser for one caller, though others wait for the same [arch-instance-02]', async () => {
    const { driver, pools } = await poolOf({ instances: 1, lazy: true });
    driver.starting.hold();
    const first = pools.lease();
    const second = pools.lease();
    await settle();
    expect(driver.starting.waiting).toBe(1);
    driver.starting.release();
    await (await first).release();
    await second;
    expect(driver.starting.count).toBe(1);
  });

  it('tells a caller at once that the browser did not start [002-error-02]', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, lazy: true });
    driver.starting.fail(NOT_READY);
    expect(await errorOf(pools.lease())).toBe(NOT_READY);
    expect(pools.pool().status().instances[0]?.health_check.error).toBe(NOT_READY.message);
    expect(pools.pool().status().leased_instances).toBe(0);

    // The first restart is due at once, and lazy: the next caller makes it.
    expect(await errorOf(pools.lease())).toBe(NOT_READY);
    expect(statuses(pools.pool())).toEqual(['failed']);
    driver.starting.succeed();
    await clock.advance(499);
    expect(statuses(pools.pool())).toEqual(['failed']);
    await clock.advance(1);
    // It may be tried again, and is not told as something that is there for the asking.
    expect(statuses(pools.pool())).toEqual(['failed']);
    expect((await pools.lease()).instance).toBe('0');
  });

  it('lets a caller wait out the back-off of the only instance', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, lazy: true });
    driver.starting.fail(NOT_READY);
    await errorOf(pools.lease());
    await errorOf(pools.lease());
    driver.starting.succeed();
    const lease = pools.lease();
    expect(await stateOf(lease)).toBe('pending');
    await clock.advance(500);
    expect(await stateOf(lease)).toBe('resolved');
  });

  it('serves the next in line when the browser of the first did not start', async () => {
    const { driver, pools } = await poolOf({ instances: 1, lazy: true });
    driver.starting.hold();
    driver.starting.fail(NOT_READY);
    const first = errorOf(pools.lease());
    const second = pools.lease();
    await settle();
    driver.starting.releaseNext();
    expect(await first).toBe(NOT_READY);
    driver.starting.succeed();
    driver.starting.release();
    expect(await stateOf(second)).toBe('resolved');
  });

  it('finishes the start of a caller who has left, for the next one', async () => {
    const { driver, pools } = await poolOf({ instances: 1, lazy: true });
    driver.starting.hold();
    const controller = new AbortController();
    const first = pools.lease({ signal: controller.signal });
    await settle();
    const second = pools.lease();
    controller.abort();
    expect(await stateOf(first)).toBe('CANCELLED');
    expect(await stateOf(second)).toBe('pending');
    driver.starting.release();
    expect((await second).instance).toBe('0');
    expect(driver.starting.count).toBe(1);
  });

  it('brings the instance back when the start of a caller who has left fails', async () => {
    const { driver, pools } = await poolOf({ instances: 1, lazy: true });
    driver.starting.hold();
    driver.starting.fail(NOT_READY);
    const controller = new AbortController();
    const first = errorOf(pools.lease({ signal: controller.signal }));
    await settle();
    controller.abort();
    await first;
    driver.starting.release();
    await settle();
    driver.starting.succeed();
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('gives a start up after START_TIMEOUT; a browser that comes late is closed, and the next lease has another', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, lazy: true, startTimeout: 3_000 });
    driver.starting.hold();
    const first = errorOf(pools.lease());
    await settle();
    await clock.advance(3_000);
    const error = await first;
    expect(error.code).toBe('BROWSER_NOT_READY');
    expect(error.message).toContain('3000 ms');
    const second = pools.lease();
    driver.starting.release();
    expect(await stateOf(second)).toBe('resolved');
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
  });

  it('replaces a browser that was gone as soon as it had started', async () => {
    const { driver, pools } = await poolOf({ instances: 1, lazy: true });
    driver.onStart = (browser) => browser.crash();
    expect((await errorOf(pools.lease())).code).toBe('INSTANCE_CRASHED');
    driver.onStart = () => {};
    expect(await stateOf(pools.lease())).toBe('resolved');
    expect(driver.starting.count).toBe(2);
  });
});
