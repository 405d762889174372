import { join } from 'node:path';
import { controlGroups, namedNumber, readKernelFile } from './pressure-files.js';

/**
 * Percent of memory in use: of the machine, or of the control group that is closest to its limit. Groups of version 1
 * and 2 count, and the parents of a group, since their limits hold too. Memory that the kernel would give away when
 * asked, such as cached files, is not in use. `undefined` outside Linux.
 *
 * Sources: proc(5); "Control Group v2" and "Memory Resource Controller" of the Linux kernel's documentation.
 */
export function readMemoryUsed(root: string): number | undefined {
  const machine = machineUsed(root);
  if (machine === undefined) return undefined;
  const { v2, v1 } = controlGroups(root, 'memory');
  const groups = [...v2.map(groupUsedV2), ...v1.map(groupUsedV1)];
  return Math.max(machine, ...groups.filter((used) => used !== undefined));
}

function machineUsed(root: string): number | undefined {
  const text = readKernelFile(join(root, 'proc/meminfo')) ?? '';
  const total = namedNumber(text, 'MemTotal');
  const available = namedNumber(text, 'MemAvailable');
  return total === undefined || available === undefined ? undefined : percent(total - available, total);
}

function groupUsedV2(directory: string): number | undefined {
  return groupUsed(directory, {
    limit: 'memory.max',
    usage: 'memory.current',
    cached: ['inactive_file', 'active_file'],
  });
}

function groupUsedV1(directory: string): number | undefined {
  return groupUsed(directory, {
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    cached: ['total_inactive_file', 'total_active_file'],
  });
}

function groupUsed(
  directory: string,
  names: { limit: string; usage: string; cached: readonly string[] },
): number | undefined {
  const limit = readNumber(join(directory, names.limit));
  const usage = readNumber(join(directory, names.usage));
  if (limit === undefined || usage === undefined) return undefined;
  const stat = readKernelFile(join(directory, 'memory.stat')) ?? '';
  const cached = names.cached.reduce((sum, name) => sum + (namedNumber(stat, name) ?? 0), 0);
  return percent(usage - cached, limit);
}

/**
 * "max", no limit, is no number. Version 1 has a huge number for it, of which nothing to speak of is ever in use.
 */
function readNumber(path: string): number | undefined {
  const text = readKernelFile(path) ?? '';
  return /^\d+\s*$/.test(text) ? Number(text) : undefined;
}

/** A limit of 0 is used up. */
function percent(used: number, limit: number): number {
  if (limit <= 0) return 100;
  return Math.min(Math.max((used / limit) * 100, 0), 100);
}
