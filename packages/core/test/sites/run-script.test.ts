import { describe, expect, it } from 'vitest';
import { runScript } from '../../src/script/run-script.js';
import { SiteLimits } from '../../src/sites/site-limits.js';
import { settle } from '../../src/testing/fake-clock.js';
import { poolOf } from '../pool/pool-fixture.js';

describe('a script', () => {
  it('keeps the limits of the sites that it opens, and reports a turn that did not come [004-site-01]', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 1 });
    const shop = { name: 'shop', hosts: ['shop.example'], minIntervalMs: 30_000, concurrency: 1 };
    const sites = new SiteLimits([shop], { clock });
    const steps = [
      { tool: 'browser_navigate', args: { url: 'https://shop.example/1' } },
      { tool: 'browser_navigate', args: { url: 'https://other.example/' } },
      { tool: 'browser_snapshot', args: {} },
      { tool: 'browser_tabs', args: { action: 'new', url: 'https://shop.example/2' } },
    ];
    await using lease = await pools.lease();
    const running = runScript(steps, lease, { sites });
    await settle();
    await clock.advance(29_999);
    expect(driver.calls).toHaveLength(3);
    await clock.advance(1);
    expect(await running).toMatchObject({ success: true });
    expect(driver.calls.map(({ args }) => args)).toEqual(steps.map(({ args }) => args));

    const late = runScript(steps.slice(0, 1), lease, { sites, siteTimeoutMs: 5000 });
    await clock.advance(5000);
    expect(await late).toMatchObject({ success: false, steps: [{ error: { code: 'CALL_TIMEOUT' } }] });
  });
});
