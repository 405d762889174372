import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalAddresses } from '../../src/driver/playwright/local-addresses.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { failureOf } from '../../src/upstream/failure.js';
import { launchChromium, temporaryDirectory } from './fixtures/browsers.js';

const reached: string[] = [];
const server = createServer(({ url, headers }, response) => {
  if (headers.host?.startsWith('127.0.0.2')) reached.push(url ?? '');
  if (url === '/away') return void response.writeHead(302, { location: external('/there') }).end();
  response.setHeader('content-type', 'text/html');
  response.end(`<title>${url}</title><a id="out" href="${external('/link')}">Out</a>`);
});
const port = () => (server.address() as AddressInfo).port;
const local = (path: string) => `http://localhost:${port()}${path}`;
const external = (path: string) => `http://127.0.0.2:${port()}${path}`;

describe('ALLOW_EXTERNAL=false', () => {
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, resolve));
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it("holds for Playwright's tools too [002-security-01, 002-error-07]", async () => {
    await using pools = await BrowserPools.create({
      outputDir: await temporaryDirectory(),
      pools: { DEFAULT: { instances: 1, isDefault: true, isolated: true, allowExternal: false } },
    });
    await using lease = await pools.lease();
    const blocked = async (tool: string, args: Record<string, unknown>) =>
      expect(failureOf(await lease.callTool(tool, args))).toMatchObject({
        code: 'URL_BLOCKED',
        message: `127.0.0.2:${port()} was not opened: only localhost and 127.0.0.1 are allowed.`,
      });
    await blocked('browser_navigate', { url: external('/page') });
    await blocked('browser_navigate', { url: external('/page').slice('http://'.length) });
    await blocked('browser_tabs', { action: 'new', url: external('/tab') });
    await blocked('browser_navigate', { url: local('/away') });
    expect(failureOf(await lease.callTool('browser_navigate', { url: local('/page') }))).toBeUndefined();
    await blocked('browser_click', { target: '#out' });
    expect(lease.pageUrl()).toBe(local('/page'));
    expect(reached).toEqual([]);
  });

  it('tells once of a link elsewhere, also when its request fails behind the answer', async () => {
    const browser: Browser = await launchChromium();
    try {
      const context = await browser.newContext();
      const addresses = await LocalAddresses.keep(context);
      const page = await context.newPage();
      await page.goto(local('/page'));
      const told: unknown[] = [];
      // The context learns of it before the page.
      context.on('requestfailed', () => told.push(addresses.take()));
      page.on('requestfailed', () => told.push(addresses.take()));
      await page.click('#out');
      await expect.poll(() => told).toHaveLength(2);
      expect(told).toEqual([expect.objectContaining({ code: 'URL_BLOCKED' }), undefined]);
      expect(page.url()).toBe(local('/page'));
    } finally {
      await browser.close();
    }
  });

  it('leaves a page that a redirect led elsewhere, where the browser has no switch for it', async () => {
    const browser: Browser = await launchChromium();
    try {
      const context = await browser.newContext();
      const addresses = await LocalAddresses.keep(context);
      const page = await context.newPage();
      await page.goto(local('/away')).catch(() => {});
      await page.waitForURL('about:blank');
      expect(addresses.take()).toMatchObject({ code: 'URL_BLOCKED', details: { url: external('/there') } });
      expect(addresses.take()).toBeUndefined();
      expect(reached).toEqual(['/there']);
    } finally {
      await browser.close();
    }
  });
});
