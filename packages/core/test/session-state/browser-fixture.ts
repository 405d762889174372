import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { discoverBrowser } from '../../src/driver/launch/browser-discovery.js';
import type { BrowserState } from '../../src/session/state/browser-state.js';
import type { LoginSite } from './login-site.js';

export async function launchBrowser(): Promise<Browser> {
  const { executablePath } = discoverBrowser({ browser: 'chromium' });
  return await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
    ],
  });
}

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
