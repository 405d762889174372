import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import type { FakeDriver } from '../../src/testing/fake-driver.js';
import { errorOf, poolOf, stateOf } from './pool-fixture.js';

const NOT_READY = new PwpoolError('BROWSER_NOT_READY', 'It does not start.');
const QUIET = { healthInterval: 86_400_000 };

const statusOf = (pools: { status(): { pools: { instances: { status: string }[] }[] } }) =>
  pools.status().pools[0]?.instances[0]?.status;

describe('the restart budget', () => {
  it('is spent by starts that fail: at once, then with back-off, then failed for good [000-health-06, arch-instance-05]', async () => {
    const { clock, driver, pools } = await poolOf(
      { ...QUIET, instances: 1, maxRestarts: 4 },
      { prepare: ({ starting }) => starting.fail(NOT_READY) },
    );
    const counts = [driver.starting.count];
    for (const delay of [499, 1, 1_000, 2_000, 59_999]) {
      await clock.advance(delay);
      counts.push(driver.starting.count);
    }
    // The first start and the first restart happen at once.
    expect(counts).toEqual([2, 2, 3, 4, 5, 5]);
    expect(statusOf(pools)).toBe('failed');
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    await clock.advance(3_600_000);
    expect(driver.starting.count).toBe(5);
  });

  it('is spent by crashes too', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, instances: 1, maxRestarts: 2 });
    driver.browser('0').crash();
    await settle();
    expect(statusOf(pools)).toBe('healthy');
    driver.browser('0').crash();
    expect(statusOf(pools)).toBe('failed');
    await clock.advance(500);
    expect(statusOf(pools)).toBe('healthy');
    driver.browser('0').crash();
    await clock.advance(300_000);
    expect(statusOf(pools)).toBe('failed');
    expect(driver.starting.count).toBe(3);
  });

  it('is whole again after ten minutes', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, instances: 1, maxRestarts: 1 });
    for (let crash = 0; crash < 3; crash++) {
      driver.browser('0').crash();
      await clock.advance(600_000);
      expect(statusOf(pools)).toBe('healthy');
    }
  });

  it('is each instance its own', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 2, maxRestarts: 1 });
    driver.browser('0').crash();
    driver.browser('1').crash();
    await settle();
    expect(pools.status().summary.healthy_instances).toBe(2);
  });

  it('is spent once for a browser that is gone as soon as it has started', async () => {
    const { clock, driver, pools } = await poolOf(
      { ...QUIET, instances: 1, maxRestarts: 2 },
      {
        prepare: (fake) => {
          fake.onStart = (browser) => browser.crash();
        },
      },
    );
    expect(driver.starting.count).toBe(2);
    driver.onStart = () => {};
    await clock.advance(500);
    expect(statusOf(pools)).toBe('healthy');
  });
});

describe('an instance whose budget is spent', () => {
  const SPENT = { ...QUIET, instances: 1, maxRestarts: 1 };
  const failing = { prepare: ({ starting }: FakeDriver) => starting.fail(NOT_READY) };

  it('is tried again for who asks, at most every minute, and by nobody else [arch-instance-05]', async () => {
    const { clock, driver, pools } = await poolOf(SPENT, failing);
    await clock.advance(3_600_000);
    expect(driver.starting.count).toBe(2);
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    expect(driver.starting.count).toBe(4);
    await clock.advance(59_999);
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    expect(driver.starting.count).toBe(4);
    driver.starting.succeed();
    await clock.advance(1);
    await (await pools.lease()).release();
    expect(statusOf(pools)).toBe('healthy');
  });

  it('in a lazy pool too', async () => {
    const { clock, driver, pools } = await poolOf({ ...SPENT, lazy: true });
    driver.starting.fail(NOT_READY);
    for (let time = 0; time < 2; time++)
      expect((await errorOf(pools.lease())).code).toBe('BROWSER_NOT_READY');
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    driver.starting.succeed();
    await clock.advance(60_000);
    await (await pools.lease()).release();
  });

  it('is left alone by who asks for another one, or with AUTO_RESTART=false', async () => {
    for (const autoRestart of [false, true]) {
      const { clock, driver, pools } = await poolOf({ ...SPENT, instances: 2, autoRestart });
      driver.starting.fail(NOT_READY);
      driver.browser('0').crash();
      await clock.advance(120_000);
      const { count } = driver.starting;
      await (await pools.lease({ instance: '1' })).release();
      if (!autoRestart) await errorOf(pools.lease({ instance: '0' }));
      expect(driver.starting.count).toBe(count);
    }
  });
});

