/**
 * How soon a server is there: from the start of its process until `initialize`, `tools/list` and a first navigation are
 * answered; and `pwpool --help` beside `node -e 0`. README.md says what each figure means. Exits with 1 when a floor is
 * missed.
 *
 *   pnpm --filter pwpool-benchmarks start [--json] [--runs 11]
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, quantile } from './figures.js';
import { rawPlaywright } from './fleets.js';
import { type McpServer, startPlaywrightMcp, startPwpool } from './mcp-server.js';
import { startPageServer } from './page-server.js';

const STAGES = ['initialize', 'tools/list', 'first page'] as const;
type Stage = (typeof STAGES)[number];

/** At most so much of what playwright-mcp takes, until the answer. */
const FLOORS: Readonly<Partial<Record<Stage, number>>> = { 'tools/list': 0.5, 'first page': 0.95 };
/** Milliseconds that `pwpool --help` may take beyond `node -e 0`. */
const HELP_MS = 100;

/** Milliseconds from the start of the process, by stage. */
type Sample = Readonly<Record<Stage, number>>;

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, runs: { type: 'string', default: '11' } },
});

const HELP = join(dirname(createRequire(import.meta.url).resolve('pwpool/package.json')), 'bin/pwpool.js');

const pairs: { ours: Sample; theirs: Sample; rawMs: number; helpMs: number }[] = [];
// One for all runs: Node 22 keeps what it compiled there, as it does at a user's.
const folder = await mkdtemp(join(tmpdir(), 'pwp-'));
try {
  await using pages = await startPageServer();
  // In turns, so that what else the machine does falls on all alike. The first run fills what is kept for the others.
  for (let run = 0; run <= Number(options.runs); run++) {
    const pair = {
      ours: await measure(startPwpool, pages.url),
      theirs: await measure(startPlaywrightMcp, pages.url),
      rawMs: await measureRaw(pages.url),
      helpMs: timeOf([HELP, '--help']) - timeOf(['-e', '0']),
    };
    if (run > 0) pairs.push(pair);
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = report() ? 0 : 1;

async function measure(start: (folder: string) => Promise<McpServer>, url: string): Promise<Sample> {
  const begin = performance.now();
  const elapsed = () => performance.now() - begin;
  await using server = await start(folder);
  const initialize = elapsed();
  await server.listTools();
  const list = elapsed();
  await server.call('browser_navigate', { url: `${url}/1` });
  return { initialize, 'tools/list': list, 'first page': elapsed() };
}

/** @returns milliseconds until a program with Playwright and no server has its first page */
async function measureRaw(url: string): Promise<number> {
  const begin = performance.now();
  await using open = await rawPlaywright('each').open(1, () => `${url}/1`, folder);
  const milliseconds = performance.now() - begin;
  if ((await open.titleOf(0)) !== '1') throw new Error('The page did not load.');
  return milliseconds;
}

function timeOf(args: readonly string[]): number {
  const begin = performance.now();
  spawnSync(process.execPath, args);
  return performance.now() - begin;
}

/** @returns whether every floor was held */
function report(): boolean {
  const rows = STAGES.map((stage) => {
    const ratios = pairs.map(({ ours, theirs }) => ours[stage] / theirs[stage]);
    const atMost = FLOORS[stage];
    return {
      until: stage,
      'pwpool, ms': Math.round(median(pairs.map(({ ours }) => ours[stage]))),
      'playwright-mcp, ms': Math.round(median(pairs.map(({ theirs }) => theirs[stage]))),
      ratio: rounded(median(ratios)),
      'half of the runs': `${rounded(quantile(ratios, 0.25))} to ${rounded(quantile(ratios, 0.75))}`,
      'at most': atMost ?? null,
      held: atMost === undefined || median(ratios) <= atMost,
    };
  });
  const helpMs = median(pairs.map((pair) => pair.helpMs));
  const rawMs = median(pairs.map((pair) => pair.rawMs));
  const rawShare = median(pairs.map((pair) => pair.rawMs / pair.theirs['first page']));
  const held = rows.every((row) => row.held) && helpMs <= HELP_MS;
  const load = loadavg()[0];
  if (options.json) {
    console.log(
      JSON.stringify({ cores: cpus().length, load, rows, rawMs, rawShare, helpMs, held, pairs }, null, 2),
    );
  } else {
    console.table(rows);
    console.log(
      `first page of raw Playwright: ${rawMs.toFixed(0)} ms, ${rounded(rawShare)} of playwright-mcp's`,
    );
    console.log(`pwpool --help: ${helpMs.toFixed(0)} ms above node -e 0 (at most ${HELP_MS})`);
    console.log(`load average ${load?.toFixed(1)}`);
  }
  return held;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
