import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { BrowserState } from '../../src/session/state/browser-state.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { launchChromium } from '../driver/fixtures/browsers.js';
import { type LoginSite, startLoginSite } from './login-site.js';

/** What the tests of a file share. */
interface Shared {
  browser: Browser;
  site: LoginSite;
}

/** A browser and a site, there from before the first test of a file until after the last. */
export function browserAndSite(): Readonly<Shared> {
  const shared: Partial<Shared> = {};
  beforeAll(async () => {
    shared.site = await startLoginSite();
    shared.browser = await launchChromium();
  });
  afterAll(async () => {
    await shared.browser?.close();
    await shared.site?.[Symbol.asyncDispose]();
  });
  const there = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('It is there in tests only.');
    return part;
  };
  return {
    get browser() {
      return there(shared.browser);
    },
    get site() {
      return there(shared.site);
    },
  };
}

/** Of a capture or a restore. A clock that stands still is a deadline that never comes. */
export const options = () => ({ clock: new FakeClock(), timeoutMs: 10_000 });

/** A context of the running test's own, closed after it. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  return context;
}

/** A page where Ada has just logged in. */
export async function logIn(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/login`);
  await page.waitForFunction('window.filled');
  return page;
}

export async function greeting(page: Page): Promise<string | null> {
  return await page.locator('h1').textContent();
}

/** What the page's first script found. */
export async function storedAtStart(page: Page): Promise<unknown> {
  return await page.evaluate('window.atStart');
}

/** Ada's login, as a capture gives it. */
export function stateOfAda(site: LoginSite, changes: Partial<BrowserState> = {}): BrowserState {
  return {
    version: 1,
    capturedAt: '2026-01-02T10:15:30.000Z',
    cookies: [
      {
        name: 'sid',
        value: 'secret-of-ada',
        domain: '127.0.0.1',
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: 'Lax',
      },
    ],
    origins: [{ origin: site.origin, localStorage: [{ name: 'theme', value: 'dark' }] }],
    pages: [{ url: `${site.origin}/home`, sessionStorage: [{ name: 'draft', value: 'half a letter' }] }],
    incomplete: [],
    ...changes,
  };
}
