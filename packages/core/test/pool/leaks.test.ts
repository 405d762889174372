import { describe, expect, it } from 'vitest';
import type { PoolEvents } from '../../src/pool/pool-events.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, type PoolFixture, poolOf, stateOf } from './pool-fixture.js';

const QUIET = { instances: 1, healthInterval: 86_400_000 };

type Leak = PoolEvents['lease-leaked'];

function leaksOf({ pools }: PoolFixture): { leaked: Leak[]; ended: Leak[] } {
  const seen = { leaked: [] as Leak[], ended: [] as Leak[] };
  pools.on('lease-leaked', (event) => seen.leaked.push(event));
  pools.on('leak-ended', (event) => seen.ended.push(event));
  return seen;
}

describe('LEAK_THRESHOLD', () => {
  it('reports a lease that is held for longer: who, since when, and where it was taken', async () => {
    const fixture = await poolOf({ ...QUIET, leakThreshold: 60_000 });
    const { leaked, ended } = leaksOf(fixture);
    const lease = await fixture.pools.lease({ holder: 'session alice' });
    await fixture.clock.advance(59_999);
    expect(leaked).toEqual([]);
    await fixture.clock.advance(1);
    expect(leaked).toEqual([
      {
        pool: 'WEB',
        instance: '0',
        lease: lease.id,
        holder: 'session alice',
        heldMs: 60_000,
        takenAt: expect.stringContaining('leaks.test.ts'),
      },
    ]);
    await fixture.clock.advance(3_600_000);
    expect(leaked).toHaveLength(1);
    expect(ended).toEqual([]);
    // It is a report, nothing more.
    await lease.callTool('browser_click');
  });

  it('follows up when the lease comes back', async () => {
    const fixture = await poolOf({ ...QUIET, leakThreshold: 60_000 });
    const { leaked, ended } = leaksOf(fixture);
    const lease = await fixture.pools.lease();
    await fixture.clock.advance(90_000);
    await lease.release();
    expect(ended).toEqual([{ ...leaked[0], heldMs: 90_000 }]);
  });

  it('follows up when the browser crashes under it', async () => {
    const fixture = await poolOf({ ...QUIET, leakThreshold: 60_000 });
    const { leaked, ended } = leaksOf(fixture);
    const lease = await fixture.pools.lease();
    await fixture.clock.advance(60_000);
    fixture.driver.browser('0').crash();
    await lease.release();
    expect([leaked.length, ended.length]).toEqual([1, 1]);
  });

  it('has nothing to say of a lease that comes back in time, or crashed before', async () => {
    const fixture = await poolOf({ ...QUIET, leakThreshold: 60_000 });
    const seen = leaksOf(fixture);
    await (await fixture.pools.lease()).release();
    await fixture.pools.lease();
    fixture.driver.browser('0').crash();
    await fixture.clock.advance(120_000);
    expect(seen).toEqual({ leaked: [], ended: [] });
  });

  it('may be set for later leases by a reload', async () => {
    const fixture = await poolOf({ ...QUIET });
    const { leaked } = leaksOf(fixture);
    const before = await fixture.pools.lease();
    await fixture.pools.pool().reconfigure({
      ...fixture.pools.pool().config,
      settings: { ...fixture.pools.pool().config.settings, leakThreshold: 1_000 },
    });
    await fixture.clock.advance(5_000);
    expect(leaked).toEqual([]);
    await before.release();
    await fixture.pools.lease();
    await fixture.clock.advance(1_000);
    expect(leaked).toHaveLength(1);
  });
});

