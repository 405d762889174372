import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, FakeReadings, machineWith, poolOf, stateOf, statuses } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };
const REASON = '97 % of the memory is in use, and MEMORY_HIGH_WATER is 95 %';

describe('while the machine is under pressure', () => {
  it('a lease that would have to start a browser waits, and its time-out says why', async () => {
    const { clock, driver, fill, pools } = await machineWith({ instances: 2, lazy: true });
    await fill(97);
    const lease = errorOf(pools.lease({ timeoutMs: 10_000 }));
    await clock.advance(10_000);
    const error = await lease;
    expect(error.code).toBe('LEASE_TIMEOUT');
    expect(error.message).toContain(`No browser is started: ${REASON}.`);
    expect(error.details).toMatchObject({ throttled: REASON });
    expect(driver.starting.count).toBe(0);
  });

  it('who waits can be told why', async () => {
    const { fill, pools } = await machineWith({ instances: 1, lazy: true });
    await fill(97);
    let throttled: string | undefined;
    const lease = pools.lease({
      onWait: (wait) => {
        throttled = wait.throttled();
      },
    });
    expect(throttled).toBe(REASON);
    await fill(10);
    await lease;
  });

  it('running browsers are leased as ever, before cold ones and in their order', async () => {
    const { driver, fill, pools } = await machineWith({ instances: 3, lazy: true });
    const leases = [await pools.lease({ instance: '2' }), await pools.lease({ instance: '1' })];
    for (const lease of leases) await lease.release();
    await fill(97);
    expect((await pools.lease()).instance).toBe('2');
    expect((await pools.lease()).instance).toBe('1');
    expect(await stateOf(pools.lease())).toBe('pending');
    expect(driver.starting.count).toBe(2);
  });

  it('a caller who waits for a cold one does not keep a warm one from those behind it', async () => {
    const { fill, pools } = await machineWith({ instances: 2, lazy: true });
    await (await pools.lease({ instance: '1' })).release();
    await fill(97);
    const cold = pools.lease({ instance: '0' });
    expect((await pools.lease()).instance).toBe('1');
    expect(await stateOf(cold)).toBe('pending');
  });

  it('available_instances counts what a lease would get, and no more', async () => {
    const { fill, pools } = await machineWith({ instances: 3, lazy: true });
    await (await pools.lease()).release();
    const available = () => pools.status().summary.available_instances;
    expect(available()).toBe(3);
    await fill(97);
    expect(available()).toBe(1);
    const lease = await pools.lease();
    expect(available()).toBe(0);
    await fill(10);
    expect(available()).toBe(2);
    await lease.release();
    expect(available()).toBe(3);
  });

  it('an eager pool waits with its first starts', async () => {
    const machine = await machineWith({ instances: 2 }, 97);
    const { driver, fill, pools } = machine;
    expect(driver.starting.count).toBe(0);
    expect(statuses(machine)).toEqual(['starting', 'starting']);
    expect(pools.status().summary.available_instances).toBe(0);
    await fill(10);
    expect(statuses(machine)).toEqual(['healthy', 'healthy']);
  });

  it('a browser that crashed is restarted later, whoever waits for it', async () => {
    const { driver, fill, pools } = await machineWith({ instances: 1 });
    await fill(97);
    driver.browser('0').crash();
    const lease = pools.lease();
    expect(await stateOf(lease)).toBe('pending');
    expect(driver.starting.count).toBe(1);
    await fill(10);
    expect(await stateOf(lease)).toBe('resolved');
  });

  it('MIN_IDLE starts nothing either', async () => {
    const machine = await machineWith({ instances: 2, lazy: true, minIdle: 1 }, 97);
    await machine.clock.advance(60_000);
    expect(machine.driver.starting.count).toBe(0);
    await machine.fill(10);
    await settle();
    expect(statuses(machine)).toEqual(['healthy', 'stopped']);
  });

  it('what has begun to start goes on', async () => {
    const { driver, fill, pools } = await machineWith({ instances: 1, lazy: true });
    driver.starting.hold();
    const lease = pools.lease();
    await fill(97);
    driver.starting.release();
    expect(await stateOf(lease)).toBe('resolved');
  });

  it('closing the pool waits for nobody: those at the gate and in line are told', async () => {
    const { fill, pools } = await machineWith({ instances: 2, lazy: true, startConcurrency: 1 });
    await fill(97);
    const leases = [errorOf(pools.lease()), errorOf(pools.lease({ instance: '1' }))];
    await pools.close();
    expect((await Promise.all(leases)).map(({ code }) => code)).toEqual(['SHUTTING_DOWN', 'SHUTTING_DOWN']);
  });

  it('draining does not wait for a start that may not begin', async () => {
    const machine = await machineWith({ instances: 2 }, 97);
    const drained = machine.pools.pool().drain();
    expect(await stateOf(drained)).toBe('resolved');
    expect(statuses(machine)).toEqual(['stopped', 'stopped']);
    expect(machine.driver.starting.count).toBe(0);
  });

  it('nor does a graceful close', async () => {
    const machine = await machineWith({ instances: 2 }, 97);
    expect(await stateOf(machine.pools.close({ drainMs: 60_000 }))).toBe('resolved');
  });

  it('draining ends a lease that waits behind it for its start', async () => {
    const { clock, driver, fill, pools } = await machineWith({
      instances: 2,
      lazy: true,
      startConcurrency: 1,
      startTimeout: 90_000,
    });
    driver.starting.hold();
    const first = errorOf(pools.lease());
    const second = errorOf(pools.lease({ instance: '1' }));
    await fill(97);
    // The first start is under way; the second waits for its turn.
    await pools.pool().drain({ instance: '1' });
    expect((await second).code).toBe('BROWSER_NOT_READY');
    await clock.advance(90_000);
    expect((await first).code).toBe('BROWSER_NOT_READY');
  });

  it('scaling down does not wait for a start that may not begin', async () => {
    const machine = await machineWith({ instances: 2 }, 97);
    expect(await stateOf(machine.pools.pool().scale(1))).toBe('resolved');
    await machine.fill(10);
    expect(statuses(machine)).toEqual(['healthy']);
    expect(machine.driver.starting.count).toBe(1);
  });
});

