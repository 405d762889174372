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

const pairs: { ours: Sample; theirs: Sample; helpMs: number }[] = [];
await using pages = await startPageServer();
// In turns, so that what else the machine does falls on all alike.
for (let run = 0; run < Number(options.runs); run++) {
  pairs.push({
    ours: await measure(startPwpool),
    theirs: await measure(startPlaywrightMcp),
    helpMs: timeOf([HELP, '--help']) - timeOf(['-e', '0']),
  });
}
process.exitCode = report() ? 0 : 1;

async function measure(start: (folder: string) => Promise<McpServer>): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'pwp-'));
  try {
    const begin = performance.now();
    const elapsed = () => performance.now() - begin;
    await using server = await start(folder);
    const initialize = elapsed();
    await server.listTools();
    const list = elapsed();
    await server.call('browser_navigate', { url: `${pages.url}/1` });
    return { initialize, 'tools/list': list, 'first page': elapsed() };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
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
  const held = rows.every((row) => row.held) && helpMs <= HELP_MS;
  const load = loadavg()[0];
  if (options.json) {
    console.log(JSON.stringify({ cores: cpus().length, load, rows, helpMs, held, pairs }, null, 2));
  } else {
    console.table(rows);
    console.log(`pwpool --help: ${helpMs.toFixed(0)} ms above node -e 0 (at most ${HELP_MS})`);
    console.log(`load average ${load?.toFixed(1)}`);
  }
  return held;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
