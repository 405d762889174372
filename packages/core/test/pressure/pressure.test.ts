import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Pressure, type PressureOptions } from '../../src/pressure/pressure.js';
import { type PressureReadings, systemReadings } from '../../src/pressure/pressure-readings.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { kernelFiles } from './kernel-files.js';

/** A machine whose use the test sets. `reads` counts how often it was asked. */
class Machine implements PressureReadings {
  memory: number | undefined = 50;
  cpu: number | undefined = 0;
  reads = 0;

  memoryUsed(): number | undefined {
    this.reads += 1;
    return this.memory;
  }

  cpuUsed(): number | undefined {
    this.reads += 1;
    return this.cpu;
  }
}

function setUp(limits: Partial<Pick<PressureOptions, 'memoryHighWater' | 'cpuHighWater'>>) {
  const clock = new FakeClock();
  const machine = new Machine();
  const pressure = new Pressure({
    clock,
    memoryHighWater: undefined,
    cpuHighWater: undefined,
    readings: machine,
    ...limits,
  });
  onTestFinished(() => pressure.stop());
  /** The reason after each of these readings of memory, a second apart. */
  const reasons = async (...memory: number[]) => {
    const told: (string | undefined)[] = [];
    for (const used of memory) {
      machine.memory = used;
      await clock.advance(1000);
      told.push(pressure.reason);
    }
    return told;
  };
  return { clock, machine, pressure, reasons };
}

