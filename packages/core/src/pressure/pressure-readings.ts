import type { Clock } from '../clock.js';
import { CpuReading } from './cpu-reading.js';
import { readMemoryUsed } from './memory-reading.js';

/** How busy the machine is; `systemReadings` has the real ones. */
export interface PressureReadings {
  /** Percent of the memory that this process may use; `undefined` where that cannot be known. */
  memoryUsed(): number | undefined;
  /** Percent of the processor time since the last call; `undefined` when there is nothing to compare with yet. */
  cpuUsed(): number | undefined;
}

/** The readings of this machine. `root` is where /proc and /sys are. */
export function systemReadings(clock: Clock, root = '/'): PressureReadings {
  const cpu = new CpuReading(clock, root);
  return { memoryUsed: () => readMemoryUsed(root), cpuUsed: () => cpu.used() };
}
