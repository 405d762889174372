/**
 * Rows a second, 4 at once, each with a clean state: `pools.map` and a script of `pwpool run`, beside puppeteer-cluster
 * and Crawlee's browser-pool on the same pages, in turns. With `--flat`, how much memory the command takes for 1,000
 * rows and for 50 times as many. Exits with 1 when a row saw another's page.
 *
 *   pnpm --filter pwpool-benchmarks bulk [--json] [--rounds 5] [--rows 40] [--flat]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BrowserPools, loadToolset, parseScript } from '@pwpool/core';
import { type DataRow, LeftOut, OwnBrowsers, runRows, selectRows, stepWork } from '@pwpool/core/internal';
import { median } from '../figures.js';
import { startPageServer } from '../page-server.js';
import { crawleeBrowserPool, puppeteerCluster, type Visitor } from '../visitors.js';
import { memoryByRows } from './memory.js';

const AT_ONCE = 4;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    flat: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    rows: { type: 'string', default: '40' },
  },
});

const SCRIPT = `
steps:
  - { tool: browser_navigate, args: { url: "{{row.url}}" }, save_as: page }
extract: "{{steps.page.title}}"
`;

/** Does rows, and gives the titles of their pages in any order. */
interface Contender {
  readonly name: string;
  readonly run: (urls: readonly string[]) => Promise<string[]>;
}

if (options.flat) console.log(JSON.stringify(await memoryByRows([1_000, 50_000]), null, 2));
else await compare();

async function compare(): Promise<void> {
  const outputDir = await mkdtemp(join(tmpdir(), 'pwb-'));
  const pool = { instances: AT_ONCE, contextsPerBrowser: AT_ONCE, isDefault: true, isolated: true };
  await using pools = await BrowserPools.create({ outputDir, pools: { POOL: pool } });
  await using cluster = await puppeteerCluster(AT_ONCE, 'context');
  await using crawlee = await crawleeBrowserPool(AT_ONCE);
  await using site = await startPageServer();
  const contenders: Contender[] = [
    { name: 'pools.map', run: (urls) => mapped(pools, urls) },
    { name: 'a script of pwpool run', run: (urls) => scripted(pools, urls, outputDir) },
    { name: 'puppeteer-cluster, context', run: (urls) => visited(cluster, urls) },
    { name: "Crawlee's browser-pool", run: (urls) => visited(crawlee, urls) },
  ];
  const rates = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  let mixUps = 0;
  let number = 0;
  const turn = async ({ name, run }: Contender, count: number, counts: boolean) => {
    const titles = Array.from({ length: count }, () => String(++number));
    const begin = performance.now();
    const found = await run(titles.map((title) => `${site.url}/${title}`));
    const rate = (count / (performance.now() - begin)) * 1000;
    if ([...found].sort().join() !== [...titles].sort().join()) mixUps += 1;
    if (counts) rates.get(name)?.push(rate);
  };
  for (const contender of contenders) await turn(contender, 2 * AT_ONCE, false);
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const contender of contenders) await turn(contender, Number(options.rows), true);
  }
  const theirs = ['puppeteer-cluster, context', "Crawlee's browser-pool"];
  const rows = contenders.map(({ name }) => {
    const own = rates.get(name) ?? [];
    // Of the same round, so that what else the machine does falls upon both.
    const times = theirs.map((other) =>
      median(own.map((rate, round) => rate / (rates.get(other)?.[round] ?? Number.NaN))),
    );
    return { name, 'rows/s': median(own), "× puppeteer-cluster's": times[0], "× Crawlee's": times[1] };
  });
  process.exitCode = mixUps > 0 ? 1 : 0;
  if (options.json)
    console.log(JSON.stringify({ cores: cpus().length, load: loadavg()[0], mixUps, rows }, null, 2));
  else {
    console.table(rows);
    console.log(`${mixUps} mix-ups, load ${loadavg()[0]?.toFixed(1)}`);
  }
  await rm(outputDir, { recursive: true, force: true });
}

async function mapped(pools: BrowserPools, urls: readonly string[]): Promise<string[]> {
  return await pools.map(urls, async ({ page, item }) => {
    await page.goto(item);
    const title = await page.title();
    await page.locator('body').ariaSnapshot();
    return title;
  });
}

async function scripted(pools: BrowserPools, urls: readonly string[], files: string): Promise<string[]> {
  const toolset = await loadToolset(pools.config.server);
  const script = parseScript(SCRIPT, 'script.yaml', toolset, { hasRows: true });
  async function* data(): AsyncGenerator<DataRow> {
    for (const [index, url] of urls.entries()) yield { number: index + 1, line: index + 1, value: { url } };
  }
  const titles: string[] = [];
  const work = stepWork(script, { clock: pools.clock, toolset, env: {} });
  const { clock } = pools;
  await using browsers = new OwnBrowsers(pools, { clock, toolset, clean: script.clean, files });
  await runRows(browsers, work, selectRows(data(), {}, new LeftOut()), {
    ...{ clock, retries: 0, files },
    onResult: (result) => titles.push(result.ok ? String(result.result) : result.error.message),
  });
  return titles;
}

async function visited(visitor: Visitor, urls: readonly string[]): Promise<string[]> {
  const left = [...urls];
  const titles: string[] = [];
  const visitInTurn = async () => {
    for (let url = left.shift(); url !== undefined; url = left.shift()) titles.push(await visitor.visit(url));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitInTurn));
  return titles;
}
