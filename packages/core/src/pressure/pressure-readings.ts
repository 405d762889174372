import type { Clock } from '../clock.js';
import { CpuReading } from './cpu-reading.js';
import { readMemoryUsed } from './memory-reading.js';
import type { PressureReadings } from './pressure.js';

/** The readings of this machine. `root` is where /proc and /sys are. */
export function systemReadings(clock: Clock, root = '/'): PressureReadings {
  const cpu = new CpuReading(clock, root);
  return { memoryUsed: () => readMemoryUsed(root), cpuUsed: () => cpu.used() };
}
