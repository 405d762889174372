import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PoolInput } from '../../src/config/config-input.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { errorOf, stateOf } from './pool-fixture.js';

/** What the tests of queue and states show with fake browsers, once with real ones; time is the test's. */
describe('a pool of real browsers', () => {
  let outputDir: string;

  beforeAll(async () => {
    outputDir = await mkdtemp(join(tmpdir(), 'pwpool-real-'));
  });
  afterAll(() => rm(outputDir, { recursive: true, force: true, maxRetries: 5 }));

  async function poolOf(pool: PoolInput) {
    const clock = new FakeClock();
    const defaults: PoolInput = { isDefault: true, lazy: true, isolated: true, healthInterval: 86_400_000 };
    const pools = await BrowserPools.create(
      { outputDir, pools: { WEB: { ...defaults, ...pool } } },
      { clock },
    );
    const instance = (id: number) => {
      const found = pools.status().pools[0]?.instances[id];
      if (!found) throw new Error(`No instance ${id}.`);
      return found;
    };
    return { clock, pools, instance };
  }

  it('lends the instance that is asked for, else the one returned earliest, and tells since when [000-lease-01, 000-lease-04, 000-runtime-04, 000-status-07, 000-status-08]', async () => {
    const { clock, pools, instance } = await poolOf({ instances: 2 });
    await using _pools = pools;
    const zero = await pools.lease({ instance: '0' });
    await (await zero.page()).goto('data:text/html,<title>zero</title>');
    const granted = new Date(clock.now()).toISOString();
    await clock.advance(1_500);
    expect(instance(0)).toMatchObject({ leased: true, lease_started_at: granted, lease_duration_ms: 1_500 });
    expect(instance(1)).toMatchObject({ leased: false, lease_started_at: null, lease_duration_ms: null });
    expect([isRunning(instance(0).process_id), instance(1).process_id]).toEqual([true, null]);

    const keyed = pools.lease({ instance: '0' });
    const one = await pools.lease();
    expect([one.instance, await stateOf(keyed)]).toEqual(['1', 'pending']);
    const late = errorOf(pools.lease());
    await zero.release();
    const again = await keyed;
    expect(again.instance).toBe('0');
    await clock.advance(50_000);
    expect((await late).code).toBe('LEASE_TIMEOUT');

    await one.release();
    await again.release();
    const next = [await pools.lease(), await pools.lease()];
    expect(next.map((lease) => lease.instance)).toEqual(['1', '0']);
  });

  it('whose process is killed is failed, without a process, and lent to nobody [000-health-02, 000-status-08]', async () => {
    const { pools, instance } = await poolOf({ instances: 1, autoRestart: false });
    await using _pools = pools;
    await (await pools.lease()).release();
    process.kill(runningProcess(instance(0).process_id), 'SIGKILL');
    await expect.poll(() => instance(0)).toMatchObject({ status: 'failed', process_id: null });
    expect(instance(0).health_check).toMatchObject({ responsive: false, error: expect.any(String) });
    expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
  });

  it('grows and shrinks while it runs [000-future-02]', { tags: ['at-length'] }, async () => {
    const { pools, instance } = await poolOf({ instances: 1 });
    await using _pools = pools;
    const first = await pools.lease();
    const waiting = pools.lease();
    await pools.pool().scale(2);
    const second = await waiting;
    await (await second.page()).goto('data:text/html,<title>second</title>');
    const added = runningProcess(instance(1).process_id);
    const shrunk = pools.pool().scale(1);
    expect(await stateOf(shrunk)).toBe('pending');
    await second.release();
    await shrunk;
    expect(isRunning(added)).toBe(false);
    expect(await (await first.page()).evaluate(() => 6 * 7)).toBe(42);
    expect(pools.status().summary.total_instances).toBe(1);
  });

  it('closes after five idle minutes and comes back with the next lease [002-security-05]', {
    tags: ['at-length'],
  }, async () => {
    const { clock, pools, instance } = await poolOf({ instances: 1 });
    await using _pools = pools;
    await (await pools.lease()).release();
    // The instance is made ready for its next holder behind the release.
    await expect.poll(() => instance(0).leased).toBe(false);
    const idle = runningProcess(instance(0).process_id);
    await clock.advance(300_000);
    await expect.poll(() => instance(0)).toMatchObject({ status: 'stopped', process_id: null });
    await expect.poll(() => isRunning(idle)).toBe(false);
    await using lease = await pools.lease();
    expect(await (await lease.page()).evaluate(() => 6 * 7)).toBe(42);
    expect(instance(0).process_id).not.toBe(idle);
  });

  it('lets its holders finish before it closes [000-future-04]', async () => {
    const { pools, instance } = await poolOf({ instances: 1 });
    await using _pools = pools;
    const lease = await pools.lease();
    const page = await lease.page();
    const held = runningProcess(instance(0).process_id);
    const closed = pools.close({ drainMs: 30_000 });
    expect((await errorOf(pools.lease())).code).toBe('SHUTTING_DOWN');
    await page.goto('data:text/html,<title>last</title>');
    expect([await page.title(), await stateOf(closed)]).toEqual(['last', 'pending']);
    await lease.release();
    await closed;
    expect(isRunning(held)).toBe(false);
  });
});

function runningProcess(id: number | null): number {
  expect(isRunning(id)).toBe(true);
  return id ?? 0;
}

function isRunning(id: number | null): boolean {
  if (id === null) return false;
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
