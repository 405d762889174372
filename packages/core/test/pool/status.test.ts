import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { poolOf, poolsOf } from './pool-fixture.js';

describe('browser_pool_status', () => {
  it('has exactly these fields [000-status-03, 000-status-04, 000-status-05, 000-status-06, 000-status-07, 000-status-08, 000-status-09, 000-status-10]', async () => {
    const { clock, driver, pools } = await poolsOf({
      SESSIONLESS: {
        instances: 3,
        isDefault: true,
        autoRestart: false,
        description: 'General web scraping and navigation',
        instance: { 1: { alias: 'debug_browser', browser: 'firefox', headless: false } },
      },
      ISOLATED: { instances: 2, description: 'Isolated browser sessions' },
    });
    await clock.advance(1_500);
    await pools.lease({ instance: 'debug_browser' });
    await clock.advance(3_456);
    driver.browser('2', 'SESSIONLESS').crash('Process exited unexpectedly (code 1)');

    const wellIn = (id: string) => ({
      id,
      alias: null,
      status: 'healthy',
      leased: false,
      lease_duration_ms: null,
      lease_started_at: null,
      browser: 'chromium',
      headless: true,
      process_id: process.pid,
      health_check: { last_check: '2026-01-02T10:15:30.000Z', responsive: true, error: null },
    });
    expect(pools.status()).toEqual({
      pools: [
        {
          name: 'SESSIONLESS',
          description: 'General web scraping and navigation',
          is_default: true,
          total_instances: 3,
          healthy_instances: 2,
          leased_instances: 1,
          available_instances: 1,
          instances: [
            wellIn('0'),
            {
              ...wellIn('1'),
              alias: 'debug_browser',
              leased: true,
              lease_duration_ms: 3_456,
              lease_started_at: '2026-01-02T10:15:31.500Z',
              browser: 'firefox',
              headless: false,
            },
            {
              ...wellIn('2'),
              status: 'failed',
              process_id: null,
              health_check: {
                last_check: '2026-01-02T10:15:34.956Z',
                responsive: false,
                error: 'Process exited unexpectedly (code 1)',
              },
            },
          ],
        },
        {
          name: 'ISOLATED',
          description: 'Isolated browser sessions',
          is_default: false,
          total_instances: 2,
          healthy_instances: 2,
          leased_instances: 0,
          available_instances: 2,
          instances: [wellIn('0'), wellIn('1')],
        },
      ],
      summary: {
        total_pools: 2,
        total_instances: 5,
        healthy_instances: 4,
        failed_instances: 1,
        leased_instances: 1,
        available_instances: 3,
      },
    });
  });

  it('tells the description of an instance where it has one of its own', async () => {
    const { pools } = await poolsOf({
      SHOP: { instances: 2, description: 'the shop', instance: { 1: { description: 'its checkout' } } },
    });
    const [shop] = pools.status().pools;
    expect(shop?.instances.map(({ description }) => description)).toEqual([undefined, 'its checkout']);
  });

  it('of one pool sums up that pool [000-status-02, 000-status-06]', async () => {
    const { pools } = await poolsOf({ WEB: { instances: 1, isDefault: true }, SCRAPE: { instances: 3 } });
    const { pools: found, summary } = pools.status('SCRAPE');
    expect(found.map(({ name }) => name)).toEqual(['SCRAPE']);
    expect(summary).toMatchObject({ total_pools: 1, total_instances: 3 });
  });

  it('shows an instance that is not started yet, one that starts, and one that closes [000-status-09, 000-status-11, arch-instance-01]', async () => {
    const { driver, pools } = await poolOf({ instances: 2, lazy: true });
    const instances = () => pools.status().pools[0]?.instances;
    expect(instances()?.[0]).toMatchObject({
      status: 'stopped',
      process_id: null,
      health_check: { last_check: null, responsive: false, error: null },
    });
    expect(pools.status().summary).toMatchObject({ healthy_instances: 0, available_instances: 2 });

    driver.starting.hold();
    const lease = pools.lease();
    await settle();
    // Not a lease before the browser runs, and not available either.
    expect(instances()?.[0]).toMatchObject({ status: 'starting', leased: false, process_id: null });
    expect(pools.status().summary).toMatchObject({ healthy_instances: 0, available_instances: 1 });
    driver.starting.release();
    await lease;

    driver.browser('0').disposing.hold();
    const closed = pools.close();
    expect(instances()?.[0]).toMatchObject({ status: 'draining', leased: false });
    driver.browser('0').disposing.release();
    await closed;
    expect(instances()?.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
  });

  it('shows why an instance did not start', async () => {
    const { pools } = await poolOf(
      { instances: 1, autoRestart: false },
      { prepare: ({ starting }) => starting.fail(new PwpoolError('BROWSER_NOT_READY', 'No chromium.')) },
    );
    expect(pools.status().pools[0]?.instances[0]?.health_check).toEqual({
      last_check: '2026-01-02T10:15:30.000Z',
      responsive: false,
      error: 'No chromium.',
    });
    expect(pools.status().summary).toMatchObject({ failed_instances: 1, available_instances: 0 });
  });

  it('counts an instance that is being reset as neither leased nor available', async () => {
    const { driver, pools } = await poolOf({ instances: 1, reset: 'lease' });
    const lease = await pools.lease();
    driver.browser('0').resetting.hold();
    void lease.release();
    await settle();
    expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 0 });
  });
});
