import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { poolOf, stateOf } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000, instances: 1 };

describe('operations that wait for the same holder', () => {
  it('take the lease at the earliest deadline, for the sake of that operation', async () => {
    const { clock, driver, pools } = await poolOf(QUIET);
    const lease = await pools.lease();
    const restarted = pools.pool().restart({ timeoutMs: 60_000 });
    await clock.advance(5_000);
    const drained = pools.pool().drain({ timeoutMs: 1_000 });
    await clock.advance(999);
    expect(lease.revoked.aborted).toBe(false);
    await clock.advance(1);
    expect(lease.revoked.reason).toMatchObject({
      code: 'LEASE_REVOKED',
      message:
        "Instance '0' of pool 'WEB' is taken out of service, and its holder did not give it back within 1000 ms.",
    });
    await Promise.all([restarted, drained]);
    expect(driver.starting.count).toBe(1);
  });

  it('a later one with more patience puts nothing off', async () => {
    const { clock, pools } = await poolOf(QUIET);
    const lease = await pools.lease();
    const drained = pools.pool().drain({ timeoutMs: 1_000 });
    const restarted = pools.pool().restart({ timeoutMs: 60_000 });
    await clock.advance(1_000);
    expect(lease.revoked.aborted).toBe(true);
    await Promise.all([drained, restarted]);
  });

  it('and find the instance free when its holder is done in time', async () => {
    const { pools } = await poolOf(QUIET);
    const lease = await pools.lease();
    const restarted = pools.pool().restart({ timeoutMs: 60_000 });
    const drained = pools.pool().drain({ timeoutMs: 1_000 });
    await lease.release();
    await Promise.all([restarted, drained]);
    expect(lease.revoked.aborted).toBe(false);
  });
});

describe('a holder whose time is up is told what for', () => {
  it.each([
    ['restart', 'is restarted'],
    ['reconfigure', 'is restarted with other settings'],
    ['drain', 'is taken out of service'],
    ['scale', 'is removed'],
  ] as const)('%s: %s', async (operation, words) => {
    const { clock, pools } = await poolOf({ ...QUIET, instances: 2 });
    const lease = await pools.lease({ instance: '1' });
    const pool = pools.pool();
    const timeoutMs = 1_000;
    const instances = pool.config.instances.map((each) => ({
      ...each,
      settings: { ...each.settings, headless: false },
    }));
    const done = {
      restart: () => pool.restart({ timeoutMs }),
      reconfigure: () => pool.reconfigure({ ...pool.config, instances }, { timeoutMs }),
      drain: () => pool.drain({ timeoutMs }),
      scale: () => pool.scale(1, { timeoutMs }),
    }[operation]();
    await settle();
    await clock.advance(timeoutMs);
    expect(lease.revoked.reason).toMatchObject({
      message: `Instance '1' of pool 'WEB' ${words}, and its holder did not give it back within 1000 ms.`,
    });
    expect(await stateOf(done)).toBe('resolved');
  });
});
