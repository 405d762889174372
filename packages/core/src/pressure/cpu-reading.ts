import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock.js';
import { controlGroups, namedNumber, readKernelFile } from './pressure-files.js';

/** Times since the start of the machine, in any unit. */
interface ProcessorTimes {
  busy: number;
  total: number;
}

interface GroupUsage {
  /** Microseconds of processor time. */
  usage: number;
  /** Milliseconds since the epoch. */
  readAt: number;
}

/**
 * Percent of processor time in use since the last reading: of all processors, or of the quota of the control group
 * (version 2) that is closest to it.
 *
 * Sources: proc(5); "Control Group v2", cpu.max and cpu.stat, of the Linux kernel's documentation.
 */
export class CpuReading {
  readonly #clock: Clock;
  readonly #root: string;
  #processors: ProcessorTimes | undefined;
  #groups = new Map<string, GroupUsage>();

  constructor(clock: Clock, root: string) {
    this.#clock = clock;
    this.#root = root;
  }

  /** `undefined` the first time, and when no time has passed. */
  used(): number | undefined {
    const used = [this.#processorsUsed(), ...this.#groupsUsed()].filter((percent) => percent !== undefined);
    return used.length === 0 ? undefined : Math.max(...used);
  }

  #processorsUsed(): number | undefined {
    const now = readProcessorTimes(this.#root);
    const last = this.#processors;
    this.#processors = now;
    return last && percent(now.busy - last.busy, now.total - last.total);
  }

  #groupsUsed(): (number | undefined)[] {
    const readAt = this.#clock.now();
    const last = this.#groups;
    this.#groups = new Map();
    return controlGroups(this.#root, 'cpu').v2.map((directory) => {
      const processors = readQuota(directory);
      const usage = namedNumber(readKernelFile(join(directory, 'cpu.stat')) ?? '', 'usage_usec');
      if (processors === undefined || usage === undefined) return undefined;
      this.#groups.set(directory, { usage, readAt });
      const before = last.get(directory);
      return before && percent(usage - before.usage, (readAt - before.readAt) * 1000 * processors);
    });
  }
}

/** How many processors' worth of time the group has; `undefined` without a quota. */
function readQuota(directory: string): number | undefined {
  const [quota, period] = (readKernelFile(join(directory, 'cpu.max')) ?? '').split(' ').map(Number);
  // "max", no quota, is no number.
  return quota && period ? quota / period : undefined;
}

function readProcessorTimes(root: string): ProcessorTimes {
  const line = /^cpu +(.+)$/m.exec(readKernelFile(join(root, 'proc/stat')) ?? '')?.[1];
  if (line === undefined) return nodeProcessorTimes();
  // The times of guests, fields 9 and 10, are in fields 1 and 2 already.
  const times = line.split(' ').slice(0, 8).map(Number);
  const total = sum(times);
  const [, , , idle = 0, waitingForDisk = 0] = times;
  return { busy: total - idle - waitingForDisk, total };
}

function nodeProcessorTimes(): ProcessorTimes {
  const each = cpus().map(({ times }) => times);
  const total = sum(each.flatMap((times) => Object.values(times)));
  return { busy: total - sum(each.map(({ idle }) => idle)), total };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The counters of a hot-plugged processor may go back. */
function percent(used: number, available: number): number | undefined {
  return available > 0 ? Math.min(Math.max((used / available) * 100, 0), 100) : undefined;
}