describe('LEASE_MAX', () => {
  const LIMITED = { ...QUIET, leaseMax: 60_000 };

  it('takes a lease back: a running call ends, later use is refused, and the holder is told', async () => {
    const { clock, driver, pools } = await poolOf({ ...LIMITED, timeout: 300_000 });
    const lease = await pools.lease({ holder: 'session alice' });
    driver.browser('0').calling.hold();
    const call = errorOf(lease.callTool('browser_click'));
    await clock.advance(59_999);
    expect(lease.revoked.aborted).toBe(false);
    await clock.advance(1);
    for (const error of [
      await call,
      await errorOf(lease.callTool('browser_snapshot')),
      lease.revoked.reason,
    ]) {
      expect(error.code).toBe('LEASE_REVOKED');
      expect(error.message).toBe(
        "The lease of instance '0' of pool 'WEB' was taken back from session alice after 60000 ms.",
      );
      expect(error.hint).toContain('LEASE_MAX');
    }
    expect(driver.calls.map(({ tool }) => tool)).toEqual(['browser_click']);
    expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 1 });
  });

  it('gives the instance to who waits, and the old holder disturbs nobody', async () => {
    const { clock, driver, pools } = await poolOf(LIMITED);
    const old = await pools.lease();
    const next = pools.lease({ timeoutMs: 90_000 });
    await clock.advance(60_000);
    const lease = await next;
    await old.release();
    await old[Symbol.asyncDispose]();
    expect((await errorOf(old.callTool('browser_click'))).code).toBe('LEASE_REVOKED');
    expect(await stateOf(pools.lease())).toBe('pending');
    await lease.callTool('browser_snapshot');
    expect(driver.calls.map(({ tool }) => tool)).toEqual(['browser_snapshot']);
  });

  it.each([
    ['session', false, 1],
    ['lease', true, 1],
    ['session', true, 0],
    ['never', false, 0],
  ] as const)('with RESET=%s and keep: %s it cleans the instance %i times', async (reset, keep, resets) => {
    const { clock, driver, pools } = await poolOf({ ...LIMITED, reset });
    await pools.lease({ keep });
    await clock.advance(60_000);
    expect(driver.browser('0').resetting.count).toBe(resets);
    await pools.lease({ keep: true });
  });

  it('waits with the next holder until the call that was ended has left the page alone', async () => {
    const { clock, driver, pools } = await poolOf({ ...LIMITED, timeout: 300_000 });
    const browser = driver.browser('0');
    const lease = await pools.lease();
    browser.calling.hold();
    browser.unblocking.hold();
    const call = errorOf(lease.callTool('browser_navigate'));
    const next = pools.lease({ timeoutMs: 90_000 });
    await clock.advance(60_000);
    expect(await stateOf(next)).toBe('pending');
    browser.unblocking.release();
    expect((await call).code).toBe('LEASE_REVOKED');
    expect(await stateOf(next)).toBe('resolved');
  });

  it('runs for each lease anew, and ends with it', async () => {
    const { clock, pools } = await poolOf(LIMITED);
    const first = await pools.lease();
    await clock.advance(59_999);
    await first.release();
    const second = await pools.lease();
    await clock.advance(59_999);
    expect(second.revoked.aborted).toBe(false);
    await clock.advance(1);
    expect(second.revoked.aborted).toBe(true);
  });

  it('that runs out while the holder gives the lease back changes nothing', async () => {
    const { clock, driver, pools } = await poolOf({ ...LIMITED, reset: 'lease' });
    const lease = await pools.lease();
    driver.browser('0').resetting.hold();
    const released = lease.release();
    await clock.advance(60_000);
    expect(lease.revoked.aborted).toBe(false);
    // The reset took too long, so the browser was replaced.
    await released;
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('meets a crash: the holder is told of the first, and the instance comes back once', async () => {
    const { clock, driver, pools } = await poolOf({ ...LIMITED, reset: 'lease' });
    const lease = await pools.lease();
    driver.browser('0').resetting.hold();
    await clock.advance(60_000);
    driver.browser('0').crash();
    await settle();
    expect(lease.revoked.reason).toMatchObject({ code: 'LEASE_REVOKED' });
    const next = await pools.lease();
    await next.callTool('browser_click');
    expect(driver.browsers).toHaveLength(2);
    await clock.advance(59_999);
    expect(next.revoked.aborted).toBe(false);
  });

  it('after a crash has nothing to take back any more', async () => {
    const { clock, driver, pools } = await poolOf(LIMITED);
    const lease = await pools.lease();
    await clock.advance(30_000);
    driver.browser('0').crash();
    const next = await pools.lease();
    await clock.advance(30_000);
    expect(lease.revoked.reason).toMatchObject({ code: 'INSTANCE_CRASHED' });
    expect(next.revoked.aborted).toBe(false);
  });

  it('tells with the event of the end why the lease ended', async () => {
    const { clock, pools } = await poolOf(LIMITED);
    const ends: unknown[] = [];
    pools.on('lease-ended', ({ heldMs, error }) => ends.push([heldMs, error?.code]));
    const first = await pools.lease();
    await clock.advance(1_000);
    await first.release();
    await pools.lease();
    await clock.advance(60_000);
    expect(ends).toEqual([
      [1_000, undefined],
      [60_000, 'LEASE_REVOKED'],
    ]);
  });
});
