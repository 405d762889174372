/**
 * Visits a second, 4 at once, on a machine that they keep busy: with the state kept, and each with a clean one.
 * README.md says what each figure means. Exits with 1 when a visit saw another's page, or a floor is missed.
 *
 *   pnpm --filter pwpool-benchmarks throughput [--json] [--rounds 7] [--visits 24]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './figures.js';
import { startPageServer } from './page-server.js';
import {
  crawleeBrowserPool,
  puppeteerCluster,
  pwpool,
  rawFresh,
  rawReused,
  type Visitor,
} from './visitors.js';

const AT_ONCE = 4;
const MOST_TRIES = 5;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    visits: { type: 'string', default: '24' },
  },
});

interface Contender {
  readonly name: string;
  readonly state: 'kept' | 'clean';
  /** Least share of raw Playwright's rate with pages reused. */
  readonly floor?: number;
  readonly open: () => Promise<Visitor>;
}

const outputDir = await mkdtemp(join(tmpdir(), 'pwl-'));
const ours = (keep: boolean, packed: boolean) => () => pwpool(AT_ONCE, outputDir, { keep, packed });
const RAW: Contender = {
  name: 'raw Playwright, pages reused',
  state: 'kept',
  open: () => rawReused(AT_ONCE),
};
const CONTENDERS: readonly Contender[] = [
  RAW,
  { name: 'pwpool, a browser each', state: 'kept', floor: 0.92, open: ours(true, false) },
  { name: 'pwpool, packed', state: 'kept', floor: 0.92, open: ours(true, true) },
  { name: 'puppeteer-cluster, page', state: 'kept', open: () => puppeteerCluster(AT_ONCE, 'page') },
  { name: 'raw Playwright, fresh context', state: 'clean', open: rawFresh },
  { name: 'pwpool, a browser each', state: 'clean', floor: 0.5, open: ours(false, false) },
  { name: 'pwpool, packed', state: 'clean', floor: 0.5, open: ours(false, true) },
  { name: 'puppeteer-cluster, context', state: 'clean', open: () => puppeteerCluster(AT_ONCE, 'context') },
  { name: "Crawlee's browser-pool", state: 'clean', open: () => crawleeBrowserPool(AT_ONCE) },
];

let mixUps = 0;
let visits = 0;
const failures = new Map<Visitor, number>();
const rates = new Map<Contender, number[]>(CONTENDERS.map((contender) => [contender, []]));
const visitors = new Map<Contender, Visitor>();
try {
  await using site = await startPageServer();
  for (const contender of CONTENDERS) visitors.set(contender, await contender.open());
  for (const visitor of visitors.values()) await rate(visitor, site.url, 2 * AT_ONCE);
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [contender, visitor] of visitors) {
      rates.get(contender)?.push(await rate(visitor, site.url, Number(options.visits)));
    }
  }
} finally {
  for (const visitor of visitors.values()) await visitor[Symbol.asyncDispose]();
}
await rm(outputDir, { recursive: true, force: true });
report();

/** Visits a second. */
async function rate(visitor: Visitor, url: string, count: number): Promise<number> {
  const last = visits + count;
  const begin = performance.now();
  const visitInTurn = async () => {
    while (visits < last) {
      const title = String(++visits);
      if ((await visitUntilDone(visitor, `${url}/${title}`)) !== title) mixUps += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitInTurn));
  return (count / (performance.now() - begin)) * 1000;
}

/** One that fails is made again, as its user would: that is part of what it costs. */
async function visitUntilDone(visitor: Visitor, url: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await visitor.visit(url);
    } catch (error) {
      failures.set(visitor, (failures.get(visitor) ?? 0) + 1);
      if (tries === MOST_TRIES) throw error;
    }
  }
}

function report(): void {
  const raw = rates.get(RAW) ?? [];
  const rows = CONTENDERS.map((contender) => {
    const own = rates.get(contender) ?? [];
    // Of the same round, so that what else the machine does falls upon both.
    const shares = own.map((each, round) => each / (raw[round] ?? Number.NaN));
    const { name, state, floor } = contender;
    const visitor = visitors.get(contender);
    const ofRaw = median(shares);
    return {
      ...{ state, name, 'visits/s': median(own), 'of raw': ofRaw },
      ...{ least: Math.min(...shares), most: Math.max(...shares), floor },
      failures: (visitor && failures.get(visitor)) ?? 0,
      missed: floor !== undefined && ofRaw < floor,
    };
  });
  process.exitCode = mixUps > 0 || rows.some(({ missed }) => missed) ? 1 : 0;
  if (options.json)
    console.log(JSON.stringify({ cores: cpus().length, load: loadavg()[0], mixUps, rows }, null, 2));
  else {
    console.table(rows);
    console.log(`${mixUps} mix-ups, load ${loadavg()[0]?.toFixed(1)}`);
  }
}
