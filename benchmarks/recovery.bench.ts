/**
 * How long a pool takes to be whole again after a browser was killed, and what its caller waits.
 * README.md says what each figure means. Exits with 1 when a call of a killed browser got no answer.
 *
 *   pnpm --filter pwpool-benchmarks recovery [--json] [--kills 30]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BrowserPools, PwpoolError } from '@pwpool/core';
import { systemClock } from '@pwpool/core/internal';
import { median, quantile } from './figures.js';

const INSTANCES = 4;

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, kills: { type: 'string', default: '30' } },
});

/** Milliseconds, one of each a kill. */
interface Samples {
  /** From the kill to the error that a call in it got. */
  answer: number[];
  /** From the kill until every instance has a browser that answers. */
  whole: number[];
  /** From the kill until a caller has the same instance again and its first page. */
  page: number[];
}

const outputDir = await mkdtemp(join(tmpdir(), 'pwr-'));
const rows = [];
for (const contextsPerBrowser of [1, INSTANCES]) {
  const samples = await killRepeatedly(contextsPerBrowser, Number(options.kills));
  for (const [measure, values] of Object.entries(samples)) {
    rows.push({
      contextsPerBrowser,
      measure,
      kills: values.length,
      median: Math.round(median(values)),
      p95: Math.round(quantile(values, 0.95)),
      max: Math.round(Math.max(...values)),
    });
  }
}
await rm(outputDir, { recursive: true, force: true });
if (options.json) console.log(JSON.stringify({ cores: cpus().length, load: loadavg()[0], rows }, null, 2));
else console.table(rows);

async function killRepeatedly(contextsPerBrowser: number, kills: number): Promise<Samples> {
  const pool = {
    instances: INSTANCES,
    isDefault: true,
    isolated: true,
    contextsPerBrowser,
    maxRestarts: 1_000_000,
  };
  // A restart that follows others closely waits, which is the policy's and not the pool's speed: so time jumps on.
  let jumpedMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + jumpedMs };
  await using pools = await BrowserPools.create({ outputDir, pools: { POOL: pool } }, { clock });
  const samples: Samples = { answer: [], whole: [], page: [] };
  await untilWhole(pools);
  for (let kill = 0; kill < kills; kill++) {
    jumpedMs += 3_600_000;
    const lease = await pools.lease({ instance: '0' });
    await lease.callTool('browser_navigate', { url: 'data:text/html,<title>before</title>' });
    const call = lease
      .callTool('browser_evaluate', { function: '() => new Promise(() => {})' })
      .catch((error) => error);
    await new Promise((resolve) => setImmediate(resolve));
    const killedAt = performance.now();
    process.kill(processIdOf(pools), 'SIGKILL');
    const error = await call;
    samples.answer.push(performance.now() - killedAt);
    if (!(error instanceof PwpoolError && error.code === 'INSTANCE_CRASHED')) process.exitCode = 1;
    const page = firstPage(pools, () => samples.page.push(performance.now() - killedAt));
    await untilWhole(pools);
    samples.whole.push(performance.now() - killedAt);
    await page;
  }
  return samples;
}

/** @param opened called when the page is there, before the instance is cleaned for the next holder */
async function firstPage(pools: BrowserPools, opened: () => void): Promise<void> {
  await using lease = await pools.lease({ instance: '0' });
  await lease.callTool('browser_navigate', { url: 'data:text/html,<title>after</title>' });
  opened();
}

/** Told by events: nothing is polled. */
async function untilWhole(pools: BrowserPools): Promise<void> {
  const isWhole = () => pools.status().summary.healthy_instances === INSTANCES;
  await new Promise<void>((resolve) => {
    const check = () => {
      if (!isWhole()) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = pools.on('instance-started', check);
    check();
  });
}

function processIdOf(pools: BrowserPools): number {
  return pools.status().pools[0]?.instances[0]?.process_id ?? 0;
}
