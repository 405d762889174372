import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { EmbeddedDriver } from '../../src/driver/embedded/embedded-driver.js';
import { unblockPages } from '../../src/driver/playwright/page-recovery.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { contextOf, instancesOf, ownDirectories, textOf } from './embedded-fixture.js';
import { listen } from './fixtures/browsers.js';

const { signal } = new AbortController();

/** A browser on a clock that stands still: no deadline ever comes. */
async function startBrowser() {
  const { output } = await ownDirectories();
  const clock = new FakeClock();
  const [config] = instancesOf({ instances: 1 });
  if (!config) throw new Error('A pool has an instance.');
  const browser = await new EmbeddedDriver({ clock, outputDir: output }).start(config, signal);
  onTestFinished(() => browser[Symbol.asyncDispose]());
  const call = async (name: string, args = {}) => textOf(await browser.callTool(name, args, signal));
  return { browser, clock, call };
}

/** @param delayMs before each answer: a page that refreshes itself without a pause takes a processor for itself */
async function serve(html: string, delayMs = 0): Promise<string> {
  const port = await listen(
    createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      setTimeout(() => response.end(html), delayMs);
    }),
  );
  return `http://127.0.0.1:${port}/`;
}

it('a page that refreshes itself is alive, and is not closed [arch-driver-11]', async () => {
  const { browser, call } = await startBrowser();
  const page = await contextOf(browser).newPage();
  await page.goto(await serve('<meta http-equiv=refresh content="0">', 50), { waitUntil: 'commit' });
  for (let round = 0; round < 5; round++) await browser.inspect();
  expect(await browser.unblock()).toBe(false);
  expect(page.isClosed()).toBe(false);
  expect(await call('browser_navigate', { url: await serve('<title>calm</title>') })).toContain('calm');
}, 90_000);

it('a page that stays open is not told of as closed', async () => {
  const { browser, clock } = await startBrowser();
  const page = await contextOf(browser).newPage();
  await page.goto(await serve('<title>stays</title>'));
  // Stands for a page that is stuck, and cannot be closed.
  const fails = async () => await Promise.reject(new Error('Not closed.'));
  const kept = new Proxy(page, {
    get: (target, key) => {
      if (key === 'close') return fails;
      return key === 'evaluate' ? () => new Promise(() => {}) : Reflect.get(target, key, target);
    },
  });
  const unblocked = unblockPages([kept], clock);
  const ended = unblocked.then(() => true);
  while (!(await Promise.race([ended, page.title().then(() => false)]))) await clock.advance(100);
  expect(await unblocked).toBe(false);
  expect(page.isClosed()).toBe(false);
});
