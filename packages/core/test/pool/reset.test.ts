import { describe, expect, it } from 'vitest';
import type { InstanceSettings } from '../../src/config/model.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, type PoolFixture, poolOf, stateOf } from './pool-fixture.js';

interface Use {
  keep: boolean;
  detach?: boolean;
}

/** A one-shot call of an agent, or a lease with `keep: true`. */
const CALL: Use = { keep: true };
/** A session, or a lease of a program. */
const SESSION: Use = { keep: false };
const DETACHED_CALL: Use = { keep: true, detach: true };
const DETACHED_SESSION: Use = { keep: false, detach: true };

/** How often the browser had been reset: after each use was released, and when the next one was granted. */
async function resetsOf({ driver, pools }: PoolFixture, uses: readonly Use[]): Promise<number[]> {
  const counts: number[] = [];
  for (const { keep, detach = false } of uses) {
    const lease = await pools.lease({ keep });
    counts.push(driver.browser('0').resetting.count);
    await lease.release({ detach });
    counts.push(driver.browser('0').resetting.count);
  }
  return counts;
}

describe('RESET', () => {
  // Each row: grant, release, grant, release, and so on.
  it.each<[InstanceSettings['reset'], string, Use[], number[]]>([
    ['never', 'calls', [CALL, CALL], [0, 0, 0, 0]],
    ['never', 'sessions', [SESSION, SESSION], [0, 0, 0, 0]],
    ['session', 'calls: the next finds the page as the last one left it', [CALL, CALL], [0, 0, 0, 0]],
    ['session', 'sessions: after each', [SESSION, SESSION], [0, 1, 1, 2]],
    ['session', 'a session after a call: before it', [CALL, SESSION], [0, 0, 1, 2]],
    ['session', 'a call after a session: once', [SESSION, CALL], [0, 1, 1, 1]],
    ['session', 'a detached session, then a call: not', [DETACHED_SESSION, CALL], [0, 0, 0, 0]],
    ['session', 'a detached session, then a session: before it', [DETACHED_SESSION, SESSION], [0, 0, 1, 2]],
    ['lease', 'calls: after each', [CALL, CALL], [0, 1, 1, 2]],
    ['lease', 'sessions: after each', [SESSION, SESSION], [0, 1, 1, 2]],
    ['lease', 'a detached call, then a call: before it', [DETACHED_CALL, CALL], [0, 0, 1, 2]],
    ['never', 'a detached session, then a session: not', [DETACHED_SESSION, SESSION], [0, 0, 0, 0]],
  ])('%s, %s [arch-reset-01, arch-reset-02, arch-reset-03]', async (reset, _what, uses, expected) => {
    const fixture = await poolOf({ instances: 1, reset });
    expect(await resetsOf(fixture, uses)).toEqual(expected);
  });

  it('may differ from instance to instance', async () => {
    const { driver, pools } = await poolOf({
      instances: 2,
      instance: { 0: { reset: 'lease' }, 1: { reset: 'never' } },
    });
    for (const instance of ['0', '1']) await (await pools.lease({ instance })).release();
    expect(driver.browsers.map(({ resetting }) => resetting.count)).toEqual([1, 0]);
  });
});

describe('while an instance is reset', () => {
  it('nobody gets it, and its release has not ended', async () => {
    const { driver, pools } = await poolOf({ instances: 1, reset: 'lease' });
    const lease = await pools.lease();
    driver.browser('0').resetting.hold();
    const released = lease.release();
    const next = pools.lease();
    expect(await stateOf(released)).toBe('pending');
    expect(await stateOf(next)).toBe('pending');
    expect(pools.status().summary.leased_instances).toBe(0);
    driver.browser('0').resetting.release();
    expect(await stateOf(released)).toBe('resolved');
    expect(await stateOf(next)).toBe('resolved');
  });

  it('and its browser crashes, the next holder gets the restarted one', async () => {
    const { driver, pools } = await poolOf({ instances: 1, reset: 'lease' });
    const lease = await pools.lease();
    const dead = driver.browser('0');
    dead.resetting.hold();
    const released = lease.release();
    await settle();
    dead.crash();
    await released;
    const next = await pools.lease();
    // Whatever the reset of the dead browser comes to, late, is no concern of the new one.
    dead.resetting.fail(new Error('Target closed'));
    dead.resetting.release();
    await settle();
    await next.callTool('browser_click');
    expect(driver.browsers).toHaveLength(2);
  });

  it('a caller who leaves meanwhile does not spoil it for the next', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    await (await pools.lease({ keep: true })).release();
    driver.browser('0').resetting.hold();
    const controller = new AbortController();
    const session = errorOf(pools.lease({ signal: controller.signal }));
    await settle();
    controller.abort();
    expect((await session).code).toBe('CANCELLED');
    const next = pools.lease();
    expect(await stateOf(next)).toBe('pending');
    driver.browser('0').resetting.release();
    await next;
    expect(driver.browser('0').resetting.count).toBe(1);
  });

  it('a caller who left, and a crash, do not bring the new browser down', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    await (await pools.lease({ keep: true })).release();
    const dead = driver.browser('0');
    dead.resetting.hold();
    const controller = new AbortController();
    const session = errorOf(pools.lease({ signal: controller.signal }));
    await settle();
    controller.abort();
    await session;
    dead.crash();
    const next = await pools.lease();
    await next.callTool('browser_click');
    expect(driver.browsers).toHaveLength(2);
    expect(driver.browser('0').disposed).toBe(false);
  });
});

describe('a reset that goes wrong', () => {
  it('after a lease leads to a new browser', async () => {
    const { driver, pools } = await poolOf({ instances: 1, reset: 'lease' });
    const lease = await pools.lease();
    const old = driver.browser('0');
    old.resetting.fail(new Error('No new context.'));
    const next = pools.lease();
    await lease.release();
    expect(await stateOf(next)).toBe('resolved');
    expect(old.disposed).toBe(true);
    expect(driver.browsers).toHaveLength(2);
  });

  it('and hangs is given up after START_TIMEOUT', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, reset: 'lease', startTimeout: 3_000 });
    const lease = await pools.lease();
    const old = driver.browser('0');
    old.resetting.hold();
    const released = lease.release();
    const next = pools.lease();
    await settle();
    await clock.advance(2_999);
    expect(await stateOf(next)).toBe('pending');
    await clock.advance(1);
    await released;
    expect(await stateOf(next)).toBe('resolved');
    expect(old.disposed).toBe(true);
    expect(driver.browsers).toHaveLength(2);
  });

  it('before a lease is told to its caller, and the next gets a new browser', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    await (await pools.lease({ keep: true })).release();
    driver.browser('0').resetting.fail(new Error('No new context.'));
    await expect(pools.lease()).rejects.toThrow('No new context.');
    expect(await stateOf(pools.lease())).toBe('resolved');
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, false]);
  });

  it('before a lease, and hangs, keeps neither its caller nor the instance', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, startTimeout: 3_000 });
    await (await pools.lease({ keep: true })).release();
    driver.browser('0').resetting.hold();
    const session = errorOf(pools.lease());
    await settle();
    await clock.advance(3_000);
    expect((await session).code).toBe('BROWSER_NOT_READY');
    expect(await stateOf(pools.lease())).toBe('resolved');
    expect(driver.browsers).toHaveLength(2);
  });
});
