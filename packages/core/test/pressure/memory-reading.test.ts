import { describe, expect, it } from 'vitest';
import { readMemoryUsed } from '../../src/pressure/memory-reading.js';
import { kernelFiles } from './kernel-files.js';

/** 40 % in use. */
const MEMINFO = 'MemTotal:       10000 kB\nMemFree:         1000 kB\nMemAvailable:    6000 kB\n';

function used(files: Record<string, string>): number | undefined {
  return readMemoryUsed(kernelFiles({ 'proc/meminfo': MEMINFO, ...files }).root);
}

function group(max: string, current: number, inactive: number, directory: string): Record<string, string> {
  return {
    [`sys/fs/cgroup/${directory}/memory.max`]: `${max}\n`,
    [`sys/fs/cgroup/${directory}/memory.current`]: `${current}\n`,
    [`sys/fs/cgroup/${directory}/memory.stat`]: `anon 1\ninactive_anon 9\ninactive_file ${inactive - Math.floor(inactive / 2)}\nactive_file ${Math.floor(inactive / 2)}\n`,
  };
}

describe('the memory in use', () => {
  it('is that of the machine; cached files are not in use', () => {
    expect(used({})).toBe(40);
  });

  it('is unknown where the machine does not tell', () => {
    expect(readMemoryUsed(kernelFiles({}).root)).toBeUndefined();
    expect(used({ 'proc/meminfo': 'MemTotal: 10000 kB\nMemFree: 1 kB\n' })).toBeUndefined();
  });

  it('is that of the control group when it is closer to its limit', () => {
    const files = { 'proc/self/cgroup': '0::/app.slice/pwpool.service\n' };
    expect(used({ ...files, ...group('2000', 1700, 200, 'app.slice/pwpool.service') })).toBe(75);
    expect(used({ ...files, ...group('2000', 600, 200, 'app.slice/pwpool.service') })).toBe(40);
    expect(used({ ...files, ...group('max', 1700, 200, 'app.slice/pwpool.service') })).toBe(40);
  });

  it('heeds the limits of the parents of the group', () => {
    expect(
      used({
        'proc/self/cgroup': '0::/app.slice/pwpool.service\n',
        ...group('max', 100, 0, 'app.slice/pwpool.service'),
        ...group('1000', 900, 50, 'app.slice'),
      }),
    ).toBe(85);
  });

  it('finds the group of a container, which is the topmost one in it', () => {
    expect(used({ 'proc/self/cgroup': '0::/\n', ...group('1000', 800, 0, '.') })).toBe(80);
    expect(used({ 'proc/self/cgroup': '0::/docker/0123abc\n', ...group('1000', 800, 0, '.') })).toBe(80);
    expect(used({ 'proc/self/cgroup': '0::/../../other\n', ...group('1000', 800, 0, '.') })).toBe(80);
  });

  it('goes by the path of the group, colons and all', () => {
    expect(
      used({ 'proc/self/cgroup': '0::/user:1000/a b\n', ...group('1000', 620, 0, 'user:1000/a b') }),
    ).toBe(62);
  });

  it('heeds version 1, with its parents', () => {
    const v1 = (limit: string, usage: number, inactive: number, directory: string) => ({
      [`sys/fs/cgroup/memory/${directory}/memory.limit_in_bytes`]: `${limit}\n`,
      [`sys/fs/cgroup/memory/${directory}/memory.usage_in_bytes`]: `${usage}\n`,
      [`sys/fs/cgroup/memory/${directory}/memory.stat`]: `inactive_file 999\ntotal_inactive_file ${inactive - Math.floor(inactive / 2)}\ntotal_active_file ${Math.floor(inactive / 2)}\n`,
    });
    const files = {
      'proc/self/cgroup': '11:cpu,cpuacct:/elsewhere\n4:memory:/docker/0123abc\n1:name=systemd:/x\n0::/\n',
      ...v1('9223372036854771712', 500, 0, '.'),
    };
    expect(used(files)).toBe(40);
    expect(used({ ...files, ...v1('1000', 700, 100, 'docker/0123abc') })).toBe(60);
    expect(used({ ...files, ...v1('1000', 700, 0, 'docker') })).toBe(70);
    expect(used({ ...files, ...v1('1000', 990, 0, 'elsewhere') }), 'a group of another').toBe(40);
  });

  it('is never beyond 100 % nor below 0 %', () => {
    const files = { 'proc/self/cgroup': '0::/\n' };
    expect(used({ ...files, ...group('1000', 1200, 0, '.') })).toBe(100);
    expect(used({ ...files, ...group('0', 0, 0, '.') })).toBe(100);
    expect(used({ ...files, ...group('1000', 10, 20, '.') })).toBe(40);
    expect(used({ 'proc/meminfo': 'MemTotal: 100 kB\nMemAvailable: 110 kB\n' })).toBe(0);
  });

  it('does without files that are missing or hold something else', () => {
    const files = { 'proc/self/cgroup': 'nonsense\n0::/\n' };
    expect(used({ ...files, 'sys/fs/cgroup/memory.max': '1000\n' })).toBe(40);
    expect(
      used({ ...files, 'sys/fs/cgroup/memory.max': '1000\n', 'sys/fs/cgroup/memory.current': '900\n' }),
    ).toBe(90);
    expect(used({ ...files, 'sys/fs/cgroup/memory.max': '', 'sys/fs/cgroup/memory.current': '900\n' })).toBe(
      40,
    );
  });
});
