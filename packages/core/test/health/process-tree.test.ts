import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryOf, processTree, readProcessTable } from '../../src/driver/process-tree.js';
import { kernelFiles } from '../pressure/kernel-files.js';
import { startChain } from './process-fixture.js';

const MB = 1024 * 1024;

describe.runIf(process.platform === 'linux')('real processes', () => {
  it('finds the children of children, whatever they call themselves', async () => {
    const { pids } = await startChain('', "process.title = 'a) S 1 (b'", '');
    const [first = 0, second = 0, third = 0] = pids;
    expect(readFileSync(`/proc/${second}/comm`, 'utf8')).toBe('a) S 1 (b\n');
    expect(processTree(first)).toEqual(pids);
    expect(processTree(second)).toEqual([second, third]);
    expect(processTree(third)).toEqual([third]);
    expect(processTree(process.pid)).toEqual(expect.arrayContaining(pids));
  });

  it('leaves out the tree beside it', async () => {
    const [one, other] = [await startChain('', ''), await startChain('')];
    expect(processTree(one.pids[0] ?? 0)).toEqual(one.pids);
    expect(processTree(other.pids[0] ?? 0)).toEqual(other.pids);
  });

  it('adds up the memory of the whole tree', async () => {
    const { pids } = await startChain('', '', `globalThis.held = Buffer.alloc(${200 * MB}, 1)`);
    const [first = 0, second = 0, third = 0] = pids;
    const table = readProcessTable();
    const [whole, rest, holder] = await Promise.all(
      [first, second, third].map((pid) => memoryOf(pid, table)),
    );
    expect(holder).toBeGreaterThan(200 * MB);
    expect(rest).toBeGreaterThan(holder ?? Number.NaN);
    expect(whole).toBeGreaterThan(rest ?? Number.NaN);
  });

  it('charges a page that processes share only once', async () => {
    const { pids } = await startChain('', '', '');
    const resident = pids.map((pid) =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
    );
    expect(await memoryOf(pids[0] ?? 0)).toBeLessThan(
      resident.reduce((sum, kilobytes) => sum + kilobytes * 1024, 0),
    );
  });

  it('knows nothing of a process that is gone', async () => {
    const { pids, end } = await startChain('', '');
    await end();
    expect(processTree(pids[0] ?? 0)).toEqual([]);
    expect(await memoryOf(pids[0] ?? 0)).toBeUndefined();
  });

  it('counts those that are left when some ended after the table was read', async () => {
    const [staying, going] = [await startChain(''), await startChain('', '')];
    const table = readProcessTable();
    await going.end();
    const ours = processTree(process.pid, table);
    expect(ours).toEqual(expect.arrayContaining([...staying.pids, ...going.pids]));
    expect(await memoryOf(process.pid, table)).toBeGreaterThan(0);
    expect(await memoryOf(going.pids[0] ?? 0, table)).toBeUndefined();
  });
});

describe('a /proc laid out as files', () => {
  const stat = (pid: number, name: string, parent: number) =>
    `${pid} (${name}) S ${parent} 1 1 0 -1 4194560 98\n`;

  it('adds PSS, and RSS where PSS may not be read', async () => {
    const { root } = kernelFiles({
      '1/stat': stat(1, 'init', 0),
      '10/stat': stat(10, 'Web Content (1)', 1),
      '10/smaps_rollup':
        '5584-7ffc ---p 00000000 00:00 0  [rollup]\nRss:  900 kB\nPss:   300 kB\nPss_Anon: 7 kB\n',
      '10/status': 'Name:\tx\nVmRSS:\t  900 kB\n',
      '11/stat': stat(11, ') R 1 (', 10),
      '11/status': 'Name:\tx\nVmHWM:\t  999 kB\nVmRSS:\t  50 kB\n',
      // A process of the kernel, and a zombie, have no memory.
      '12/stat': stat(12, 'kworker/0:0', 10),
      '12/status': 'Name:\tkworker/0:0\n',
      'self/stat': stat(10, 'self', 1),
      uptime: '1 1',
    });
    const table = readProcessTable(root);
    expect(processTree(10, table)).toEqual([10, 11, 12]);
    expect(await memoryOf(10, table)).toBe(350 * 1024);
    expect(await memoryOf(12, table)).toBeUndefined();
    expect(await memoryOf(1, table)).toBe(350 * 1024);
  });

  it('ends also when pids were reused while it was read', () => {
    const { root } = kernelFiles({ '5/stat': stat(5, 'a', 6), '6/stat': stat(6, 'b', 5), '7/stat': '' });
    expect(processTree(5, readProcessTable(root))).toEqual([5, 6]);
  });

  it('knows nothing where there is no /proc', async () => {
    const { root } = kernelFiles({});
    const table = readProcessTable(join(root, 'proc'));
    expect(processTree(process.pid, table)).toEqual([]);
    expect(await memoryOf(process.pid, table)).toBeUndefined();
  });
});
