import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessStart } from '@pwpool/core/internal';
import { expect, it, onTestFinished } from 'vitest';
import { lockOut } from '../src/run/out-lock.js';

async function place(): Promise<{ folder: string; out: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'pwpool-lock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { folder, out: join(folder, 'out.jsonl') };
}

it('a file of results is written by one run at a time, which the next is told [arch-bulk-13]', async () => {
  const { folder, out } = await place();
  const first = await lockOut(out);
  await expect(lockOut(out)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: `Another run writes ${out}: process ${process.pid}.`,
  });
  first[Symbol.dispose]();
  expect(await readdir(folder)).toEqual([]);
  using _next = await lockOut(out);
});

it("the lock of a run that was killed is nobody's, also when its process id is another's by now [arch-bulk-13]", async () => {
  const { folder, out } = await place();
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const start = (await readProcessStart(process.pid)) ?? 0;
  for (const left of [
    JSON.stringify({ pid: gone, start: null }),
    JSON.stringify({ pid: process.pid, start: start - 1 }),
    '',
    'no lock',
  ]) {
    await writeFile(`${out}.lock`, left);
    using _lock = await lockOut(out);
    expect(JSON.parse(await readFile(`${out}.lock`, 'utf8'))).toMatchObject({ pid: process.pid });
  }
  expect(await readdir(folder)).toEqual([]);
});

it('of many that begin at once beside a stale lock one gets the file', async () => {
  const { out } = await place();
  await writeFile(`${out}.lock`, '{"pid":999999999}');
  const taken = await Promise.allSettled(Array.from({ length: 8 }, () => lockOut(out)));
  expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('a folder that cannot be written to is told', async () => {
  await expect(lockOut('/proc/none/out.jsonl')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: expect.stringContaining('/proc/none/out.jsonl cannot be written'),
  });
});
