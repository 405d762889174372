/**
 * What N callers with a browser each cost: time until all have their first page, and memory with a page each.
 * README.md says what each figure means. Exits with 1 when a caller has another's page, or a floor is missed.
 *
 *   pnpm --filter pwpool-benchmarks instances [--json] [--runs 3] [--counts 1,4,8,16]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './figures.js';
import { type Fleet, playwrightMcp, pwpool, rawPlaywright } from './fleets.js';
import { startPageServer } from './page-server.js';
import { memoryOfTrees } from './processes.js';

const MEBIBYTE = 1024 * 1024;
/** At most so much of what as many playwright-mcp processes take. */
const FLOORS = [
  { measure: 'memoryMiB', count: 16, contexts: 16, atMost: 0.36 },
  { measure: 'firstPageMs', count: 8, contexts: 8, atMost: 0.4 },
] as const;

interface Sample {
  fleet: string;
  count: number;
  firstPageMs: number;
  memoryMiB: number;
}

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '3' },
    counts: { type: 'string', default: '1,4,8,16' },
  },
});

const samples: Sample[] = [];
let wrong = 0;
await using pages = await startPageServer();
for (const count of options.counts.split(',').map(Number)) {
  const each = [pwpool(1), playwrightMcp, rawPlaywright('each')];
  const fleets = count === 1 ? each : [...each, pwpool(count), rawPlaywright('packed')];
  // In turns, so that what else the machine does falls on all alike.
  for (let run = 0; run < Number(options.runs); run++) {
    for (const fleet of fleets) samples.push(await measure(fleet, count));
  }
}
const missed = report();
process.exitCode = wrong > 0 || missed ? 1 : 0;

async function measure(fleet: Fleet, count: number): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'pwp-'));
  try {
    const begin = performance.now();
    await using open = await fleet.open(count, (caller) => `${pages.url}/${caller}`, folder);
    const firstPageMs = performance.now() - begin;
    for (let caller = 0; caller < count; caller++) {
      if ((await open.titleOf(caller)) !== String(caller)) wrong += 1;
    }
    const memoryMiB = memoryOfTrees(open.processIds) / MEBIBYTE;
    return { fleet: fleet.name, count, firstPageMs, memoryMiB };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @returns whether a floor was missed */
function report(): boolean {
  const rows = medians();
  const of = (fleet: string, count: number) => rows.find((row) => row.fleet === fleet && row.count === count);
  const floors = FLOORS.map(({ measure, count, contexts, atMost }) => {
    const ours = of(pwpool(contexts).name, count)?.[measure] ?? Number.NaN;
    const theirs = of(playwrightMcp.name, count)?.[measure] ?? Number.NaN;
    return { measure, count, atMost, ratio: ours / theirs, held: ours / theirs <= atMost };
  });
  if (options.json) {
    console.log(
      JSON.stringify({ cores: cpus().length, load: loadavg()[0], wrong, rows, floors, samples }, null, 2),
    );
  } else {
    console.table(
      rows.map(({ fleet, count, firstPageMs, memoryMiB }) => {
        const theirs = of(playwrightMcp.name, count);
        return {
          fleet,
          instances: count,
          'first page, ms': Math.round(firstPageMs),
          'of playwright-mcp': ratio(firstPageMs, theirs?.firstPageMs),
          'memory, MiB': Math.round(memoryMiB),
          'each, MiB': Math.round(memoryMiB / count),
          'of playwright-mcp ': ratio(memoryMiB, theirs?.memoryMiB),
        };
      }),
    );
    console.table(floors);
    console.log(`pages of another caller: ${wrong}; load average ${loadavg()[0]?.toFixed(1)}`);
  }
  return floors.some(({ held }) => !held);
}

function medians(): Sample[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = `${sample.fleet}|${sample.count}`;
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const group = [first, ...others];
    const { fleet, count } = first;
    const firstPageMs = median(group.map((sample) => sample.firstPageMs));
    return [{ fleet, count, firstPageMs, memoryMiB: median(group.map((sample) => sample.memoryMiB)) }];
  });
}

function ratio(ours: number, theirs: number | undefined): string {
  return theirs === undefined ? '' : (ours / theirs).toFixed(2);
}
