/**
 * Runs a script over rows, kills the command with SIGKILL at random moments, and goes on with `--resume`, until all is
 * done: each row has to have exactly one result, the right one. Exits with 1 if not.
 *
 *   pnpm --filter pwpool-benchmarks bulk-kills [--rows 1000] [--kills 10]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPageServer } from '../page-server.js';

const COMMAND = fileURLToPath(new URL('../../apps/cli/bin/pwpool.js', import.meta.url));

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '1000' }, kills: { type: 'string', default: '10' } },
});
const rows = Number(options.rows);
const kills = Number(options.kills);

const SCRIPT = `
steps:
  - tool: browser_navigate
    args: { url: "{{row.url}}" }
    save_as: page
extract: { id: "{{row.id}}", title: "{{steps.page.title}}" }
`;

const folder = await mkdtemp(join(tmpdir(), 'pwpool-kills-'));
const out = join(folder, 'out.jsonl');
await using site = await startPageServer();
const lines = Array.from({ length: rows }, (_, id) => `${id},${site.url}/page-${id}`);
await writeFile(join(folder, 'script.yaml'), SCRIPT);
await writeFile(join(folder, 'rows.csv'), `id,url\n${lines.join('\n')}\n`);

const begin = performance.now();
/** After how many results each kill comes, at random. */
const moments = Array.from({ length: kills }, () => Math.floor(Math.random() * rows)).sort((a, b) => a - b);
for (const moment of moments) {
  const child = start();
  while ((await resultLines()).length <= moment && child.exitCode === null) await sleep(5);
  // Not always right behind a result.
  await sleep(Math.random() * 200);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  console.log(`killed with ${(await resultLines()).length} results`);
}
const last = start();
const [status] = (await once(last, 'exit')) as [number];
const results = (await resultLines()).map((line) => JSON.parse(line) as Result);
const wrong = results.filter(
  ({ row, ok, result }) => !(ok && result.id === String(row - 1) && result.title === `page-${row - 1}`),
);
const distinct = new Set(results.map(({ row }) => row)).size;
const seconds = (performance.now() - begin) / 1000;
console.log({ status, results: results.length, distinct, wrong: wrong.length, seconds: Math.round(seconds) });
process.exitCode = results.length === rows && distinct === rows && wrong.length === 0 ? 0 : 1;
await rm(folder, { recursive: true, force: true });

interface Result {
  row: number;
  ok: boolean;
  result: { id: string; title: string };
}

function start() {
  const args = ['run', 'script.yaml', '--data', 'rows.csv', '--out', out, '--resume'];
  const env = { PATH: process.env['PATH'], HOME: folder, PWPOOL_RUNTIME_DIR: join(folder, 'run') };
  return spawn(process.execPath, [COMMAND, ...args], { cwd: folder, env, stdio: 'ignore' });
}

async function resultLines(): Promise<string[]> {
  const text = await readFile(out, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}
