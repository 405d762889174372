import { createServer } from 'node:http';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BrowserHandle } from '../../src/driver/browser-driver.js';
import { EmbeddedDriver } from '../../src/driver/embedded/embedded-driver.js';
import { unblockPages } from '../../src/driver/playwright/page-recovery.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { contextOf, instancesOf, makeDirectories, textOf } from './embedded-fixture.js';
import { listen } from './fixtures/browsers.js';

const { signal } = new AbortController();

/** On a clock that stands still: no deadline ever comes. */
const clock = new FakeClock();
let directories: Awaited<ReturnType<typeof makeDirectories>>;
let browser: BrowserHandle;

beforeAll(async () => {
  directories = await makeDirectories();
  const { output } = directories;
  const [config] = instancesOf({ instances: 1, isolated: false, profileDir: output });
  if (!config) throw new Error('A pool has an instance.');
  browser = await new EmbeddedDriver({ clock, outputDir: output }).start(config, signal);
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await directories[Symbol.asyncDispose]();
});

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

async function openRefreshing(): Promise<Page> {
  const page = await contextOf(browser).newPage();
  await page.goto(await serve('<meta http-equiv=refresh content="0">', 50), { waitUntil: 'commit' });
  return page;
}

it('a page that refreshes itself is alive, and is not closed [arch-driver-11]', async () => {
  const page = await openRefreshing();
  for (let round = 0; round < 5; round++) await browser.inspect();
  expect(await browser.unblock()).toBe(false);
  expect(page.isClosed()).toBe(false);
  const url = await serve('<title>calm</title>');
  expect(textOf(await browser.callTool('browser_navigate', { url }, signal))).toContain('calm');
}, 90_000);

it('a page that refreshes itself is closed when the browser is cleaned', async () => {
  const page = await openRefreshing();
  await browser.reset(signal);
  expect(page.isClosed()).toBe(true);
});

it('a page that stays open is not told of as closed', async () => {
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
