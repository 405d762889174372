/**
 * How long 1,000 callers wait for 4 browsers that each of them uses for one short call. README.md says what each figure
 * means. Exits with 1 when two callers had one browser at once, or were served out of turn.
 *
 *   pnpm --filter pwpool-benchmarks lease-wait [--json]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BrowserPools } from '@pwpool/core';
import { quantile } from './figures.js';

const INSTANCES = 4;
const CALLERS = 1_000;

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });

const outputDir = await mkdtemp(join(tmpdir(), 'pwl-'));
const waits: number[] = [];
const calls: number[] = [];
const order: number[] = [];
const held = new Map<string, number>();
let doubles = 0;

{
  const pool = { instances: INSTANCES, isDefault: true, isolated: true, leaseTimeout: 600_000 };
  await using pools = await BrowserPools.create({ outputDir, timeoutSettle: 0, pools: { POOL: pool } });
  await Promise.all(Array.from({ length: INSTANCES }, (_, id) => warmUp(pools, String(id))));
  const begin = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => use(pools, caller, begin)));
}
await rm(outputDir, { recursive: true, force: true });
report();

async function warmUp(pools: BrowserPools, instance: string): Promise<void> {
  await using lease = await pools.lease({ instance, keep: true });
  await lease.callTool('browser_evaluate', { function: '() => 1' });
}

async function use(pools: BrowserPools, caller: number, begin: number): Promise<void> {
  await using lease = await pools.lease({ keep: true });
  const grantedAt = performance.now();
  waits.push(grantedAt - begin);
  order.push(caller);
  if (held.has(lease.instance)) doubles += 1;
  held.set(lease.instance, caller);
  await lease.callTool('browser_evaluate', { function: '() => 1' });
  held.delete(lease.instance);
  calls.push(performance.now() - grantedAt);
}

function report(): void {
  const total = calls.reduce((sum, ms) => sum + ms, 0);
  const outOfTurn = order.filter((caller, place) => place > 0 && caller < (order[place - 1] ?? 0)).length;
  // In a fair line the last one waits for as long as all calls take, spread over the browsers.
  const shortest = total / INSTANCES;
  const figures = {
    callers: CALLERS,
    instances: INSTANCES,
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    last: Math.max(...waits),
    callMedian: quantile(calls, 0.5),
    ofShortest: Math.max(...waits) / shortest,
    doubles,
    outOfTurn,
  };
  process.exitCode = doubles > 0 || outOfTurn > 0 ? 1 : 0;
  if (options.json)
    console.log(JSON.stringify({ cores: cpus().length, load: loadavg()[0], ...figures }, null, 2));
  else console.table(figures);
}
