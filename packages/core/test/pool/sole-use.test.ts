import { describe, expect, it } from 'vitest';
import { type PoolInput, resolveConfig } from '../../src/config/config-input.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, type PoolFixture, poolsOf, stateOf } from './pool-fixture.js';

const POOL = { healthInterval: 86_400_000, instances: 1 };
const MAIN = { ...POOL, isDefault: true };

const onPort = (cdpPortBase: number, instances = 1) => ({
  ...POOL,
  lazy: false,
  instances,
  cdpPortBase,
});

const reload = ({ pools }: PoolFixture, inputs: Readonly<Record<string, PoolInput>>) =>
  pools.reload(resolveConfig({ pools: inputs }));

const statusOf = ({ pools }: PoolFixture, pool: string) => pools.pool(pool).status().instances[0]?.status;

describe('a reload that gives the port of a worker browser to another instance', () => {
  it('starts a new pool there when the old one is gone', async () => {
    const fixture = await poolsOf({ MAIN, A: onPort(9222) });
    const { driver, pools } = fixture;
    const lease = await pools.lease({ pool: 'A' });
    const reloaded = reload(fixture, { MAIN, B: onPort(9222) });
    await settle();
    expect(driver.browsers.map(({ config }) => config.pool)).toEqual(['MAIN', 'A']);
    expect(statusOf(fixture, 'B')).toBe('starting');
    const next = pools.lease({ pool: 'B' });
    await lease.release();
    await reloaded;
    expect((await next).pool).toBe('B');
    expect(driver.browser('0', 'A').disposed).toBe(true);
  });

  it('lets two pools change places', async () => {
    const fixture = await poolsOf({ MAIN, A: onPort(9222), B: onPort(9322) });
    const { driver, pools } = fixture;
    const lease = await pools.lease({ pool: 'A' });
    const reloaded = reload(fixture, { MAIN, A: onPort(9322), B: onPort(9222) });
    await settle();
    expect(driver.browser('0', 'B').disposed).toBe(true);
    expect(driver.browsers).toHaveLength(3);
    await lease.release();
    await reloaded;
    expect(driver.browser('0', 'A').config.settings.cdpPortBase).toBe(9322);
    expect(driver.browser('0', 'B').config.settings.cdpPortBase).toBe(9222);
    expect(pools.status().summary.healthy_instances).toBe(3);
  });

  it('a lazy one waits too, no longer than its lease and START_TIMEOUT allow', async () => {
    const fixture = await poolsOf({ MAIN, A: onPort(9222) });
    const { clock, pools } = fixture;
    const lease = await pools.lease({ pool: 'A' });
    const lazy = { ...onPort(9222), lazy: true, startTimeout: 3_000 };
    const reloaded = reload(fixture, { MAIN, B: lazy });
    await settle();
    const refused = errorOf(pools.lease({ pool: 'B', timeoutMs: 1_000 }));
    await clock.advance(4_000);
    expect((await refused).message).toBe("Instance '0' of pool 'B' was not ready within 4000 ms.");
    await lease.release();
    await reloaded;
    expect(await stateOf(pools.lease({ pool: 'B' }))).toBe('resolved');
  });

  it('whoever waits for the port leaves when its pool is closed', async () => {
    const fixture = await poolsOf({ MAIN, A: onPort(9222) });
    const lease = await fixture.pools.lease({ pool: 'A' });
    const reloaded = reload(fixture, { MAIN, B: onPort(9222) });
    await settle();
    await fixture.pools.pool('B').close();
    await lease.release();
    await reloaded;
    expect(fixture.driver.browsers).toHaveLength(2);
  });

  it('the same holds for the one profile of a browser that instances are attached to', async () => {
    const attached = { ...POOL, endpoint: 'http://127.0.0.1:9222', isolated: false };
    const fixture = await poolsOf({ MAIN, A: attached });
    const lease = await fixture.pools.lease({ pool: 'A' });
    const reloaded = reload(fixture, { MAIN, B: attached });
    await settle();
    expect(statusOf(fixture, 'B')).toBe('starting');
    await lease.release();
    await reloaded;
    await settle();
    expect(statusOf(fixture, 'B')).toBe('healthy');
  });
});

describe('scale', () => {
  it('does not take the port of another pool', async () => {
    const { driver, pools } = await poolsOf({ MAIN, A: onPort(9222, 2), B: onPort(9224) });
    const error = await errorOf(pools.pool('A').scale(3));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain('Port 9224 would belong to 2 worker browsers');
    expect(driver.browsers).toHaveLength(4);
    expect(pools.status('A').summary.total_instances).toBe(2);
  });

  it('takes the ports that another pool has been scaled to into account', async () => {
    const { pools } = await poolsOf({ MAIN, A: onPort(9222, 1), B: onPort(9224) });
    await pools.pool('A').scale(2);
    await pools.pool('B').scale(2);
    expect((await errorOf(pools.pool('A').scale(4))).code).toBe('CONFIG_INVALID');
    await pools.pool('B').scale(1);
    expect((await errorOf(pools.pool('A').scale(3))).code).toBe('CONFIG_INVALID');
  });

  it('is not refused for a setting for all pools that another pool uses', async () => {
    const { pools } = await poolsOf(
      { MAIN, A: { ...POOL, endpoint: 'http://127.0.0.1:9222', isolated: true } },
      { server: { endpointHeaders: '{"x-key":"secret"}' } },
    );
    await pools.pool('MAIN').scale(2);
    expect(pools.status('MAIN').summary.total_instances).toBe(2);
  });
});
