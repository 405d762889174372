import { describe, expect, it } from 'vitest';
import { CpuReading } from '../../src/pressure/cpu-reading.js';
import { systemReadings } from '../../src/pressure/pressure-readings.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { kernelFiles } from './kernel-files.js';

/** Fields as in /proc/stat; of 1000 units that pass, `busy` are used. */
function stat(busy: number, idle: number): Record<string, string> {
  const [user, waitingForDisk] = [busy - 30, idle / 10];
  // User, nice, system, idle, waiting for disk, irq, softirq, steal; guest and guest nice are in user and nice already.
  const fields = [user, 5, 10, idle - waitingForDisk, waitingForDisk, 5, 5, 5, user, 5];
  return { 'proc/stat': `cpu  ${fields.join(' ')}\ncpu0 1 1 1 1 1 1 1 1 0 0\nctxt 1\n` };
}

function group(quota: string, usage: number, directory = 'app'): Record<string, string> {
  return {
    [`sys/fs/cgroup/${directory}/cpu.max`]: `${quota}\n`,
    [`sys/fs/cgroup/${directory}/cpu.stat`]: `usage_usec ${usage}\nuser_usec 1\nsystem_usec 1\n`,
  };
}

function start(files: Record<string, string>) {
  const clock = new FakeClock();
  const { root, write } = kernelFiles({ 'proc/self/cgroup': '0::/app\n', ...files });
  const reading = new CpuReading(clock, root);
  return {
    first: reading.used(),
    /** What is read after a time in which the files became these. */
    after: async (ms: number, more: Record<string, string>) => {
      await clock.advance(ms);
      write(more);
      return reading.used();
    },
  };
}

describe('the processor time in use', () => {
  it('is counted from the last reading, on all processors', async () => {
    const { first, after } = start(stat(1000, 9000));
    expect(first).toBeUndefined();
    expect(await after(1000, stat(1250, 9750))).toBe(25);
    expect(await after(1000, stat(2250, 9750))).toBe(100);
    expect(await after(1000, stat(2250, 10_750))).toBe(0);
  });

  it('is unknown while no time has passed', async () => {
    const { after } = start(stat(1000, 9000));
    expect(await after(0, stat(1000, 9000))).toBeUndefined();
  });

  it('is a share of the quota, when the control group has one', async () => {
    const { after } = start({ ...stat(1000, 9000), ...group('200000 100000', 5_000_000) });
    expect(await after(1000, { ...stat(1100, 9900), ...group('200000 100000', 6_500_000) })).toBe(75);
    expect(await after(2000, { ...stat(1200, 10_800), ...group('200000 100000', 10_500_000) })).toBe(100);
  });

  it('is that of the machine when others keep it busier than the group is', async () => {
    const { after } = start({ ...stat(1000, 9000), ...group('50000 100000', 0) });
    expect(await after(1000, { ...stat(1900, 9100), ...group('50000 100000', 100_000) })).toBe(90);
  });

  it('is that of the machine without a quota', async () => {
    const { after } = start({ ...stat(1000, 9000), ...group('max 100000', 0) });
    expect(await after(1000, { ...stat(1100, 9900), ...group('max 100000', 900_000) })).toBe(10);
  });

  it('heeds the quota of a parent of the group', async () => {
    const files = { 'proc/self/cgroup': '0::/app/worker\n', ...group('max 100000', 0, 'app/worker') };
    const { after } = start({ ...stat(1000, 9000), ...files, ...group('100000 100000', 0) });
    expect(await after(1000, { ...stat(1100, 9900), ...group('100000 100000', 600_000) })).toBe(60);
  });

  it('is never beyond 100 %, and none when the clock was set back', async () => {
    const { after } = start({ ...stat(1000, 9000), ...group('100000 100000', 0) });
    expect(await after(1000, { ...stat(1100, 9900), ...group('100000 100000', 1_200_000) })).toBe(100);
    expect(await after(-5000, { ...stat(1200, 10_800), ...group('100000 100000', 1_300_000) })).toBe(10);
  });

  it('is counted anew in a group that the process was moved to', async () => {
    const { after } = start({ ...stat(1000, 9000), ...group('100000 100000', 0) });
    const moved = { 'proc/self/cgroup': '0::/next\n', ...group('100000 100000', 70_000_000, 'next') };
    expect(await after(1000, { ...stat(1100, 9900), ...moved })).toBe(10);
    expect(await after(1000, { ...stat(1200, 10_800), ...group('100000 100000', 70_500_000, 'next') })).toBe(
      50,
    );
  });
});

describe('the readings of this machine', () => {
  it('are percentages', async () => {
    const readings = systemReadings(new FakeClock());
    readings.cpuUsed();
    // Until a tick of the kernel's counters has passed there is nothing to tell.
    await expect.poll(() => readings.cpuUsed()).toSatisfy(isPercent);
    if (process.platform === 'linux') expect(readings.memoryUsed()).toSatisfy(isPercent);
    else expect(readings.memoryUsed()).toBeUndefined();
  });

  it('have the processors also where there is no /proc', async () => {
    const readings = systemReadings(new FakeClock(), kernelFiles({}).root);
    expect(readings.memoryUsed()).toBeUndefined();
    readings.cpuUsed();
    await expect.poll(() => readings.cpuUsed()).toSatisfy(isPercent);
  });

  function isPercent(value: unknown): boolean {
    return typeof value === 'number' && value >= 0 && value <= 100;
  }
});
