import { describe, expect, it } from 'vitest';
import { type ConfigInput, type PoolInput, resolveConfig } from '../../src/config/config-input.js';
import type { OperationStep } from '../../src/pool/operation-options.js';
import { settle } from '../../src/testing/fake-clock.js';
import { available, errorOf, type PoolFixture, poolsOf, stateOf } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };
const WEB = { ...QUIET, instances: 2, isDefault: true };

type PoolInputs = Readonly<Record<string, PoolInput>>;

/** Reloads with these pools, and says what it came to. */
async function reload({ pools }: PoolFixture, inputs: PoolInputs, server: Omit<ConfigInput, 'pools'> = {}) {
  return await pools.reload(resolveConfig({ ...server, pools: inputs }));
}

const startsOf = ({ driver }: PoolFixture) => driver.browsers.map(({ config }) => config.id);

describe('a reload', () => {
  it('of the same configuration changes nothing', async () => {
    const fixture = await poolsOf({ WEB });
    const lease = await fixture.pools.lease();
    const { change, needsRestart } = await reload(fixture, { WEB });
    expect(change).toEqual({ server: [], poolsAdded: [], poolsRemoved: [], poolsChanged: [] });
    expect(needsRestart).toEqual([]);
    await lease.callTool('browser_click');
    expect(startsOf(fixture)).toEqual(['0', '1']);
  });

  it('replaces the browsers of instances whose settings differ, and leaves the others and their holders alone', async () => {
    const three = { ...WEB, instances: 3 };
    const fixture = await poolsOf({ WEB: three });
    const { driver, pools } = fixture;
    const untouched = await pools.lease({ instance: '0' });
    const { change } = await reload(fixture, { WEB: { ...three, instance: { 1: { headless: false } } } });
    expect(change.poolsChanged[0]?.instancesChanged.map(({ id, settings }) => [id, settings])).toEqual([
      ['1', ['headless']],
    ]);
    expect(untouched.revoked.aborted).toBe(false);
    await untouched.callTool('browser_click');
    expect(startsOf(fixture)).toEqual(['0', '1', '2', '1']);
    expect(driver.browser('1').config.settings.headless).toBe(false);
    expect(pools.pool().status().instances[1]?.headless).toBe(false);
    expect(pools.config.pools[0]?.instances[1]?.settings.headless).toBe(false);
  });

  it('waits for the holder of an instance whose settings differ', async () => {
    const fixture = await poolsOf({ WEB });
    const lease = await fixture.pools.lease({ instance: '1' });
    const reloaded = reload(fixture, { WEB: { ...WEB, instance: { 1: { headless: false } } } });
    await settle();
    await lease.callTool('browser_click');
    expect(lease.config.settings.headless).toBe(true);
    expect(await stateOf(reloaded)).toBe('pending');
    await lease.release();
    await reloaded;
    expect((await fixture.pools.lease({ instance: '1' })).config.settings.headless).toBe(false);
  });

  it('of descriptions and MAX_TABS needs no new browser either', async () => {
    const fixture = await poolsOf({ WEB });
    await using lease = await fixture.pools.lease();
    const starts = startsOf(fixture);
    await reload(fixture, { WEB: { ...WEB, maxTabs: 3, description: 'new' } });
    expect(lease.config.settings).toMatchObject({ maxTabs: 3, description: 'new' });
    expect(startsOf(fixture)).toEqual(starts);
  });

  it('of an alias alone needs no new browser, also while the instance is held', async () => {
    const fixture = await poolsOf({ WEB: { ...WEB, instance: { 1: { alias: 'old' } } } });
    const { pools } = fixture;
    const lease = await pools.lease({ instance: 'old' });
    await reload(fixture, { WEB: { ...WEB, instance: { 1: { alias: 'new' } } } });
    expect((await errorOf(pools.lease({ instance: 'old' }))).code).toBe('INSTANCE_NOT_FOUND');
    const next = pools.lease({ instance: 'new' });
    await lease.release();
    expect((await next).instance).toBe('1');
    expect(startsOf(fixture)).toEqual(['0', '1']);
  });

  it('changes the strategy for the instances that are idle now', async () => {
    const fixture = await poolsOf({ WEB });
    const { pools } = fixture;
    const leases = [await pools.lease({ instance: '1' }), await pools.lease({ instance: '0' })];
    for (const lease of leases) await lease.release();
    await reload(fixture, { WEB: { ...WEB, strategy: 'lifo' } });
    expect((await pools.lease()).instance).toBe('0');
  });

  it('changes the number of instances', async () => {
    const fixture = await poolsOf({ WEB });
    await reload(fixture, { WEB: { ...WEB, instances: 3 } });
    await settle();
    expect(fixture.pools.status().summary).toMatchObject({ total_instances: 3, available_instances: 3 });
    await reload(fixture, { WEB: { ...WEB, instances: 1 } });
    expect(fixture.pools.status().summary).toMatchObject({ total_instances: 1, available_instances: 1 });
  });

  it('adds a pool, which starts at once', async () => {
    const fixture = await poolsOf({ WEB });
    const lease = await fixture.pools.lease();
    await reload(fixture, { WEB, SCRAPE: { ...QUIET, instances: 1 } });
    expect((await fixture.pools.lease({ pool: 'SCRAPE' })).pool).toBe('SCRAPE');
    expect(lease.revoked.aborted).toBe(false);
  });

  it('removes a pool when its holders are done', async () => {
    const fixture = await poolsOf({ WEB, SCRAPE: { ...QUIET, instances: 1 } });
    const { driver, pools } = fixture;
    const lease = await pools.lease({ pool: 'SCRAPE' });
    const reloaded = reload(fixture, { WEB });
    expect((await errorOf(pools.lease({ pool: 'SCRAPE' }))).code).toBe('BROWSER_NOT_READY');
    await lease.callTool('browser_click');
    expect(await stateOf(reloaded)).toBe('pending');
    await lease.release();
    await reloaded;
    expect((await errorOf(pools.lease({ pool: 'SCRAPE' }))).code).toBe('POOL_NOT_FOUND');
    expect(driver.browser('0', 'SCRAPE').disposed).toBe(true);
  });

  it('makes another pool the default one', async () => {
    const scrape = { ...QUIET, instances: 1 };
    const fixture = await poolsOf({ WEB, SCRAPE: scrape });
    await reload(fixture, { WEB: { ...WEB, isDefault: false }, SCRAPE: { ...scrape, isDefault: true } });
    expect((await fixture.pools.lease()).pool).toBe('SCRAPE');
    expect(fixture.pools.status().pools.map(({ is_default }) => is_default)).toEqual([false, true]);
    expect(startsOf(fixture)).toEqual(['0', '1', '0']);
  });

  it('tells which settings of the server wait for a new start, each time until they hold', async () => {
    const fixture = await poolsOf({ WEB });
    const server = { memoryHighWater: 80, affinity: 'call', sessionIdleTimeout: 1_000 } as const;
    for (const changed of [['memoryHighWater', 'affinity', 'sessionIdleTimeout'], []]) {
      const { change, needsRestart } = await reload(fixture, { WEB }, server);
      expect(change.server).toEqual(changed);
      expect(needsRestart).toEqual(['memoryHighWater']);
    }
    expect((await reload(fixture, { WEB })).needsRestart).toEqual([]);
  });

  it('tells when an instance does not start with its new settings, and goes on with the rest', async () => {
    const fixture = await poolsOf({ WEB: { ...WEB, instances: 1, autoRestart: false } });
    fixture.driver.starting.fail(new Error('No such browser.'));
    const next = { ...WEB, instances: 1, autoRestart: false, headless: false, queueLimit: 0 };
    await expect(reload(fixture, { WEB: next })).rejects.toThrow('No such browser.');
    expect(fixture.pools.pool().config.settings.queueLimit).toBe(0);
    expect((await errorOf(fixture.pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    fixture.driver.starting.succeed();
    await reload(fixture, { WEB: { ...next, headless: true } });
    expect(await stateOf(fixture.pools.lease())).toBe('resolved');
  });

  it('keeps a drained instance out of service: its new settings wait for the restart', async () => {
    const fixture = await poolsOf({ WEB });
    const { driver, pools } = fixture;
    await pools.pool().drain({ instance: '1' });
    await reload(fixture, { WEB: { ...WEB, instance: { 1: { headless: false } } } });
    expect(startsOf(fixture)).toEqual(['0', '1']);
    expect(pools.pool().status().instances[1]?.status).toBe('stopped');
    await pools.pool().restart({ instance: '1' });
    expect(driver.browser('1').config.settings.headless).toBe(false);
  });

  it('after another one that waits for a holder comes later, and holds', async () => {
    const fixture = await poolsOf({ WEB });
    const { pools } = fixture;
    const lease = await pools.lease({ instance: '1' });
    const first = reload(fixture, { WEB: { ...WEB, instances: 1 } });
    const second = reload(fixture, { WEB: { ...WEB, instance: { 1: { headless: false } } } });
    expect(await stateOf(second)).toBe('pending');
    await lease.release();
    await Promise.all([first, second]);
    await settle();
    expect((await pools.lease({ instance: '1' })).config.settings.headless).toBe(false);
  });
});

describe('a reload that changes every instance of a pool', () => {
  const four = { ...WEB, instances: 4 };

  it('replaces one browser after the other, and tells of each [arch-operate-01]', async () => {
    const fixture = await poolsOf({ WEB: four });
    const { driver, pools } = fixture;
    driver.starting.hold();
    const steps: string[] = [];
    const onStep = ({ instance, ...step }: OperationStep) =>
      steps.push(`${instance} ${step.phase}${step.phase === 'waiting' ? ` for ${step.for}` : ''}`);
    const next = resolveConfig({ pools: { WEB: { ...four, headless: false } } });
    const reloaded = pools.reload(next, { onStep });
    await settle();
    const turn = 'waiting for its turn (RESTART_CONCURRENCY)';
    expect(steps).toEqual(['0 begun', `1 ${turn}`, `2 ${turn}`, `3 ${turn}`]);
    for (const id of ['1', '2', '3']) {
      expect(available(fixture)).toBe(3);
      driver.starting.releaseNext();
      await settle();
      expect(steps.at(-1)).toBe(`${id} begun`);
    }
    driver.starting.release();
    await reloaded;
    expect(driver.browsers.slice(4).map(({ config }) => config.settings.headless)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('keeps the only idle one until another is idle, or the time is up', async () => {
    const fixture = await poolsOf({ WEB });
    const { clock, driver, pools } = fixture;
    const lease = await pools.lease({ instance: '0' });
    const reloaded = reload(fixture, { WEB: { ...WEB, headless: false, leaseTimeout: 5_000 } });
    await settle();
    expect(startsOf(fixture)).toEqual(['0', '1']);
    expect(available(fixture)).toBe(1);
    await clock.advance(5_000);
    await reloaded;
    expect(lease.revoked.aborted).toBe(true);
    expect(startsOf(fixture)).toEqual(['0', '1', '0', '1']);
    expect(driver.browser('1').config.settings.headless).toBe(false);
  });

  it('tells at once those of a lazy pool that have no browser yet', async () => {
    const lazy = { ...four, lazy: true };
    const fixture = await poolsOf({ WEB: lazy });
    const { pools } = fixture;
    const held = await pools.lease({ instance: '0' });
    const reloaded = reload(fixture, { WEB: { ...lazy, headless: false } });
    await settle();
    for (const instance of ['1', '2', '3'])
      expect((await pools.lease({ instance })).config.settings.headless).toBe(false);
    expect(await stateOf(reloaded)).toBe('pending');
    await held.release();
    await reloaded;
    expect(startsOf(fixture)).toEqual(['0', '1', '2', '3', '0']);
  });

  it('that is under way has one browser replaced at a time together with a later one and a restart', async () => {
    const fixture = await poolsOf({ WEB: four });
    const { driver, pools } = fixture;
    driver.starting.hold();
    const replacing = [
      reload(fixture, { WEB: { ...four, headless: false } }),
      reload(fixture, { WEB: four }),
      pools.pool().restart(),
    ];
    await settle();
    for (let replaced = 1; replaced <= 12; replaced++) {
      expect([available(fixture), driver.browsers.length]).toEqual([3, 3 + replaced]);
      driver.starting.releaseNext();
      await settle();
    }
    await Promise.all(replacing);
    expect([available(fixture), driver.browsers.length]).toEqual([4, 16]);
    expect(driver.browsers.slice(-4).every(({ config }) => config.settings.headless)).toBe(true);
  });

  it('of RESTART_CONCURRENCY holds for one that is under way', async () => {
    const fixture = await poolsOf({ WEB: four });
    const { driver } = fixture;
    driver.starting.hold();
    const first = reload(fixture, { WEB: { ...four, headless: false } });
    await settle();
    const second = reload(fixture, {
      WEB: { ...four, headless: false, restartConcurrency: 2, viewport: '800x600' },
    });
    await settle();
    expect(available(fixture)).toBe(2);
    driver.starting.release();
    await Promise.all([first, second]);
    expect(available(fixture)).toBe(4);
  });

  it('leaves out what a later one removes before its turn', async () => {
    const fixture = await poolsOf({ WEB: four });
    const { driver } = fixture;
    driver.starting.hold();
    const reloads = [reload(fixture, { WEB: { ...four, headless: false } })];
    await settle();
    reloads.push(reload(fixture, { WEB: { ...WEB, headless: false } }));
    await settle();
    driver.starting.release();
    await Promise.all(reloads);
    expect(startsOf(fixture)).toEqual(['0', '1', '2', '3', '0', '1']);
  });
});

describe('a reload of HEALTH_INTERVAL', () => {
  const probed = (healthInterval: number) => ({ WEB: { instances: 1, isDefault: true, healthInterval } });

  it('holds from now on', async () => {
    const fixture = await poolsOf(probed(86_400_000));
    await reload(fixture, probed(1_000));
    await fixture.clock.advance(3_000);
    expect(fixture.driver.browser('0').pinging.count).toBe(3);
  });

  it('in the middle of a probe does not make two of each', async () => {
    const fixture = await poolsOf(probed(10_000));
    const browser = fixture.driver.browser('0');
    browser.pinging.hold();
    await fixture.clock.advance(10_000);
    await reload(fixture, probed(1_000));
    await fixture.clock.advance(4_000);
    expect(browser.pinging.count).toBe(1);
    browser.pinging.release();
    await fixture.clock.advance(3_000);
    expect(browser.pinging.count).toBe(4);
  });

  it('left as it is, a reload does not put off the next probe', async () => {
    const fixture = await poolsOf(probed(10_000));
    for (let second = 0; second < 10; second++) {
      await fixture.clock.advance(1_000);
      await reload(fixture, { WEB: { ...probed(10_000).WEB, queueLimit: second } });
    }
    expect(fixture.driver.browser('0').pinging.count).toBe(1);
  });
});
