import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.js';
import type { ToolArguments, ToolConnection } from '../../../src/connection/tool-connection.js';
import { FakeClock } from '../../../src/testing/fake-clock.js';
import { connectEmbeddedTools } from '../../../src/upstream/embedded-tools.js';
import { textOf } from '../../driver/embedded-fixture.js';
import { launchChromium } from '../../driver/fixtures/browsers.js';

let browser: Browser;
let outputDir: string;
let context: BrowserContext;
let page: Page;
let tools: ToolConnection;

const site = createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  const answer = () => response.end(`<title>${request.url}</title><p>${request.url}`);
  if (request.url === '/slow') setTimeout(answer, 200);
  else answer();
});

beforeAll(async () => {
  outputDir = await mkdtemp(join(tmpdir(), 'pwpool-settling-'));
  browser = await launchChromium([]);
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
});

afterAll(async () => {
  await browser.close();
  site.close();
  await rm(outputDir, { recursive: true, force: true });
});

afterEach(async () => {
  await tools[Symbol.asyncDispose]();
  await context.close();
});

const origin = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

/** A page whose button runs the script, and tools that wait by the clock. */
async function open(script: string, clock: Clock = systemClock): Promise<void> {
  context = await browser.newContext();
  const timeouts = { action: 20_000, navigation: 20_000, settle: 2_000 };
  tools = await connectEmbeddedTools(
    context,
    { capabilities: [], outputDir, timeouts, settle: 'adaptive' },
    clock,
  );
  page = await context.newPage();
  await page.goto(`${origin()}/`);
  await page.setContent(`<title>own</title><button>Go</button><p id=out></p>
    <script>show = (text) => { out.textContent = text }; document.querySelector('button').onclick = () => { ${script} }</script>`);
}

async function call(name: string, args: ToolArguments): Promise<string> {
  const result = await tools.callTool(name, args, new AbortController().signal);
  expect(result.isError, textOf(result)).toBeUndefined();
  return textOf(result);
}

const click = async () => await call('browser_click', { target: 'button' });
const shown = async () => await page.locator('#out').textContent();

/** By a clock that stands: a pause would never be over. */
const WITHOUT_PAUSE: Readonly<Record<string, string>> = {
  'does nothing': '',
  'changes the page': 'show("done")',
  'computes in promises': 'Promise.resolve().then(() => Promise.resolve()).then(() => show("done"))',
  'works through a queue of messages':
    'let n = 0; const { port1, port2 } = new MessageChannel(); port1.onmessage = () => n++ < 100 ? port2.postMessage(0) : show("done"); port2.postMessage(0)',
  'fetches, and again':
    'fetch("/slow").then(() => fetch("/b")).then((r) => r.text()).then(() => show("done"))',
  'opens a frame':
    'const frame = document.createElement("iframe"); frame.src = "/slow"; frame.onload = () => show("done"); document.body.append(frame)',
};

for (const [what, script] of Object.entries(WITHOUT_PAUSE)) {
  const tags = what === 'fetches, and again' ? [] : ['at-length'];
  it(`waits for no pause after an action that ${what} [arch-settle-01]`, { tags }, async () => {
    await open(script, new FakeClock());
    await click();
    if (what !== 'does nothing') expect(await shown()).toBe('done');
  });
}

it('waits for many answers, and Node warns of nothing', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  await open(
    'const all = Array.from({ length: 15 }, () => fetch("/slow", { cache: "no-store" })); Promise.all(all).then(() => show("done"))',
    new FakeClock(),
  );
  await click();
  expect(await shown()).toBe('done');
  expect(warnings).toEqual([]);
});

it('waits for no pause after an evaluation, nor for what was going on before', async () => {
  await open('', new FakeClock());
  await page.evaluate(() => void setTimeout(() => {}, 60_000));
  expect(await call('browser_evaluate', { function: '() => 6 * 7' })).toContain('42');
});

it('shows the page that a click went to, loaded', async () => {
  await open('location.href = "/slow"', new FakeClock());
  expect(await click()).toContain('- Page Title: /slow');
});

/** What comes later, by itself. */
const LATER: Readonly<Record<string, string>> = {
  'a timer of 50 ms': 'setTimeout(() => show("done"), 50)',
  'a timer of 450 ms': 'setTimeout(() => show("done"), 450)',
  'a timer set by a page that has its own setTimeout':
    'const own = setTimeout; window.setTimeout = (...all) => own(...all); setTimeout(() => show("done"), 300)',
  'an interval': 'let n = 0; setInterval(() => n++ === 2 && show("done"), 100)',
  'a timer after an answer': 'fetch("/slow").then(() => setTimeout(() => show("done"), 300))',
  'twenty frames':
    'let n = 0; const draw = () => n++ < 20 ? requestAnimationFrame(draw) : show("done"); draw()',
  'a transition':
    'out.style.transition = "opacity 200ms"; out.style.opacity = "0.9"; out.getBoundingClientRect(); out.ontransitionend = () => show("done"); out.style.opacity = "0.1"',
  'a worker':
    'new Worker(URL.createObjectURL(new Blob(["setTimeout(() => postMessage(0), 250)"]))).onmessage = () => show("done")',
};

it.each(Object.entries(LATER))(
  'shows in its answer what comes after %s [arch-settle-01]',
  { tags: ['at-length'] },
  async (_, script) => {
    await open(script);
    await click();
    expect(await shown()).toBe('done');
  },
);

it('tells of a download that begins later [arch-settle-01]', { tags: ['at-length'] }, async () => {
  await open(
    'const link = document.createElement("a"); link.href = "/slow"; link.download = "slow.txt"; document.body.append(link); link.click()',
  );
  expect(await click()).toContain('slow.txt');
});

it('tells of a dialog that opens while it waits, and goes on when that is answered', async () => {
  await open('setTimeout(() => { alert("hello"); show("done") }, 100)');
  expect(await click()).toContain('"alert" dialog with message "hello"');
  await call('browser_handle_dialog', { accept: true });
  expect(await shown()).toBe('done');
});

it('changes nothing that a page could look for', { tags: ['at-length'] }, async () => {
  await open('');
  const names = () =>
    page.evaluate(() => Object.getOwnPropertyNames(window).concat(String(setTimeout), String(fetch)));
  const before = await names();
  await click();
  expect(await names()).toEqual(before);
});
