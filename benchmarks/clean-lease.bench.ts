/**
 * What it costs that a lease begins with a clean browser: leases one after the other, clean and with `keep: true`.
 * README.md says what each figure means.
 *
 *   pnpm --filter pwpool-benchmarks clean-lease [--json]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BrowserPools } from '@pwpool/core';
import { quantile } from './figures.js';
import { startPageServer } from './page-server.js';

const LEASES = 40;

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });

interface Samples {
  granted: number[];
  firstLoad: number[];
  released: number[];
}

const outputDir = await mkdtemp(join(tmpdir(), 'pwl-'));
const samples = { keep: empty(), clean: empty() };
{
  await using site = await startPageServer();
  const pool = { instances: 1, isDefault: true, isolated: true };
  await using pools = await BrowserPools.create({ outputDir, pools: { POOL: pool } });
  for (const [keep, into] of [
    [true, samples.keep],
    [false, samples.clean],
  ] as const) {
    // Two to warm up: the first clean one also clears away what the kept ones left.
    for (let turn = 0; turn < 2; turn++) await visit(pools, site.url, keep, empty());
    for (let turn = 0; turn < LEASES; turn++) await visit(pools, site.url, keep, into);
  }
}
await rm(outputDir, { recursive: true, force: true });
report();

async function visit(pools: BrowserPools, url: string, keep: boolean, into: Samples): Promise<void> {
  const askedAt = performance.now();
  const lease = await pools.lease({ keep });
  const page = await lease.page();
  const grantedAt = performance.now();
  await page.goto(`${url}/1`);
  const loadedAt = performance.now();
  await lease.release();
  into.granted.push(grantedAt - askedAt);
  into.firstLoad.push(loadedAt - grantedAt);
  into.released.push(performance.now() - loadedAt);
}

function empty(): Samples {
  return { granted: [], firstLoad: [], released: [] };
}

function report(): void {
  const medians = ({ granted, firstLoad, released }: Samples) => ({
    'granted, with a page': quantile(granted, 0.5),
    'first load': quantile(firstLoad, 0.5),
    release: quantile(released, 0.5),
  });
  const figures = { keep: medians(samples.keep), clean: medians(samples.clean) };
  if (options.json)
    console.log(JSON.stringify({ cores: cpus().length, load: loadavg()[0], ...figures }, null, 2));
  else console.table(figures);
}
