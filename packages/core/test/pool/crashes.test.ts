import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf, stateOf } from './pool-fixture.js';

const NOT_READY = new PwpoolError('BROWSER_NOT_READY', 'It does not start.');
const NO_HEALTHY =
  "Default pool 'WEB' has no healthy instances. Specify explicit pool or restart failed instances.";

describe('runtime errors', () => {
  it('a crash during a tool call: the caller is told at once [000-runtime-01]', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    const lease = await pools.lease();
    driver.browser('0').calling.hold();
    const call = lease.callTool('browser_click');
    driver.browser('0').crash();
    expect(await stateOf(call)).toBe('INSTANCE_CRASHED');
  });

  it('a crash between two calls of a lease: failed, and out of the pool [000-runtime-02, 000-status-08]', async () => {
    const { driver, pools } = await poolOf({ instances: 2, autoRestart: false });
    const lease = await pools.lease();
    driver.browser('0').crash('The process ended.');
    expect(pools.status().pools[0]?.instances[0]).toMatchObject({
      status: 'failed',
      leased: false,
      process_id: null,
      health_check: { responsive: false, error: 'The process ended.' },
    });
    const error = await errorOf(lease.callTool('browser_click'));
    expect(error.code).toBe('INSTANCE_CRASHED');
    expect(error.message).toBe('The process ended.');
    expect((await pools.lease()).instance).toBe('1');
    expect(await stateOf(pools.lease())).toBe('pending');
  });
});

describe('a crash while leased', () => {
  it('tells the holder by signal', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    const lease = await pools.lease();
    expect(lease.revoked.aborted).toBe(false);
    driver.browser('0').crash();
    expect(lease.revoked.aborted).toBe(true);
    expect(lease.revoked.reason).toMatchObject({ code: 'INSTANCE_CRASHED' });
  });

  it('leaves a dead lease whose release never frees the next holder [arch-lease-06]', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    const dead = await pools.lease();
    driver.browser('0').crash();
    const next = await pools.lease();
    await dead.release();
    expect(await stateOf(pools.lease({ timeoutMs: 90_000 }))).toBe('pending');
    expect(await stateOf(dead.callTool('browser_click'))).toBe('INSTANCE_CRASHED');
    await next.callTool('browser_snapshot');
    expect(driver.calls.map(({ tool }) => tool)).toEqual(['browser_snapshot']);
  });

  it('serves those who wait with the restarted browser', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    await pools.lease();
    const waiting = pools.lease();
    driver.starting.hold();
    driver.browser('0').crash();
    expect(await stateOf(waiting)).toBe('pending');
    driver.starting.release();
    expect(await stateOf(waiting)).toBe('resolved');
    expect(driver.browsers).toHaveLength(2);
  });

  it('does not disturb other instances', async () => {
    const { driver, pools } = await poolOf({ instances: 2 });
    const leases = [await pools.lease(), await pools.lease()];
    driver.browser('0').crash();
    await leases[1]?.callTool('browser_click');
    expect(driver.calls).toMatchObject([{ instance: '1' }]);
  });

  it('needs no reset afterwards: the new browser is clean', async () => {
    const { driver, pools } = await poolOf({ instances: 1, reset: 'lease' });
    const dead = await pools.lease();
    driver.browser('0').crash();
    await dead.release();
    await pools.lease();
    expect(driver.browsers.map(({ resetting }) => resetting.count)).toEqual([0, 0]);
  });

  it('forgets what was done in the old browser: a session finds the new one clean as it is', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    await (await pools.lease({ keep: true })).release();
    driver.browser('0').crash();
    await settle();
    await pools.lease();
    expect(driver.browsers.map(({ resetting }) => resetting.count)).toEqual([0, 0]);
  });
});