describe('when the pressure is over', () => {
  it('those who wait are served in order of arrival', async () => {
    const { fill, pools } = await machineWith({ instances: 3, lazy: true });
    await fill(97);
    const order: string[] = [];
    const ask = async (name: string, instance?: string) => {
      const lease = await pools.lease({ instance });
      order.push(`${name} ${lease.instance}`);
    };
    const asked = [ask('first', '2'), ask('second'), ask('third', '0'), ask('fourth')];
    await fill(10);
    expect(order).toEqual(['first 2', 'second 0', 'fourth 1']);
    expect(await stateOf(Promise.all(asked))).toBe('pending');
  });

  it('comes with a margin: a browser more does not bring it back at once', async () => {
    const { driver, fill, pools } = await machineWith({ instances: 1, lazy: true });
    await fill(97);
    const lease = pools.lease();
    await fill(93);
    expect(await stateOf(lease)).toBe('pending');
    await fill(90);
    expect(await stateOf(lease)).toBe('resolved');
    expect(driver.starting.count).toBe(1);
  });
});

describe('the event of pressure', () => {
  it('tells when it begins, with the reason, and when it is over', async () => {
    const { fill, pools } = await machineWith({ instances: 1, lazy: true });
    const seen: unknown[] = [];
    pools.on('pressure', (event) => seen.push(event));
    await fill(97);
    await fill(98);
    await fill(10);
    await fill(10);
    expect(seen).toEqual([{ reason: REASON }, { reason: undefined }]);
  });
});

describe('CPU_HIGH_WATER', () => {
  it('holds starts back by the average over some seconds', async () => {
    const readings = new FakeReadings();
    readings.cpu = 100;
    const { clock, driver, pools } = await poolOf(
      { ...QUIET, instances: 1, lazy: true },
      { readings, server: { cpuHighWater: 90 } },
    );
    await clock.advance(2_000);
    await (await pools.lease()).release();
    driver.browser('0').crash();
    await clock.advance(58_000);
    const lease = pools.lease();
    expect(await stateOf(lease)).toBe('pending');
    readings.cpu = 0;
    await clock.advance(5_000);
    expect(await stateOf(lease)).toBe('resolved');
  });
});
