import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { FakeClock } from '../../src/testing/fake-clock.js';

it('a real browser is pinged over its protocol while it is leased; a frozen one is found, and trusted again [000-health-01, 000-health-03, 000-health-04, 000-health-05, arch-instance-04]', async () => {
  const outputDir = await mkdtemp(join(tmpdir(), 'pwpool-health-'));
  const clock = new FakeClock();
  try {
    await using pools = await BrowserPools.create(
      { outputDir, pools: { WEB: { instances: 1, isDefault: true, lazy: true, isolated: true } } },
      { clock },
    );
    const instance = () => pools.status().pools[0]?.instances[0];
    const now = () => new Date(clock.now()).toISOString();
    await using _lease = await pools.lease();
    const processId = instance()?.process_id ?? 0;

    await clock.advance(20_000);
    await expect
      .poll(() => instance()?.health_check)
      .toEqual({ last_check: now(), responsive: true, error: null });

    process.kill(processId, 'SIGSTOP');
    try {
      await clock.advance(25_000);
      expect(instance()).toMatchObject({
        leased: true,
        health_check: { responsive: false, error: 'No answer to the health check within 5000 ms.' },
      });
    } finally {
      process.kill(processId, 'SIGCONT');
    }
    await clock.advance(20_000);
    await expect
      .poll(() => instance()?.health_check)
      .toEqual({ last_check: now(), responsive: true, error: null });
    expect(instance()?.process_id).toBe(processId);
  } finally {
    await rm(outputDir, { recursive: true, force: true, maxRetries: 5 });
  }
});
