import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The text of a file under /proc or /sys; `undefined` where there is none or it may not be read. */
export function readKernelFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** The number on the line of that name: `MemTotal:  24684092 kB` as well as `inactive_file 4096`. */
export function namedNumber(text: string, name: string): number | undefined {
  const value = new RegExp(`^${name}:?\\s+(\\d+)`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

/**
 * The directories of the control groups that hold for this process, its own first, then its parents' up to the topmost:
 * those of version 2, and those that version 1 has for `controller`.
 *
 * A container sees its own group as the topmost, but its path may be told as the host has it. Such directories do
 * not exist, and whoever reads them passes over them.
 */
export function controlGroups(root: string, controller: string): { v2: string[]; v1: string[] } {
  const lines = readKernelFile(join(root, 'proc/self/cgroup'))?.split('\n') ?? [];
  const v2: string[] = [];
  const v1: string[] = [];
  for (const line of lines) {
    // hierarchy:controllers:path, and the path may hold colons.
    const [hierarchy, controllers, ...path] = line.split(':');
    if (controllers === undefined) continue;
    const group = path.join(':');
    if (hierarchy === '0' && controllers === '') {
      // Beside version 1, version 2 has a directory of its own.
      v2.push(
        ...upwards(join(root, 'sys/fs/cgroup'), group),
        ...upwards(join(root, 'sys/fs/cgroup/unified'), group),
      );
    } else if (controllers.split(',').includes(controller)) {
      v1.push(...upwards(join(root, 'sys/fs/cgroup', controller), group));
    }
  }
  return { v2, v1 };
}

/** A group outside the namespace of this process begins with `/..`, which is cut off here. */
function upwards(mount: string, group: string): string[] {
  const names = posix
    .normalize(`/${group}`)
    .split('/')
    .filter((name) => name !== '');
  return Array.from({ length: names.length + 1 }, (_, above) =>
    join(mount, ...names.slice(0, names.length - above)),
  );
}
