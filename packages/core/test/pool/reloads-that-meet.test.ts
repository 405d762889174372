import { describe, expect, it } from 'vitest';
import { type PoolInput, resolveConfig } from '../../src/config/config-input.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, type PoolFixture, poolsOf, stateOf } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };
const WEB = { ...QUIET, instances: 1, isDefault: true };
const SCRAPE = { ...QUIET, instances: 1 };

const reload = ({ pools }: PoolFixture, inputs: Readonly<Record<string, PoolInput>>) =>
  pools.reload(resolveConfig({ pools: inputs }));

describe('reloads that meet', () => {
  it('a pool that is still held, removed and added again, is there in the end', async () => {
    const fixture = await poolsOf({ WEB, SCRAPE });
    const lease = await fixture.pools.lease({ pool: 'SCRAPE' });
    const reloads = [reload(fixture, { WEB }), reload(fixture, { WEB, SCRAPE })];
    await settle();
    await lease.release();
    await Promise.all(reloads);
    await settle();
    expect(await stateOf(fixture.pools.lease({ pool: 'SCRAPE' }))).toBe('resolved');
    expect(fixture.driver.browser('0', 'SCRAPE').disposed).toBe(false);
  });

  it('after scaling, one has the number of instances that it says', async () => {
    const fixture = await poolsOf({ WEB });
    await fixture.pools.pool().scale(3);
    expect(fixture.pools.config.pools[0]?.instances).toHaveLength(3);
    await reload(fixture, { WEB });
    expect(fixture.pools.status().summary.total_instances).toBe(1);
    expect(fixture.pools.config.pools[0]?.instances).toHaveLength(1);
  });

  it('a removed pool whose browser does not close properly is gone all the same', async () => {
    const fixture = await poolsOf({ WEB, SCRAPE });
    const bad = fixture.driver.browser('0', 'SCRAPE');
    bad.disposing.fail(new Error('The profile is locked.'));
    await reload(fixture, { WEB }).catch(() => {});
    expect(fixture.pools.status().pools.map(({ name }) => name)).toEqual(['WEB']);
    bad.disposing.succeed();
    await bad[Symbol.asyncDispose]();
  });
});

describe('reloads that meet at a held instance', () => {
  const named = (alias: string, headless: boolean) => ({
    WEB: { ...WEB, headless, instance: { 0: { alias } } },
  });

  it('an alias holds at once; the other settings come with the new browser, as the latest reload has them', async () => {
    const fixture = await poolsOf(named('a', true));
    const { driver, pools } = fixture;
    const lease = await pools.lease();
    const reloads = [reload(fixture, named('a', false)), reload(fixture, named('b', false))];
    await settle();
    expect(lease.config).toMatchObject({ alias: 'b', settings: { headless: true } });
    await lease.release();
    await Promise.all(reloads);
    expect(driver.browser('0').config).toMatchObject({ alias: 'b', settings: { headless: false } });
    expect((await pools.lease({ instance: 'b' })).config).toEqual(pools.pool().config.instances[0]);
  });

  it('the latest settings hold, also those that another reload takes back', async () => {
    const fixture = await poolsOf(named('a', true));
    const { driver, pools } = fixture;
    const lease = await pools.lease();
    const reloads = [reload(fixture, named('a', false)), reload(fixture, named('a', true))];
    await settle();
    await lease.release();
    await Promise.all(reloads);
    expect(driver.browser('0').config.settings.headless).toBe(true);
    expect(pools.status().pools[0]?.instances[0]?.headless).toBe(true);
  });

  it('aliases that change places do so at once, whatever else changes', async () => {
    const two = (first: string, second: string, headless: boolean) => ({
      WEB: { ...WEB, instances: 2, headless, instance: { 0: { alias: first }, 1: { alias: second } } },
    });
    const fixture = await poolsOf(two('a', 'b', true));
    const { pools } = fixture;
    const held = await pools.lease({ instance: '0' });
    const reloaded = reload(fixture, two('b', 'a', false));
    await settle();
    const other = await pools.lease({ instance: 'a' });
    expect(other.instance).toBe('1');
    expect(
      pools
        .pool()
        .status()
        .instances.map(({ alias }) => alias),
    ).toEqual(['b', 'a']);
    for (const lease of [held, other]) await lease.release();
    await reloaded;
    expect((await pools.lease({ instance: 'b' })).instance).toBe('0');
  });

  it('a browser that is restarted for another reason has the settings of the pool', async () => {
    const fixture = await poolsOf(named('a', true));
    const { driver, pools } = fixture;
    const lease = await pools.lease();
    const restarted = pools.pool().restart();
    const reloaded = reload(fixture, named('a', false));
    await settle();
    await lease.release();
    await restarted;
    expect(driver.browser('0').config.settings.headless).toBe(false);
    await reloaded;
  });
});

describe('a close', () => {
  it('refuses reloads from then on, also while it drains', async () => {
    const fixture = await poolsOf({ WEB });
    const lease = await fixture.pools.lease();
    const closed = fixture.pools.close({ drainMs: 30_000 });
    expect((await errorOf(reload(fixture, { WEB, SCRAPE }))).code).toBe('SHUTTING_DOWN');
    await lease.release();
    await closed;
    expect((await errorOf(reload(fixture, { WEB, SCRAPE }))).code).toBe('SHUTTING_DOWN');
    expect(fixture.driver.starting.count).toBe(1);
  });

  it('a reload outlasts what was asked for before it and has not had its turn', async () => {
    const fixture = await poolsOf({ WEB: { ...WEB, instances: 2 } });
    const { pools } = fixture;
    const lease = await pools.lease({ instance: '1' });
    const changes = [pools.pool().scale(1), pools.pool().scale(3), reload(fixture, { WEB })];
    await settle();
    await lease.release();
    await Promise.all(changes);
    expect(pools.status().summary.total_instances).toBe(1);
  });

  it('with drainMs tells those who come meanwhile that the pool is shutting down', async () => {
    const { pools } = await poolsOf({ WEB });
    const lease = await pools.lease();
    const waiting = errorOf(pools.lease());
    const closed = pools.close({ drainMs: 30_000 });
    for (const error of [await waiting, await errorOf(pools.lease())])
      expect(error.code).toBe('SHUTTING_DOWN');
    await lease.release();
    await closed;
  });

  it('with drainMs does not wait longer for a browser that is being started', async () => {
    const { clock, driver, pools } = await poolsOf({ WEB });
    driver.starting.hold();
    driver.browser('0').crash();
    await settle();
    const closed = pools.close({ drainMs: 1_000 });
    // And eight seconds for closing.
    await clock.advance(9_000);
    expect(await stateOf(closed)).toBe('resolved');
    driver.starting.release();
    await settle();
  });
});
