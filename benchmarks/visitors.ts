import { BrowserPool, PlaywrightPlugin } from '@crawlee/browser-pool';
import { BrowserPools } from '@pwpool/core';
import { type BrowserContext, chromium, type Page } from 'playwright';
import puppeteer from 'puppeteer';
import { Cluster } from 'puppeteer-cluster';
import { executablePath, launch } from './browser.js';

/** Somebody who visits pages, several at a time, and waits inside for a browser to do so. */
export interface Visitor extends AsyncDisposable {
  /** Opens the page, reads its title and takes a snapshot of it. @returns the title */
  visit(url: string): Promise<string>;
}

const NO_SANDBOX = ['--no-sandbox'];

async function look(page: Page, url: string): Promise<string> {
  await page.goto(url);
  const title = await page.title();
  await page.locator('body').ariaSnapshot();
  return title;
}

/** What nothing that manages browsers can be below: a page each that is never cleaned. */
export async function rawReused(atOnce: number): Promise<Visitor> {
  const browser = await launch();
  const pages = await Promise.all(
    Array.from({ length: atOnce }, async () => await (await browser.newContext()).newPage()),
  );
  return {
    async visit(url) {
      const page = pages.pop();
      if (!page) throw new Error('More visits at once than pages.');
      const title = await look(page, url);
      pages.push(page);
      return title;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

export async function rawFresh(): Promise<Visitor> {
  const browser = await launch();
  return {
    async visit(url) {
      const context: BrowserContext = await browser.newContext();
      const title = await look(await context.newPage(), url);
      await context.close();
      return title;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** A lease for each visit. */
export async function pwpool(
  atOnce: number,
  outputDir: string,
  { keep, packed }: { keep: boolean; packed: boolean },
): Promise<Visitor> {
  const pool = {
    instances: atOnce,
    contextsPerBrowser: packed ? atOnce : 1,
    isDefault: true,
    isolated: true,
    reset: keep ? ('never' as const) : ('lease' as const),
  };
  const pools = await BrowserPools.create({ outputDir, pools: { POOL: { executablePath, ...pool } } });
  return {
    async visit(url) {
      await using lease = await pools.lease({ keep });
      return await look(await lease.page(), url);
    },
    [Symbol.asyncDispose]: () => pools.close(),
  };
}

/** `page`: a new page for each visit, the state of all in one; `context`: a new context for each. */
export async function puppeteerCluster(atOnce: number, mode: 'page' | 'context'): Promise<Visitor> {
  const cluster: Cluster<string, string> = await Cluster.launch({
    concurrency: mode === 'page' ? Cluster.CONCURRENCY_PAGE : Cluster.CONCURRENCY_CONTEXT,
    maxConcurrency: atOnce,
    puppeteer,
    // Over a pipe, as Playwright's: a browser whose benchmark was killed ends with it.
    puppeteerOptions: { executablePath, args: NO_SANDBOX, pipe: true },
  });
  await cluster.task(async ({ page, data }) => {
    await page.goto(data);
    const title = await page.title();
    await page.accessibility.snapshot();
    return title;
  });
  return {
    visit: (url) => cluster.execute(url),
    async [Symbol.asyncDispose]() {
      await cluster.idle();
      await cluster.close();
    },
  };
}

/** Crawlee's, each page in a context of its own. */
export async function crawleeBrowserPool(atOnce: number): Promise<Visitor> {
  const pool = new BrowserPool({
    browserPlugins: [
      new PlaywrightPlugin(chromium, {
        useIncognitoPages: true,
        launchOptions: { executablePath, headless: true },
      }),
    ],
    useFingerprints: false,
    maxOpenPagesPerBrowser: atOnce,
    // As the others': one that is never replaced.
    retireBrowserAfterPageCount: Number.MAX_SAFE_INTEGER,
  });
  return {
    async visit(url) {
      const page = await pool.newPage();
      const title = await look(page, url);
      await page.close();
      return title;
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
