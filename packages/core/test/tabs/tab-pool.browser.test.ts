import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { TabPool } from '../../src/tabs/tab-pool.js';

/** With a real browser: what the tabs of one operation leave for the next. */
describe('the tabs of a browser', () => {
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html').end(`<title>${request.url}</title>`);
  });
  let directory: string;
  let origin: string;
  let pools: BrowserPools;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pwpool-tabs-'));
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const pool = { instances: 1, isDefault: true, lazy: true, isolated: true };
    pools = await BrowserPools.create({ outputDir: directory, pools: { DEFAULT: pool } });
  });

  afterAll(async () => {
    await pools.close();
    site.close();
    site.closeAllConnections();
    await rm(directory, { recursive: true, force: true });
  });

  it('two operations never share a page, and both see the cookies of the lease [004-tab-01, 004-tab-04]', async () => {
    await using lease = await pools.lease();
    const own = await lease.page();
    await own.goto(`${origin}/own`);
    await own.evaluate("document.cookie = 'who=ada'");
    await using tabs = new TabPool(lease, { maxTabs: 2 });
    const reached = { count: 0, all: () => {} };
    const both = new Promise<void>((resolve) => {
      reached.all = resolve;
    });
    const visit = async (name: string) =>
      await tabs.use(async (page) => {
        await page.goto(`${origin}/${name}`);
        reached.count += 1;
        if (reached.count === 2) reached.all();
        await both;
        return `${await page.title()} ${await page.evaluate('document.cookie')}`;
      });
    expect(await Promise.all([visit('a'), visit('b')])).toEqual(['/a who=ada', '/b who=ada']);
    expect(lease.context().pages()).toEqual([own]);
    expect(await own.title()).toBe('/own');
  });

  it('MAX_TABS of the leased instance is how many are lent at a time, unless the program says otherwise [004-tab-02, 004-tab-04]', async () => {
    const instances = { instances: 2, contextsPerBrowser: 2, instance: { 1: { maxTabs: 2 } } };
    const web = { ...instances, lazy: true, isolated: true };
    await using own = await BrowserPools.create({ outputDir: directory, pools: { WEB: web } });
    await using lease = await own.lease({ instance: '1' });
    await using tabs = new TabPool(lease);
    await using _first = await tabs.borrow();
    await using _second = await tabs.borrow();
    await expect(tabs.borrow({ timeoutMs: 1 })).rejects.toMatchObject({ code: 'LEASE_TIMEOUT' });
    await using fewer = new TabPool(lease, { maxTabs: 1 });
    expect(fewer.maxTabs).toBe(1);
    await using other = await own.lease({ instance: '0' });
    await using unset = new TabPool(other);
    expect(unset.maxTabs).toBe(1);
  });

  it('the next operation finds a blank page, whatever the one before did to its own [004-tab-03]', async () => {
    await using lease = await pools.lease();
    const before = lease.context().pages().length;
    await using tabs = new TabPool(lease);
    const next = async () =>
      await tabs.use(async (page) => [page.url(), await page.evaluate('window.name'), await page.title()]);

    await tabs.use(async (page) => {
      await page.goto(`${origin}/named`);
      await page.evaluate("window.name = 'left behind'");
      const popup = page.waitForEvent('popup');
      await page.evaluate("void window.open('/popup')");
      await popup;
    });
    expect(await next()).toEqual(['about:blank', '', '']);

    await tabs.use((page) => page.close());
    expect(await next()).toEqual(['about:blank', '', '']);

    await tabs.use(async (page) => {
      const crash = page.waitForEvent('crash');
      page.goto('chrome://crash').catch(() => {});
      await crash;
    });
    expect(await next()).toEqual(['about:blank', '', '']);

    await tabs.use(async (page) => {
      await page.goto(`${origin}/busy`);
      const begun = page.waitForEvent('console');
      page.evaluate("console.log('begun'); for (;;);").catch(() => {});
      await begun;
    });
    expect(await next()).toEqual(['about:blank', '', '']);
    expect(lease.context().pages()).toHaveLength(before);
  });

  it('a browser that dies is told to those who wait for a tab', async () => {
    const lease = await pools.lease();
    const tabs = new TabPool(lease);
    await using _tab = await tabs.borrow();
    const waiting = tabs.borrow();
    const told = expect(waiting).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    const { process_id: pid } = pools.status().pools[0]?.instances[0] ?? {};
    process.kill(pid ?? Number.NaN, 'SIGKILL');
    await told;
    await expect(tabs.borrow()).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    await tabs[Symbol.asyncDispose]();
    await lease.release();
  });
});
