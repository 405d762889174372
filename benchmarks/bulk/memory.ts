import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPageServer } from '../page-server.js';
import { memoryOf } from '../processes.js';

const COMMAND = fileURLToPath(new URL('../../apps/cli/bin/pwpool.js', import.meta.url));

/** One browser goes on from row to row, so that rows are what there is most of. What is alive is told every 500 rows. */
const SCRIPT = `export const clean = 'lease';
export default async ({ page, row }) => {
  if (row.id % 100 === 0) await page.goto(row.url);
  const title = await page.title();
  if (row.id % 500 !== 499) return { title };
  globalThis.gc();
  return { title, heap: process.memoryUsage().heapUsed };
};`;

/**
 * The most memory that the command itself takes for so many rows: PSS, in which garbage is, and what is alive of the
 * heap.
 */
export async function memoryByRows(counts: readonly number[]): Promise<Memory[]> {
  const found: Memory[] = [];
  await using site = await startPageServer();
  for (const rows of counts) {
    const folder = await mkdtemp(join(tmpdir(), 'pwpool-flat-'));
    const lines = Array.from({ length: rows }, (_, id) => `${id},${site.url}/${id}`);
    await writeFile(join(folder, 'rows.csv'), `id,url\n${lines.join('\n')}\n`);
    await writeFile(join(folder, 'script.mjs'), SCRIPT);
    const args = ['run', 'script.mjs', '--data', 'rows.csv', '--out', 'out.jsonl'];
    const env = { PATH: process.env['PATH'], HOME: folder, PWPOOL_RUNTIME_DIR: join(folder, 'run') };
    const begin = performance.now();
    const child = spawn(process.execPath, ['--expose-gc', COMMAND, ...args], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    let most = 0;
    while (child.exitCode === null && child.pid !== undefined) {
      most = Math.max(most, memoryOf(child.pid));
      await sleep(250);
    }
    await ended;
    const results = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n');
    const heaps = results.map((line) => (JSON.parse(line) as { result: { heap?: number } }).result.heap ?? 0);
    const seconds = Math.round((performance.now() - begin) / 1000);
    found.push({
      rows,
      pssMiB: mebibytes(most),
      heapMiB: mebibytes(heaps.reduce((most, heap) => Math.max(most, heap), 0)),
      seconds,
    });
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}

interface Memory {
  rows: number;
  pssMiB: number;
  heapMiB: number;
  seconds: number;
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
