import { describe, expect, it } from 'vitest';
import type { InstanceState } from '../../src/instance/instance-state.js';
import type { BrowserPools } from '../../src/pool/browser-pools.js';
import { mayFollow, mayHave, type OwnerKind } from '../../src/pool/slot-owner.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, type PoolFixture, poolOf } from './pool-fixture.js';

const QUIET = { instances: 1, healthInterval: 86_400_000 };

/** Every change of owner and of state from now on, in order: `holder → clean-up`, `(healthy → draining)`. */
function walkOf(pools: BrowserPools): string[] {
  const walk: string[] = [];
  pools.on('instance-owner', ({ from, to, why }) => {
    walk.push(`${from} → ${to}${why === undefined ? '' : `: ${why}`}`);
  });
  pools.on('instance-state', ({ from, to }) => walk.push(`(${from} → ${to})`));
  return walk;
}

describe('who may touch an instance, step by step', () => {
  it('one replacement of a worn browser: nobody gets it between its holder and the new browser', async () => {
    const { pools } = await poolOf({ ...QUIET, maxUses: 1 });
    const lease = await pools.lease();
    const waiting = pools.lease();
    const walk = walkOf(pools);
    await lease.release();
    await waiting;
    expect(walk).toEqual([
      'holder → clean-up',
      'clean-up → housekeeping: has served 1 lease (MAX_USES)',
      '(healthy → draining)',
      '(draining → stopped)',
      '(stopped → starting)',
      '(starting → healthy)',
      'housekeeping → queue',
      'queue → holder',
    ]);
  });

  it('one crash in mid-call: its holder loses it at once, and the next gets a new browser', async () => {
    const { driver, pools } = await poolOf(QUIET);
    const lease = await pools.lease();
    driver.browser('0').calling.hold();
    const call = errorOf(lease.callTool('browser_click'));
    const waiting = pools.lease();
    await settle();
    const walk = walkOf(pools);
    driver.browser('0').crash('Out of memory.');
    expect(walk).toEqual(['(healthy → failed)', 'holder → start: Out of memory.', '(failed → starting)']);
    expect((await call).code).toBe('INSTANCE_CRASHED');
    await waiting;
    expect(walk.slice(3)).toEqual(['(starting → healthy)', 'start → queue', 'queue → holder']);
  });

  it('a drain waits for the holder, and then nobody has the instance', async () => {
    const { pools } = await poolOf(QUIET);
    const lease = await pools.lease({ keep: true });
    const walk = walkOf(pools);
    const drained = pools.pool().drain();
    await lease.release();
    await drained;
    expect(walk).toEqual([
      '(healthy → draining)',
      'holder → housekeeping',
      '(draining → stopped)',
      'housekeeping → nobody: out of service: drained',
    ]);
  });
});

describe('why an instance is not available', () => {
  it('is told to who waited for it in vain', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, maxUses: 1 });
    const lease = await pools.lease();
    driver.starting.hold();
    await lease.release();
    const late = errorOf(pools.lease({ timeoutMs: 3_000 }));
    await clock.advance(3_000);
    const error = await late;
    expect(error.code).toBe('LEASE_TIMEOUT');
    expect(error.message).toContain(
      'Not available: 0 being replaced for 3 s: has served 1 lease (MAX_USES).',
    );
    expect(error.details).toMatchObject({
      unavailable: [{ instance: '0', why: 'being replaced for 3 s: has served 1 lease (MAX_USES)' }],
    });
  });
});

describe('the status of an instance that nobody can lease', () => {
  const errorNow = (pools: BrowserPools) => pools.status().pools[0]?.instances[0]?.health_check.error;

  it('tells what is being done to it, since when and why', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, maxUses: 1 });
    const lease = await pools.lease();
    driver.starting.hold();
    await lease.release();
    await clock.advance(3_000);
    expect(errorNow(pools)).toBe('being replaced for 3 s: has served 1 lease (MAX_USES)');
    driver.starting.release();
    await settle();
    expect(errorNow(pools)).toBeNull();
  });

  it('tells that it was taken out of service', async () => {
    const { pools } = await poolOf(QUIET);
    await pools.pool().drain();
    expect(errorNow(pools)).toBe('out of service: drained');
    await pools.pool().restart();
    expect(errorNow(pools)).toBeNull();
  });

  it('tells nothing of one that is leased, idle, or just starts', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, lazy: true });
    expect(errorNow(pools)).toBeNull();
    driver.starting.hold();
    const lease = pools.lease();
    await settle();
    expect(errorNow(pools)).toBeNull();
    driver.starting.release();
    await lease;
    expect(errorNow(pools)).toBeNull();
  });
});

describe('the table of owners', () => {
  const OWNERS: OwnerKind[] = ['nobody', 'queue', 'holder', 'clean-up', 'start', 'housekeeping'];

  it('lets housekeeping take an instance from the queue and from a start at once, from others in turn', () => {
    const atOnce = OWNERS.filter((from) => mayFollow(from, 'housekeeping', 'at once'));
    expect(atOnce).toEqual(['nobody', 'queue', 'start']);
    expect(OWNERS.filter((from) => mayFollow(from, 'housekeeping'))).toEqual(OWNERS);
  });

  it('gives an instance to a holder from the queue only, and never a failed one', () => {
    expect(OWNERS.filter((from) => mayFollow(from, 'holder'))).toEqual(['queue']);
    expect(mayHave('queue', 'failed')).toBe(false);
  });

  it.each([
    ['a holder, with a crash', (fixture: PoolFixture) => crashInUse(fixture)],
    ['maintenance, one after the other', (fixture: PoolFixture) => restartAndDrain(fixture)],
  ])('says what the states of an instance are under %s', async (_what, live) => {
    const fixture = await poolOf({ ...QUIET, maxRestarts: 1 });
    const seen: [OwnerKind, InstanceState][] = [];
    let state: InstanceState = 'healthy';
    fixture.pools.on('instance-state', ({ to }) => {
      state = to;
    });
    fixture.pools.on('instance-owner', ({ to }) => seen.push([to, state]));
    await live(fixture);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.filter(([owner, now]) => !mayHave(owner, now))).toEqual([]);
  });
});

async function crashInUse({ driver, pools }: PoolFixture): Promise<void> {
  await pools.lease();
  driver.browser('0').crash();
  await settle();
  driver.browser('0').crash();
  // Its only restart is used up.
  await errorOf(pools.lease());
}

async function restartAndDrain({ pools }: PoolFixture): Promise<void> {
  const lease = await pools.lease();
  const pool = pools.pool();
  const done = [pool.restart(), pool.drain(), pool.restart()];
  await lease.release();
  await Promise.allSettled(done);
  await (await pools.lease()).release();
}