describe('an ENDPOINT whose budget is spent', () => {
  const ENDPOINT = { ...QUIET, instances: 1, maxRestarts: 1, endpoint: 'ws://127.0.0.1:9/' };

  it('is refused at once, looked at every minute, and leased again when it is back [arch-driver-06]', async () => {
    const { clock, driver, pools } = await poolOf(ENDPOINT, {
      prepare: ({ starting }) => starting.fail(NOT_READY),
    });
    let givenUp = 0;
    pools.on('instance-given-up', () => givenUp++);
    await clock.advance(59_999);
    expect(driver.starting.count).toBe(2);
    await clock.advance(1);
    expect(driver.starting.count).toBe(3);
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    await clock.advance(3_600_000);
    expect(driver.starting.count).toBeGreaterThan(60);
    driver.starting.succeed();
    await clock.advance(60_000);
    expect(statusOf(pools)).toBe('healthy');
    await (await pools.lease()).release();
    expect(givenUp).toBe(0);
  });

  it('in a lazy pool is told of once, until it has started again', async () => {
    const { clock, driver, pools } = await poolOf({ ...ENDPOINT, lazy: true });
    let givenUp = 0;
    pools.on('instance-given-up', () => givenUp++);
    const failTwice = async () => {
      driver.starting.fail(NOT_READY);
      for (let time = 0; time < 2; time++)
        expect((await errorOf(pools.lease())).code).toBe('BROWSER_NOT_READY');
      for (let minute = 0; minute < 5; minute++) {
        await clock.advance(60_000);
        expect((await errorOf(pools.lease())).code).toBe('BROWSER_NOT_READY');
      }
    };
    await failTwice();
    expect(givenUp).toBe(1);
    await clock.advance(60_000);
    driver.starting.succeed();
    await (await pools.lease()).release();
    driver.browser('0').crash();
    await clock.advance(60_000);
    expect(givenUp).toBe(2);
  });

  it('is left alone with AUTO_RESTART=false, and while it is out of service', async () => {
    for (const autoRestart of [false, true]) {
      const { clock, driver, pools } = await poolOf(
        { ...ENDPOINT, autoRestart },
        { prepare: ({ starting }) => starting.fail(NOT_READY) },
      );
      if (autoRestart) await pools.pool().drain();
      const { count } = driver.starting;
      await clock.advance(600_000);
      expect(driver.starting.count).toBe(count);
    }
  });
});

describe('the back-off', () => {
  it('grows exponentially, to a minute at most [arch-instance-05]', async () => {
    const { driver, pools, clock } = await poolOf({ ...QUIET, instances: 1, maxRestarts: 9 });
    const delays: number[] = [];
    pools.on('instance-restarting', ({ delayMs }) => delays.push(delayMs));
    driver.starting.fail(NOT_READY);
    driver.browser('0').crash();
    await clock.advance(600_000);
    expect(delays).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    expect(statusOf(pools)).toBe('failed');
  });

  it('is spread by up to a half: instances that failed together do not start together', async () => {
    const draws = [0, 0.5, 0.999];
    const { clock, driver, pools } = await poolOf(
      { ...QUIET, instances: 3 },
      { random: () => draws.shift() ?? 0 },
    );
    for (const { config } of [...driver.browsers]) driver.browser(config.id).crash();
    await settle();
    const delays: Record<string, number> = {};
    pools.on('instance-restarting', ({ instance, delayMs }) => {
      delays[instance] = delayMs;
    });
    for (const instance of ['0', '1', '2']) driver.browser(instance).crash();
    expect(delays).toEqual({ 0: 250, 1: 375, 2: 500 });
    await clock.advance(250);
    expect(pools.status().summary.healthy_instances).toBe(1);
    await clock.advance(125);
    expect(pools.status().summary.healthy_instances).toBe(2);
    await clock.advance(125);
    expect(pools.status().summary.healthy_instances).toBe(3);
  });
});

describe('AUTO_RESTART=false', () => {
  it('leaves a crashed instance failed [000-health-06, arch-instance-05]', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, autoRestart: false });
    driver.browser('0').crash();
    await clock.advance(3_600_000);
    expect(statusOf(pools)).toBe('failed');
    expect(driver.starting.count).toBe(1);
  });

  it('leaves an instance failed that did not start', async () => {
    const { driver, pools } = await poolOf(
      { instances: 1, autoRestart: false },
      { prepare: ({ starting }) => starting.fail(NOT_READY) },
    );
    expect(driver.starting.count).toBe(1);
    expect((await errorOf(pools.lease())).hint).toContain('It does not start.');
  });
});

describe('a browser that was given up', () => {
  it('is replaced even if it does not close properly', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, healthInterval: 1_000 });
    const dead = driver.browser('0');
    dead.pinging.fail(new Error('No answer.'));
    dead.disposing.fail(new Error('The profile is locked.'));
    await clock.advance(2_000);
    expect(statusOf(pools)).toBe('healthy');
    expect(driver.browsers).toHaveLength(2);
    dead.disposing.succeed();
    await dead[Symbol.asyncDispose]();
  });

  it('is replaced after it has closed, and those who wait are served', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, healthInterval: 1_000 });
    await pools.lease();
    const waiting = pools.lease();
    driver.browser('0').pinging.fail(new Error('No answer.'));
    driver.browser('0').disposing.hold();
    await clock.advance(2_000);
    expect(driver.starting.count).toBe(1);
    expect(await stateOf(waiting)).toBe('pending');
    driver.browser('0').disposing.release();
    expect(await stateOf(waiting)).toBe('resolved');
    expect(driver.starting.count).toBe(2);
  });
});
