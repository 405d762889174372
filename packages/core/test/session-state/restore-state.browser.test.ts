import { describe, expect, it } from 'vitest';
import { restoreState } from '../../src/session/state/restore-state.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { errorOf } from '../pool/pool-fixture.js';
import {
  browserAndSite,
  greeting,
  newContext,
  options,
  stateOfAda,
  storedAtStart,
} from './browser-fixture.js';
import { startLoginSite } from './login-site.js';

const shared = browserAndSite();

const DRAFT = [{ name: 'draft', value: 'half a letter' }];

describe('a restored session', () => {
  it('is logged in, and its page finds all storage at its first script', async () => {
    const context = await newContext(shared.browser);
    const answer = await restoreState(context, stateOfAda(shared.site), options());
    expect(answer).toEqual({ restoredUrl: `${shared.site.origin}/home`, failed: [] });
    const [page, ...others] = context.pages();
    if (!page) throw new Error('No page was opened.');
    expect(others).toEqual([]);
    expect(await greeting(page)).toBe('Hello, Ada');
    const stored = { local: { theme: 'dark' }, session: { draft: 'half a letter' } };
    expect(await storedAtStart(page)).toEqual(stored);
  });

  it('keeps in its sessionStorage what the site does with it, and shows it to no other tab', {
    tags: ['at-length'],
  }, async () => {
    const context = await newContext(shared.browser);
    await restoreState(context, stateOfAda(shared.site), options());
    const [page] = context.pages();
    if (!page) throw new Error('No page was opened.');
    const newTab = await context.newPage();
    await newTab.goto(`${shared.site.origin}/home`);
    expect(await storedAtStart(newTab)).toMatchObject({ session: {} });
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    expect(await storedAtStart(page)).toMatchObject({ session: {} });
    await page.goto(`${shared.site.origin}/home?again`);
    expect(await storedAtStart(page)).toMatchObject({ session: {} });
  });

  it('has a history as if each page had been opened once', { tags: ['at-length'] }, async () => {
    const plain = await (await newContext(shared.browser)).newPage();
    await plain.goto(`${shared.site.origin}/home`);
    const expected = await plain.evaluate(() => history.length);
    for (const url of [`${shared.site.origin}/home`, `${shared.site.origin}/home#chapter`]) {
      const context = await newContext(shared.browser);
      await restoreState(
        context,
        stateOfAda(shared.site, { pages: [{ url, sessionStorage: DRAFT }] }),
        options(),
      );
      const [page] = context.pages();
      expect(await page?.evaluate(() => history.length)).toBe(expected);
      expect(page?.url()).toBe(url);
      expect(await page?.locator('h1').textContent()).toBe('Hello, Ada');
    }
  });

  it('has its tabs in order, the current one first, each with its own sessionStorage', async () => {
    const context = await newContext(shared.browser);
    const pages = [
      { url: `${shared.site.origin}/home?current`, sessionStorage: DRAFT },
      { url: 'about:blank', sessionStorage: [] },
      { url: `${shared.site.origin}/home?third`, sessionStorage: [{ name: 'draft', value: 'third' }] },
    ];
    const answer = await restoreState(context, stateOfAda(shared.site, { pages }), options());
    expect(answer).toEqual({ restoredUrl: `${shared.site.origin}/home?current`, failed: [] });
    const tabs = context.pages();
    expect(tabs.map((page) => page.url())).toEqual(pages.map(({ url }) => url));
    expect(await tabs[0]?.evaluate(() => sessionStorage.getItem('draft'))).toBe('half a letter');
    expect(await tabs[2]?.evaluate(() => sessionStorage.getItem('draft'))).toBe('third');
  });

  it('leaves a cookie out that has ended meanwhile', async () => {
    const context = await newContext(shared.browser);
    const state = stateOfAda(shared.site);
    const ended = state.cookies.map((cookie) => ({ ...cookie, name: 'remember', expires: 1_000_000_000 }));
    const answer = await restoreState(
      context,
      { ...state, cookies: [...state.cookies, ...ended] },
      options(),
    );
    expect(answer.failed).toEqual([]);
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['sid']);
  });
});