describe('a crash while idle', () => {
  it('takes the instance out of circulation at once, and back after the restart [000-runtime-02, 000-health-06]', async () => {
    const { driver, pools } = await poolOf({ instances: 2 });
    driver.starting.hold();
    driver.browser('0').crash();
    expect(pools.status().pools[0]?.instances.map(({ status }) => status)).toEqual(['starting', 'healthy']);
    expect((await pools.lease()).instance).toBe('1');
    const waiting = pools.lease();
    expect(await stateOf(waiting)).toBe('pending');
    driver.starting.release();
    expect((await waiting).instance).toBe('0');
  });

  it('in a lazy pool waits for the next lease to start it', async () => {
    const { driver, pools } = await poolOf({ instances: 1, lazy: true });
    await (await pools.lease()).release();
    driver.browser('0').crash();
    expect(pools.status().pools[0]?.instances[0]?.status).toBe('stopped');
    expect(driver.starting.count).toBe(1);
    await pools.lease();
    expect(driver.starting.count).toBe(2);
  });

  it('clears the dead browser away', async () => {
    const { driver } = await poolOf({ instances: 1 });
    const dead = driver.browser('0');
    dead.crash();
    await settle();
    expect(dead.disposed).toBe(true);
  });
});

describe('a browser that crashes between grant and use', () => {
  it('is not handed out', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    const lease = pools.lease();
    driver.browser('0').crash();
    expect((await errorOf(lease)).code).toBe('INSTANCE_CRASHED');
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('however soon after the grant, is not started for a holder who will not have it', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { driver, pools } = await poolOf({ instances: 1, autoRestart: false });
      const lease = await pools.lease();
      const next = stateOf(pools.lease());
      void lease.release();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      driver.browser('0').crash();
      expect(['INSTANCE_CRASHED', 'NO_HEALTHY_INSTANCES', 'resolved']).toContain(await next);
      expect(pools.status().summary.failed_instances).toBe(1);
      expect(driver.starting.count).toBe(1);
    }
  });

  it('while it is reset for its holder, is not handed out either', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    await (await pools.lease({ keep: true })).release();
    driver.browser('0').resetting.hold();
    const session = pools.lease();
    await settle();
    driver.browser('0').crash();
    expect(await stateOf(session)).toBe('INSTANCE_CRASHED');
    expect(await stateOf(pools.lease())).toBe('resolved');
  });
});

describe('NO_HEALTHY_INSTANCES', () => {
  it('is told at once to those who wait and to those who come, when the last instance fails for good [000-validation-08, arch-error-04]', async () => {
    const { driver, pools } = await poolOf({ instances: 2, autoRestart: false });
    await pools.lease();
    await pools.lease();
    const waiting = [errorOf(pools.lease()), errorOf(pools.lease({ instance: '1' }))];
    driver.browser('0').crash('Out of memory.');
    driver.browser('1').crash('The process ended.');
    for (const error of [...(await Promise.all(waiting)), await errorOf(pools.lease())]) {
      expect(error.code).toBe('NO_HEALTHY_INSTANCES');
      expect(error.message).toBe(NO_HEALTHY);
      expect(error.hint).toBe(
        'Ask whoever runs pwpool to restart it: this pool starts no failed browser again (AUTO_RESTART=true would). ' +
          'Why the first one failed: Out of memory.',
      );
      expect(error.details).toEqual({
        pool: 'WEB',
        instances: [
          { instance: '0', reason: 'Out of memory.' },
          { instance: '1', reason: 'The process ended.' },
        ],
      });
    }
  });

  it('is not told while an instance can still come back', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, maxRestarts: 2 });
    const waiting = pools.lease().then((lease) => {
      driver.starting.fail(NOT_READY);
      driver.browser('0').crash();
      return lease;
    });
    await waiting;
    const next = pools.lease();
    expect(await stateOf(next)).toBe('pending');
    await clock.advance(500);
    expect((await errorOf(next)).message).toBe(NO_HEALTHY);
  });

  it('of another pool does not speak of the default pool', async () => {
    const { pools, driver } = await poolOf({ instances: 1, autoRestart: false });
    driver.browser('0').crash();
    expect((await errorOf(pools.lease({ pool: 'WEB' }))).message).toBe(NO_HEALTHY);
  });
});

describe('an instance that failed for good, while others are healthy', () => {
  it('is refused by name at once, to those who wait and to those who come', async () => {
    const { driver, pools } = await poolOf({ instances: 2, autoRestart: false });
    await pools.lease({ instance: '0' });
    const waiting = errorOf(pools.lease({ instance: '0' }));
    driver.browser('0').crash('The process ended.');
    for (const error of [await waiting, await errorOf(pools.lease({ instance: '0' }))]) {
      expect(error.code).toBe('BROWSER_NOT_READY');
      expect(error.message).toBe("Instance '0' of pool 'WEB' has failed: The process ended.");
    }
    expect((await pools.lease()).instance).toBe('1');
  });
});
