import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { machineWith, stateOf, statuses } from './pool-fixture.js';

const EACH_MINUTE = { healthInterval: 60_000 };

describe('while the machine is under pressure', () => {
  it('MAX_USES replaces nothing: the browsers that run go on to serve, and are replaced later', async () => {
    const machine = await machineWith({ ...EACH_MINUTE, instances: 2, maxUses: 1 });
    const { clock, driver, fill, pools } = machine;
    await fill(97);
    for (let use = 0; use < 4; use++) await (await pools.lease()).release();
    await settle();
    expect(statuses(machine)).toEqual(['healthy', 'healthy']);
    expect(driver.starting.count).toBe(2);
    await fill(10);
    await clock.advance(60_000);
    expect(driver.starting.count).toBe(4);
    expect(driver.browsers.map(({ disposed }) => disposed)).toEqual([true, true, false, false]);
  });

  it('MAX_AGE replaces nothing either', async () => {
    const machine = await machineWith({ ...EACH_MINUTE, instances: 2, maxAge: 600_000 });
    const { clock, driver, fill, pools } = machine;
    await fill(97);
    await clock.advance(3_600_000);
    expect(statuses(machine)).toEqual(['healthy', 'healthy']);
    expect(driver.starting.count).toBe(2);
    expect(await stateOf(pools.lease())).toBe('resolved');
  });

  it.runIf(process.platform === 'linux')('MAX_MEMORY_MB goes on: it makes room', async () => {
    const machine = await machineWith({ ...EACH_MINUTE, instances: 1, maxMemoryMb: 50 });
    const { clock, driver, fill } = machine;
    await fill(97);
    await clock.advance(59_000);
    await expect.poll(() => driver.browser('0').disposed).toBe(true);
    await fill(10);
    await expect.poll(() => statuses(machine)).toEqual(['healthy']);
  });
});
