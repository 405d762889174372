import { describe, expect, it } from 'vitest';
import { type PoolInput, resolveConfig } from '../../src/config/config-input.js';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, type PoolFixture, poolsOf, stateOf, statuses } from './pool-fixture.js';

const POOL = { healthInterval: 86_400_000, isDefault: true };

const reload = ({ pools }: PoolFixture, WEB: PoolInput) =>
  pools.reload(resolveConfig({ pools: { WEB: { ...POOL, ...WEB } } }));

const poolOf = (WEB: PoolInput) => poolsOf({ WEB: { ...POOL, ...WEB } });

describe('a reload of LAZY', () => {
  it('to false starts every browser that rests, each once', async () => {
    const fixture = await poolOf({ instances: 3, lazy: true });
    const held = await fixture.pools.lease();
    await fixture.pools.pool().drain({ instance: '2' });
    await reload(fixture, { instances: 3, lazy: false });
    await settle();
    expect(statuses(fixture)).toEqual(['healthy', 'healthy', 'stopped']);
    expect(fixture.driver.starting.count).toBe(2);
    expect(held.revoked.aborted).toBe(false);
  });

  it('together with other settings starts them once, with those', async () => {
    const fixture = await poolOf({ instances: 2, lazy: true });
    await reload(fixture, { instances: 2, lazy: false, headless: false });
    await settle();
    expect(fixture.driver.browsers.map(({ config }) => config.settings.headless)).toEqual([false, false]);
  });

  it('to true closes nothing that runs', async () => {
    const fixture = await poolOf({ instances: 2 });
    await reload(fixture, { instances: 2, lazy: true });
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
  });
});

describe('a reload that allows more restarts', () => {
  it.each([
    ['AUTO_RESTART=true', { autoRestart: false }, { autoRestart: true }],
    ['a larger MAX_RESTARTS', { maxRestarts: 1 }, { maxRestarts: 2 }],
  ])('%s: brings back what was given up', async (_what, before, after) => {
    const fixture = await poolOf({ instances: 2, ...before });
    const { clock, driver, pools } = fixture;
    driver.starting.fail(new PwpoolError('BROWSER_NOT_READY', 'It does not start.'));
    for (const id of ['0', '1']) driver.browser(id).crash();
    await clock.advance(60_000);
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
    driver.starting.succeed();
    await reload(fixture, { instances: 2, ...after });
    await settle();
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it('a smaller MAX_RESTARTS brings back nothing', async () => {
    const fixture = await poolOf({ instances: 1, maxRestarts: 1 });
    fixture.driver.starting.fail(new PwpoolError('BROWSER_NOT_READY', 'It does not start.'));
    fixture.driver.browser('0').crash();
    await settle();
    await reload(fixture, { instances: 1, maxRestarts: 0 });
    await settle();
    expect(statuses(fixture)).toEqual(['failed']);
    expect(fixture.driver.starting.count).toBe(2);
  });
});