describe('memory', () => {
  it('bars at the limit and says why', async () => {
    const { pressure, reasons } = setUp({ memoryHighWater: 95 });
    pressure.start();
    expect(await reasons(94.9, 95, 96.7)).toEqual([
      undefined,
      '95 % of the memory is in use, and MEMORY_HIGH_WATER is 95 %',
      '96 % of the memory is in use, and MEMORY_HIGH_WATER is 95 %',
    ]);
  });

  it('admits again only 5 points below, and says so meanwhile', async () => {
    const { pressure, reasons } = setUp({ memoryHighWater: 95 });
    pressure.start();
    const waiting = 'is in use, which has to fall to 90 % after it reached MEMORY_HIGH_WATER, 95 %';
    expect((await reasons(95, 94.9, 90.1, 90, 94.9, 95)).slice(1)).toEqual([
      `95 % of the memory ${waiting}`,
      `91 % of the memory ${waiting}`,
      undefined,
      undefined,
      '95 % of the memory is in use, and MEMORY_HIGH_WATER is 95 %',
    ]);
  });

  it('admits again at 1 % under the lowest limits', async () => {
    const { pressure, reasons } = setUp({ memoryHighWater: 3 });
    pressure.start();
    expect((await reasons(3, 1.1, 1)).map((reason) => reason !== undefined)).toEqual([true, true, false]);
    const lowest = setUp({ memoryHighWater: 1 });
    lowest.pressure.start();
    expect((await lowest.reasons(1, 1, 0.9)).map((reason) => reason !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is read at the start, before the first second is over', () => {
    const { machine, pressure } = setUp({ memoryHighWater: 95 });
    machine.memory = 97;
    expect(pressure.reason).toBeUndefined();
    pressure.start();
    expect(pressure.reason).toContain('97 %');
  });

  it('is read at once on demand', () => {
    const { machine, pressure } = setUp({ memoryHighWater: 95 });
    machine.memory = 97;
    pressure.sample();
    expect(pressure.reason).toContain('97 %');
  });

  it('bars nothing when it can no longer be known', () => {
    const { machine, pressure } = setUp({ memoryHighWater: 95 });
    machine.memory = 97;
    pressure.sample();
    machine.memory = undefined;
    pressure.sample();
    expect(pressure.reason).toBeUndefined();
  });
});

describe('processors', () => {
  it('may be busy for some seconds', async () => {
    const { clock, machine, pressure } = setUp({ cpuHighWater: 80 });
    pressure.start();
    machine.cpu = 100;
    await clock.advance(3000);
    machine.cpu = 20;
    await clock.advance(30_000);
    machine.cpu = 100;
    await clock.advance(4000);
    expect(pressure.reason).toBeUndefined();
  });

  it('bar when they stay busy, and admit when they are at rest again', async () => {
    const { clock, machine, pressure } = setUp({ cpuHighWater: 80 });
    pressure.start();
    machine.cpu = 100;
    await clock.advance(7000);
    expect(pressure.reason).toBeUndefined();
    await clock.advance(1000);
    expect(pressure.reason).toBe('80 % of the processor time is in use, and CPU_HIGH_WATER is 80 %');
    machine.cpu = 77;
    await clock.advance(60_000);
    expect(pressure.reason).toBe(
      '77 % of the processor time is in use, which has to fall to 75 % after it reached CPU_HIGH_WATER, 80 %',
    );
    machine.cpu = 0;
    await clock.advance(1000);
    expect(pressure.reason).toBeUndefined();
  });

  it('bar at 100 % too', async () => {
    const { clock, machine, pressure } = setUp({ cpuHighWater: 100 });
    pressure.start();
    machine.cpu = 100;
    await clock.advance(60_000);
    expect(pressure.reason).toContain('100 %');
  });

  it('count by time, not by how often they are read', async () => {
    const { clock, machine, pressure } = setUp({ cpuHighWater: 80 });
    pressure.start();
    machine.cpu = 100;
    await clock.advance(1000);
    for (let read = 0; read < 100; read++) pressure.sample();
    expect(pressure.reason).toBeUndefined();
  });

  it('keep their average over a reading that tells nothing and over a clock that is set back', async () => {
    const { clock, machine, pressure } = setUp({ cpuHighWater: 80 });
    pressure.start();
    machine.cpu = 100;
    await clock.advance(20_000);
    machine.cpu = undefined;
    await clock.advance(1000);
    expect(pressure.reason).toContain('98 %');
    machine.cpu = 0;
    await clock.advance(-3_600_000);
    pressure.sample();
    expect(pressure.reason).toContain('98 %');
  });

  it('are told beside the memory when both bar', async () => {
    const { clock, machine, pressure } = setUp({ memoryHighWater: 90, cpuHighWater: 50 });
    pressure.start();
    Object.assign(machine, { memory: 92, cpu: 100 });
    await clock.advance(4000);
    expect(pressure.reason).toBe(
      '92 % of the memory is in use, and MEMORY_HIGH_WATER is 90 %; ' +
        '55 % of the processor time is in use, and CPU_HIGH_WATER is 50 %',
    );
  });
});

describe('sampling', () => {
  it('goes on every second from start to stop', async () => {
    const { clock, machine, pressure } = setUp({ memoryHighWater: 95 });
    await clock.advance(5000);
    expect(machine.reads).toBe(0);
    pressure.start();
    pressure.start();
    expect(clock.pendingTimers).toBe(1);
    const before = machine.reads;
    await clock.advance(3500);
    expect(machine.reads - before).toBe(3);
    pressure.stop();
    expect(clock.pendingTimers).toBe(0);
    pressure.start();
    expect(clock.pendingTimers).toBe(1);
  });

  it('stops when a listener stops it', async () => {
    const { clock, machine, pressure } = setUp({ memoryHighWater: 95 });
    pressure.onChange(() => pressure.stop());
    pressure.start();
    machine.memory = 99;
    await clock.advance(5000);
    expect(clock.pendingTimers).toBe(0);
    // Also at the very start: the memory is in use by now.
    const late = setUp({ memoryHighWater: 95 });
    late.machine.memory = 99;
    late.pressure.onChange(() => late.pressure.stop());
    late.pressure.start();
    expect(late.clock.pendingTimers).toBe(0);
  });

  it('is not done without a limit', async () => {
    const { clock, machine, pressure } = setUp({});
    pressure.start();
    machine.memory = 100;
    expect(clock.pendingTimers).toBe(0);
    pressure.sample();
    expect(pressure.reason).toBeUndefined();
  });

  it('is not done where memory, the only thing limited, cannot be known', () => {
    const { clock, machine, pressure } = setUp({ memoryHighWater: 95 });
    machine.memory = undefined;
    pressure.start();
    expect(clock.pendingTimers).toBe(0);
    const both = setUp({ memoryHighWater: 95, cpuHighWater: 90 });
    both.machine.memory = undefined;
    both.pressure.start();
    expect(both.clock.pendingTimers).toBe(1);
  });
});

describe('onChange', () => {
  it('is called at each turn and not in between', async () => {
    const { pressure, reasons } = setUp({ memoryHighWater: 95 });
    const turns: boolean[] = [];
    const unsubscribe = pressure.onChange(() => turns.push(pressure.reason !== undefined));
    pressure.start();
    await reasons(60, 95, 97, 92, 90, 80, 99);
    expect(turns).toEqual([true, false, true]);
    unsubscribe();
    unsubscribe();
    await reasons(10);
    expect(turns).toHaveLength(3);
  });

  it('may be given the same listener twice, and one that leaves while it is called', async () => {
    const { pressure, reasons } = setUp({ memoryHighWater: 95 });
    const listener = vi.fn<() => void>();
    const leave = pressure.onChange(() => leave());
    pressure.onChange(listener);
    const unsubscribe = pressure.onChange(listener);
    pressure.start();
    await reasons(99);
    expect(listener).toHaveBeenCalledTimes(2);
    unsubscribe();
    await reasons(10);
    expect(listener).toHaveBeenCalledTimes(3);
  });
});

describe('admitted', () => {
  it('resolves at once when nothing bars', async () => {
    const { pressure } = setUp({ memoryHighWater: 95 });
    const { signal } = new AbortController();
    await pressure.admitted(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('resolves for all who wait when memory is free again', async () => {
    const { pressure, reasons } = setUp({ memoryHighWater: 95 });
    pressure.start();
    await reasons(99);
    const { signal } = new AbortController();
    const admitted = vi.fn<() => void>();
    // More than ten on one signal, where Node would warn of a leak.
    const waiting = Array.from({ length: 12 }, () => pressure.admitted(signal).then(admitted));
    await reasons(94, 91);
    expect(admitted).not.toHaveBeenCalled();
    await reasons(90);
    expect(admitted).toHaveBeenCalledTimes(12);
    await Promise.all(waiting);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('rejects with the reason of the signal, for that waiter only', async () => {
    const { pressure, reasons } = setUp({ memoryHighWater: 95 });
    pressure.start();
    await reasons(99);
    const leaving = new AbortController();
    const left = pressure.admitted(leaving.signal);
    const staying = pressure.admitted(new AbortController().signal);
    const reason = new Error('The lease was given up.');
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(0);
    await reasons(10);
    await staying;
  });

  it('rejects at once with a signal that has aborted already', async () => {
    const { pressure } = setUp({ memoryHighWater: 95 });
    const reason = new Error('Too late.');
    await expect(pressure.admitted(AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('leaves those who wait to their signals when sampling stops', async () => {
    const { clock, machine, pressure, reasons } = setUp({ memoryHighWater: 95 });
    pressure.start();
    await reasons(99);
    const controller = new AbortController();
    const admitted = vi.fn<() => void>();
    const waiting = pressure.admitted(controller.signal).then(admitted);
    pressure.stop();
    machine.memory = 10;
    await clock.advance(10_000);
    await settle();
    expect(admitted).not.toHaveBeenCalled();
    controller.abort(new Error('Shutting down.'));
    await expect(waiting).rejects.toThrow('Shutting down.');
  });
});

it('bars by what the files of the kernel say', async () => {
  const clock = new FakeClock();
  const group = (current: number) => ({ 'sys/fs/cgroup/memory.current': `${current}\n` });
  const { root, write } = kernelFiles({
    'proc/meminfo': 'MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n',
    'proc/self/cgroup': '0::/\n',
    'sys/fs/cgroup/memory.max': '1000\n',
    ...group(500),
  });
  const pressure = new Pressure({
    clock,
    memoryHighWater: 95,
    cpuHighWater: undefined,
    readings: systemReadings(clock, root),
  });
  onTestFinished(() => pressure.stop());
  pressure.start();
  expect(pressure.reason).toBeUndefined();
  write(group(960));
  await clock.advance(1000);
  expect(pressure.reason).toBe('96 % of the memory is in use, and MEMORY_HIGH_WATER is 95 %');
  write(group(880));
  await clock.advance(1000);
  expect(pressure.reason).toBeUndefined();
});
