import { setMaxListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { startPwpool } from './pwpool.mjs';
import { clientSetup, seconds, visitTable } from './report.mjs';
import { startShop } from './shop/server.mjs';
import { shoppers } from './shoppers.mjs';
import { Verdict } from './verdict.mjs';
import { visit } from './visit.mjs';

const DEADLINE_SECONDS = 120;
const output = fileURLToPath(new URL('../output/', import.meta.url));
const signal = AbortSignal.timeout(DEADLINE_SECONDS * 1000);
// The client of the SDK leaves a listener on the signal with each call.
setMaxListeners(0, signal);

/** With nothing configured pwpool has one pool of four isolated browsers. */
const FOUR_BROWSERS = {};
const ONE_BROWSER = {
  PW_MCP_PROXY__DEFAULT_INSTANCES: '1',
  PW_MCP_PROXY__DEFAULT_IS_DEFAULT: 'true',
  PW_MCP_PROXY__DEFAULT_ISOLATED: 'true',
};

/** All visits at the same time, each session in a browser of its own. */
function together(visitOf) {
  return Promise.all(shoppers.map(visitOf));
}

/** One visit after another. */
async function inTurn(visitOf) {
  const visits = [];
  for (const shopper of shoppers) visits.push(await visitOf(shopper));
  return visits;
}

/** Starts a server, has everybody shop, and ends the server. The time is that of the visits alone. */
async function run(name, config, order, shopUrl, verdict) {
  const client = await startPwpool({
    config,
    directory: output,
    logFile: join(output, `${name}.log`),
    signal,
  });
  try {
    const started = performance.now();
    const visits = await order((shopper) => visit({ client, shopUrl, shopper, verdict, signal }));
    return { visits, milliseconds: performance.now() - started };
  } finally {
    await client.close();
  }
}

async function main(verdict) {
  mkdirSync(output, { recursive: true });
  const shop = await startShop(Object.fromEntries(shoppers.map(({ user, password }) => [user, password])));
  try {
    console.log(
      `A small shop runs at ${shop.url}. Four users log in, fill their carts and order, over one MCP server.\n`,
    );
    const parallel = await run('four-browsers', FOUR_BROWSERS, together, shop.url, verdict);
    for (const { user, screenshot } of parallel.visits)
      writeFileSync(join(output, `${user}-receipt.png`), screenshot);
    console.log(
      `${visitTable(parallel.visits)}\n\nNow the same four users in one browser, one after another ...\n`,
    );

    const sequential = await run('one-browser', ONE_BROWSER, inTurn, shop.url, verdict);
    const ratio = (sequential.milliseconds / parallel.milliseconds).toFixed(1);
    console.log(`wall time:   ${seconds(parallel.milliseconds)} in four browsers at once,`);
    console.log(
      `             ${seconds(sequential.milliseconds)} in one browser in turn (${ratio} times as long)`,
    );
  } finally {
    await shop.close();
  }
}

const verdict = new Verdict();
try {
  await main(verdict);
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
if (!process.exitCode) {
  console.log(`receipts:    ${verdict.receipts} of ${shoppers.length * 2} right`);
  console.log(`screenshots: ${output}`);
  console.log(`\n${clientSetup()}`);
}
