import { setMaxListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { OnlyBrowser, startPlaywrightMcp } from './playwright-mcp.mjs';
import { PooledBrowser, startPwpool } from './pwpool.mjs';
import { clientSetup, comparison, visitTable } from './report.mjs';
import { startShop } from './shop/server.mjs';
import { shoppers } from './shoppers.mjs';
import { Verdict } from './verdict.mjs';
import { visit } from './visit.mjs';

const DEADLINE_SECONDS = 120;
const output = fileURLToPath(new URL('../output/', import.meta.url));
const signal = AbortSignal.timeout(DEADLINE_SECONDS * 1000);
// The client of the SDK leaves a listener on the signal with each call.
setMaxListeners(0, signal);

/** All visits at the same time, each in a session of its own. */
async function togetherThroughPwpool(visitOf, options) {
  const client = await startPwpool({ ...options, logFile: join(output, 'pwpool.log') });
  try {
    return await timed(() =>
      Promise.all(
        shoppers.map((shopper) => visitOf(shopper, new PooledBrowser(client, shopper.user, signal))),
      ),
    );
  } finally {
    await client.close();
  }
}

/** One visit after another: the server has one browser. */
async function inTurnThroughPlaywrightMcp(visitOf, options) {
  const client = await startPlaywrightMcp({ ...options, logFile: join(output, 'playwright-mcp.log') });
  try {
    return await timed(async () => {
      for (const shopper of shoppers) await visitOf(shopper, new OnlyBrowser(client, signal));
    });
  } finally {
    await client.close();
  }
}

/** The time from the first call to the last answer, browsers included that start meanwhile; the server runs already. */
async function timed(work) {
  const started = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - started };
}

async function main(verdict) {
  mkdirSync(output, { recursive: true });
  const shop = await startShop(Object.fromEntries(shoppers.map(({ user, password }) => [user, password])));
  const visitOf = (shopper, browser) => visit({ browser, shopUrl: shop.url, shopper, verdict });
  const options = { directory: output, signal };
  try {
    console.log(
      `A small shop runs at ${shop.url}. Four users log in, fill their carts and order, all at once, over one MCP server.\n`,
    );
    const pooled = await togetherThroughPwpool(visitOf, options);
    for (const { user, screenshot } of pooled.result)
      writeFileSync(join(output, `${user}-receipt.png`), screenshot);
    console.log(visitTable(pooled.result));

    console.log('\nNow the same four through plain playwright-mcp, which has one browser: in turn ...\n');
    return { pooled, plain: await inTurnThroughPlaywrightMcp(visitOf, options) };
  } finally {
    await shop.close();
  }
}

const verdict = new Verdict();
let times;
try {
  times = await main(verdict);
} catch (error) {
  process.exitCode = 1;
  console.error(signal.aborted ? `The example did not end within ${DEADLINE_SECONDS} s.` : error.message);
  console.error(`The logs of the servers are in ${output}`);
}
if (verdict.problems.length > 0) {
  process.exitCode = 1;
  console.error(verdict.problems.join('\n'));
}
console.log(`cross-talk:  ${verdict.crossTalk} of ${verdict.reads} reads`);
if (times && !process.exitCode) {
  console.log(`receipts:    ${verdict.receipts} of ${shoppers.length * 2} right`);
  console.log(`screenshots: ${output}`);
  console.log(`\n${clientSetup()}`);
  console.log(`\n${comparison(times.pooled.milliseconds, times.plain.milliseconds)}`);
}