describe('what does not come back', () => {
  it('is told of a page whose site is down, without what its URL may hide', async () => {
    const down = await startLoginSite();
    await down[Symbol.asyncDispose]();
    const context = await newContext(shared.browser);
    const pages = [{ url: `${down.origin}/home?token=t`, sessionStorage: [] }];
    const answer = await restoreState(context, stateOfAda(shared.site, { pages }), options());
    expect(answer.restoredUrl).toBeNull();
    expect(answer.failed).toEqual([
      expect.stringContaining(`The page ${down.origin}/home was not opened again: `),
    ]);
    expect(answer.failed[0]).toContain('ERR_CONNECTION_REFUSED');
    expect(answer.failed[0]).not.toContain('token');
    const page = await context.newPage();
    await page.goto(`${shared.site.origin}/home`);
    expect(await greeting(page)).toBe('Hello, Ada');
  });

  it('is told of an address that cannot be opened', async () => {
    const context = await newContext(shared.browser);
    const pages = [{ url: 'chrome-error://chromewebdata/', sessionStorage: [] }];
    const { restoredUrl, failed } = await restoreState(
      context,
      stateOfAda(shared.site, { pages }),
      options(),
    );
    expect(restoredUrl).toBeNull();
    expect(failed).toHaveLength(1);
  });

  it.each([
    ['without sessionStorage', []],
    ['with sessionStorage', DRAFT],
  ])('is told of a page that never answers, and the page is of use again (%s)', async (_, sessionStorage) => {
    const context = await newContext(shared.browser);
    const clock = new FakeClock();
    const pages = [
      { url: `${shared.site.origin}/home`, sessionStorage: [] },
      { url: `${shared.site.origin}/never`, sessionStorage },
    ];
    const before = shared.site.unanswered();
    const restoring = restoreState(context, stateOfAda(shared.site, { pages }), { clock, timeoutMs: 5_000 });
    await expect.poll(() => shared.site.unanswered()).toBe(before + 1);
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await clock.advance(5_000);
    expect(await restoring).toEqual({
      restoredUrl: `${shared.site.origin}/home`,
      failed: [
        `The page ${shared.site.origin}/never was not opened again: The saved state was not restored within 5000 ms.`,
      ],
    });
    expect(clock.pendingTimers).toBe(0);
    const page = context.pages()[1];
    // Playwright answers no such question while the navigation is pending.
    expect(await page?.evaluate(() => true)).toBe(true);
    await page?.goto(`${shared.site.origin}/home`);
    expect(await page?.locator('h1').textContent()).toBe('Hello, Ada');
  });

  it('is told of databases that the browser refuses, which cost no login', {
    tags: ['at-length'],
  }, async () => {
    const context = await newContext(shared.browser);
    const record = { key: 1, value: 'twice' };
    const stores = [{ name: 's', autoIncrement: false, records: [record, record], indexes: [] }];
    const origins = [
      {
        origin: shared.site.origin,
        localStorage: DRAFT,
        indexedDB: [{ name: 'broken', version: 1, stores }],
      },
    ];
    const answer = await restoreState(context, stateOfAda(shared.site, { origins }), options());
    expect(answer).toEqual({
      restoredUrl: `${shared.site.origin}/home`,
      failed: ['IndexedDB was not restored: the browser refused it.'],
    });
    expect(await context.pages()[0]?.evaluate(() => localStorage.getItem('draft'))).toBe('half a letter');
  });

  it('is an error when it is the login, without the secret in it', async () => {
    const context = await newContext(shared.browser);
    const state = stateOfAda(shared.site);
    const cookies = state.cookies.map((cookie) => ({ ...cookie, expires: -7 }));
    const error = await errorOf(restoreState(context, { ...state, cookies }, options()));
    expect(error.code).toBe('EXECUTION_ERROR');
    expect(JSON.stringify(error)).not.toContain('secret-of-ada');
  });

  it('is nothing when the caller has given up before', async () => {
    const context = await newContext(shared.browser);
    const restoring = restoreState(context, stateOfAda(shared.site), {
      ...options(),
      signal: AbortSignal.abort(),
    });
    expect((await errorOf(restoring)).code).toBe('CANCELLED');
    expect(await context.cookies()).toEqual([]);
  });
});
