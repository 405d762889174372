/**
 * What one agent waits for one call: playwright-mcp and pwpool over stdio, and raw Playwright, in turns. README.md says
 * what each figure means. Exits with 1 when an answer lacks what was asked for, or a call takes longer than its floor.
 *
 *   pnpm --filter pwpool-benchmarks latency [--json] [--rounds 40]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Caller, playwrightMcp, pwpool, rawPlaywright, SAID, type Site } from './callers.js';
import { median, quantile } from './figures.js';
import { startPageServer } from './page-server.js';

/** Rounds that are not counted. */
const WARM_UP = 5;

interface Measure {
  name: string;
  /** At most so much of playwright-mcp's time. */
  atMost?: number;
  /** Not timed: what the page has to be like. */
  before?: (caller: Caller, site: Site) => Promise<unknown>;
  run: (caller: Caller, site: Site, round: number) => Promise<unknown>;
  /** What the answer must say. */
  says?: string;
}

const onSmallPage: Measure['before'] = async (caller, site) => await caller.navigate(site.small(0));
const onLinks: Measure['before'] = async (caller, site) => await caller.navigate(site.links(0));

const MEASURES: readonly Measure[] = [
  { name: 'ping', run: (caller) => caller.ping() },
  { name: 'evaluate', atMost: 0.04, before: onSmallPage, run: (caller) => caller.evaluate() },
  { name: 'click', atMost: 0.15, before: onSmallPage, run: (caller) => caller.click() },
  { name: 'snapshot', atMost: 1, before: onSmallPage, run: (caller) => caller.snapshot(), says: SAID },
  { name: 'navigate', atMost: 0.8, run: (caller, site, round) => caller.navigate(site.small(round)) },
  { name: 'visit', atMost: 0.7, run: (caller, site, round) => caller.visit(site.small(round)), says: SAID },
  {
    name: 'snapshot, 2,000 links',
    atMost: 1,
    before: onLinks,
    run: (caller) => caller.snapshot(),
    // pwpool answers its first part, which is what its users wait for.
    says: 'Link 99"',
  },
  {
    name: 'navigate, 2,000 links',
    atMost: 0.8,
    run: (caller, site, round) => caller.navigate(site.links(round)),
  },
];

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '40' } },
});

/** Milliseconds of each round, by measure and caller. */
const samples = new Map<string, Map<string, number[]>>();
const wrong: string[] = [];
const folder = await mkdtemp(join(tmpdir(), 'pwl-'));
try {
  await using pages = await startPageServer();
  const site: Site = {
    small: (number) => `${pages.url}/small/${number}`,
    links: (number) => `${pages.url}/links/${number}`,
  };
  await using theirs = await playwrightMcp(folder);
  await using ours = await pwpool(folder);
  await using raw = await rawPlaywright();
  const callers = [theirs, ours, raw];
  for (const measure of MEASURES) {
    const timesOf = new Map(callers.map(({ name }) => [name, [] as number[]]));
    samples.set(measure.name, timesOf);
    for (let round = 0; round < WARM_UP + Number(options.rounds); round++) {
      // In turns, each time another one first, so that what else the machine does falls on all alike.
      for (let turn = 0; turn < callers.length; turn++) {
        const caller = callers[(round + turn) % callers.length];
        if (!caller) continue;
        if (round === 0) await measure.before?.(caller, site);
        const time = await timed(measure, caller, site, round);
        if (round >= WARM_UP) timesOf.get(caller.name)?.push(time);
      }
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = report() && wrong.length === 0 ? 0 : 1;

async function timed(measure: Measure, caller: Caller, site: Site, round: number): Promise<number> {
  const begin = performance.now();
  const answer = await measure.run(caller, site, round);
  const time = performance.now() - begin;
  if (measure.says !== undefined && !String(answer).includes(measure.says))
    wrong.push(`${caller.name}, ${measure.name}: no "${measure.says}" in the answer`);
  return time;
}

/** @returns whether every floor was held */
function report(): boolean {
  const rows = MEASURES.map(({ name, atMost }) => {
    const of = (caller: string) => samples.get(name)?.get(caller) ?? [];
    const [theirs, ours, raw] = [of('playwright-mcp'), of('pwpool'), of('raw Playwright')];
    const ratios = ours.map((time, round) => time / (theirs[round] ?? Number.NaN));
    const ratio = median(ours) / median(theirs);
    return {
      call: name,
      'playwright-mcp, ms': rounded(median(theirs)),
      'pwpool, ms': rounded(median(ours)),
      'raw Playwright, ms': rounded(median(raw)),
      'pwpool of playwright-mcp': rounded(ratio),
      'half of the rounds': `${rounded(quantile(ratios, 0.25))} to ${rounded(quantile(ratios, 0.75))}`,
      'at most': atMost,
      held: atMost === undefined || ratio <= atMost,
      'raw of playwright-mcp': rounded(median(raw) / median(theirs)),
    };
  });
  if (options.json)
    console.log(JSON.stringify({ cores: cpus().length, load: loadavg()[0], wrong, rows }, null, 2));
  else {
    console.table(rows);
    for (const sentence of new Set(wrong)) console.log(sentence);
    console.log(`load average ${loadavg()[0]?.toFixed(1)}`);
  }
  return rows.every(({ held }) => held);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
