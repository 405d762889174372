import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { PoolMetrics } from '../../src/metrics/pool-metrics.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf } from '../pool/pool-fixture.js';

const figuresOf = (metrics: PoolMetrics) => {
  const [figures] = metrics.figures();
  if (!figures) throw new Error('Nothing was counted.');
  return figures;
};

describe('the figures of a pool', () => {
  it('count leases, with how long was waited for them and how long they were held', async () => {
    const { clock, pools } = await poolOf({ instances: 1, leaseTimeout: 1_000 });
    using metrics = new PoolMetrics(pools);
    const first = await pools.lease();
    const second = pools.lease({ timeoutMs: 10_000 });
    const refused = errorOf(pools.lease());
    await clock.advance(2_000);
    expect((await refused).code).toBe('LEASE_TIMEOUT');
    await first.release();
    await (await second).release();
    expect(figuresOf(metrics)).toMatchObject({
      pool: 'WEB',
      leasesGranted: 2,
      leasesRefused: { LEASE_TIMEOUT: 1 },
      leasesRevoked: {},
      leaseWait: { count: 2, sum: 2_000, max: 2_000 },
      leaseHeld: { count: 2, sum: 2_000 },
    });
  });

  it('count calls by tool, and their failures by code', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1, timeout: 5_000 });
    using metrics = new PoolMetrics(pools);
    const lease = await pools.lease();
    await lease.callTool('browser_click');
    driver.browser('0').calling.hold();
    const late = errorOf(lease.callTool('browser_click'));
    await clock.advance(5_000);
    await late;
    driver.browser('0').calling.release();
    await lease.release();
    expect(figuresOf(metrics).calls).toMatchObject({
      browser_click: { time: { count: 2, sum: 5_000 }, failures: { CALL_TIMEOUT: 1 } },
    });
  });

  it('count results that tell of a failure, too', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    using metrics = new PoolMetrics(pools);
    const lease = await pools.lease();
    driver.answer = () => ({ content: [{ type: 'text', text: '### Error\nError: No.' }], isError: true });
    for (let call = 0; call < 2; call++) await lease.callTool('browser_click');
    expect(figuresOf(metrics).calls).toMatchObject({
      browser_click: { time: { count: 2 }, failures: { EXECUTION_ERROR: 2 } },
    });
  });

  it('count a start that failed for a lease once, and as no loss', async () => {
    const { driver, pools } = await poolOf({ instances: 1, lazy: true });
    using metrics = new PoolMetrics(pools);
    driver.starting.fail(new PwpoolError('BROWSER_NOT_READY', 'It does not start.'));
    await errorOf(pools.lease());
    await settle();
    const { losses, restarts, startFailures } = figuresOf(metrics);
    expect({ losses, restarts, startFailures }).toEqual({ losses: {}, restarts: 1, startFailures: 1 });
  });

  it('count crashes by cause, restarts and starts', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    using metrics = new PoolMetrics(pools);
    const lease = await pools.lease();
    driver.browser('0').crash();
    await settle();
    expect(lease.revoked.aborted).toBe(true);
    expect(figuresOf(metrics)).toMatchObject({
      losses: { crash: 1 },
      leasesRevoked: { INSTANCE_CRASHED: 1 },
      restarts: 1,
      start: { count: 1 },
    });
  });

  it('stand still once they are disposed of', async () => {
    const { pools } = await poolOf({ instances: 1 });
    const metrics = new PoolMetrics(pools);
    metrics[Symbol.dispose]();
    await (await pools.lease()).release();
    expect(metrics.figures()).toEqual([]);
  });
});
