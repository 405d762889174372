import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { type BrowserState, browserStateSchema } from '../../src/session/state/browser-state.js';
import { captureState } from '../../src/session/state/capture-state.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { errorOf } from '../pool/pool-fixture.js';
import { browserAndSite, logIn, newContext, options, stateOfAda } from './browser-fixture.js';

const shared = browserAndSite();

/** Keeps the page's only thread busy until the site closes the connection. */
function hang(page: Page): void {
  const block = () => {
    const request = new XMLHttpRequest();
    request.open('GET', '/never', false);
    request.send();
  };
  page.evaluate(block).catch(() => {});
}

describe('a full capture', () => {
  it('holds cookies, localStorage and IndexedDB of every site, and each tab with its own sessionStorage', async () => {
    const context = await newContext(shared.browser);
    await logIn(context, shared.site.otherOrigin);
    const first = await logIn(context, shared.site.origin);
    await first.goto(`${shared.site.origin}/home?tab=1#here`);
    const second = await context.newPage();
    await second.goto(`${shared.site.origin}/home?tab=2`);
    await second.evaluate(() => sessionStorage.setItem('draft', 'another letter'));
    const opened: Page[] = [];
    // This site has no page any more.
    await context.pages()[0]?.close();
    context.on('page', (page) => opened.push(page));

    const state = await captureState(context, { ...options(), pages: [second, first] });

    expect(browserStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(
      JSON.parse(JSON.stringify(state)),
    );
    expect(state.capturedAt).toBe('2026-01-02T10:15:30.000Z');
    expect(state.incomplete).toEqual([]);
    expect(state.pages).toEqual([
      {
        url: `${shared.site.origin}/home?tab=2`,
        sessionStorage: [{ name: 'draft', value: 'another letter' }],
      },
      {
        url: `${shared.site.origin}/home?tab=1#here`,
        sessionStorage: [{ name: 'draft', value: 'half a letter' }],
      },
    ]);
    expect(state.cookies.map(({ name, domain, httpOnly }) => ({ name, domain, httpOnly }))).toEqual(
      expect.arrayContaining([
        { name: 'sid', domain: '127.0.0.1', httpOnly: true },
        { name: 'remember', domain: '127.0.0.1', httpOnly: false },
        { name: 'sid', domain: 'other.localhost', httpOnly: true },
      ]),
    );
    expect(state.cookies.find(({ name }) => name === 'sid')?.expires).toBe(-1);
    expect(state.origins.map(({ origin }) => origin).sort()).toEqual(
      [shared.site.origin, shared.site.otherOrigin].sort(),
    );
    for (const origin of state.origins) {
      expect(origin.localStorage).toEqual([{ name: 'theme', value: 'dark' }]);
      expect(origin.indexedDB).toMatchObject([{ name: 'letters', version: 3 }]);
    }
    expect(opened).toEqual([]);
    expect(context.pages()).toEqual([first, second]);
  });

  it('takes no harm from pages that have no storage', { tags: ['at-length'] }, async () => {
    const context = await newContext(shared.browser);
    const urls = [
      'about:blank',
      'data:text/html,text',
      `${shared.site.origin}/sandboxed?token=t`,
      `${shared.site.origin}/home`,
    ];
    for (const url of urls) await (await context.newPage()).goto(url);
    const state = await captureState(context, options());
    expect(state.pages.map(({ url }) => url)).toEqual(urls);
    expect(state.pages.flatMap(({ sessionStorage }) => sessionStorage)).toEqual([]);
    expect(state.incomplete).toEqual([
      `The storage of the page ${shared.site.origin}/sandboxed: the page did not give it.`,
    ]);
  });

  it('does without the storage of a page that hangs, and says so', async () => {
    const context = await newContext(shared.browser);
    const hanging = await logIn(context, shared.site.origin);
    await logIn(context, shared.site.otherOrigin);
    await hanging.goto(`${shared.site.origin}/home?token=t`);
    hang(hanging);
    const clock = new FakeClock();
    const capture = captureState(context, { clock, timeoutMs: 2_000, previous: stateOfAda(shared.site) });
    // The cookies and the other page have come when one wait is left.
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await clock.advance(1_000);

    const state = await capture;
    expect(state.incomplete).toEqual([
      `The storage of the page ${shared.site.origin}/home: The page did not answer within 1000 ms.`,
      'IndexedDB, and the storage of sites without an open page: as of 2026-01-02T10:15:30.000Z.',
    ]);
    expect(state.cookies.map(({ name }) => name)).toContain('sid');
    expect(state.pages.map(({ url }) => url)).toEqual([
      `${shared.site.origin}/home?token=t`,
      `${shared.site.otherOrigin}/login`,
    ]);
    const stored = [{ name: 'theme', value: 'dark' }];
    expect(state.origins).toEqual([
      { origin: shared.site.origin, localStorage: stored },
      { origin: shared.site.otherOrigin, localStorage: stored },
    ]);
    expect(clock.pendingTimers).toBe(0);
    await hanging.close();
  });

  it('does without IndexedDB when a database cannot be read, and says so', {
    tags: ['at-length'],
  }, async () => {
    const context = await newContext(shared.browser);
    const page = await logIn(context, shared.site.origin);
    // Playwright refuses a database whose name is empty.
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          indexedDB.open('', 1).onsuccess = resolve;
        }),
    );
    const state = await captureState(context, options());
    expect(state.incomplete).toEqual(['IndexedDB: the browser did not give it.']);
    expect(state.origins).toEqual([
      { origin: shared.site.origin, localStorage: [{ name: 'theme', value: 'dark' }] },
    ]);
  });

  it('keeps names and values as they are, also those that are empty, odd or no valid text', async () => {
    const context = await newContext(shared.browser);
    const page = await context.newPage();
    await page.goto(`${shared.site.origin}/home`);
    const items = [
      ['', 'empty name'],
      ['empty value', ''],
      ['length', '"quotes", \\ and \n lines'],
      ['__proto__', '\ud83d\ude00'],
      // Text that was compressed by a script is often like this.
      ['half of a pair', '\ud83d'],
    ] as const;
    await page.evaluate((all) => {
      Object.assign(Array.prototype, { toJSON: () => 'patched' });
      for (const [name, value] of all) sessionStorage.setItem(name, value);
      sessionStorage.setItem('half of a pair', String.fromCharCode(0xd83d));
    }, items);
    const state = await captureState(context, options());
    const found = state.pages[0]?.sessionStorage.map(({ name, value }) => [name, value]).sort();
    expect(found).toEqual([...items].map((item) => [...item]).sort());
  });

  it('does not believe a page that claims to be another site', async () => {
    const context = await newContext(shared.browser);
    const page = await context.newPage();
    await page.goto(`${shared.site.origin}/home`);
    await page.evaluate((other) => {
      localStorage.setItem('planted', 'here');
      const { push } = Array.prototype;
      Array.prototype.push = function (...items: { k?: unknown; v?: unknown }[]) {
        for (const item of items) if (item.k === 'origin') item.v = other;
        return push.apply(this, items);
      };
    }, shared.site.otherOrigin);
    const state = await captureState(context, { ...options(), quick: true });
    expect(state.origins).toEqual([]);
    expect(state.incomplete).toContain(
      `The storage of the page ${shared.site.origin}/home: the page went elsewhere.`,
    );
  });

  it('ends when its caller gives up, and leaves no timer', { tags: ['at-length'] }, async () => {
    const context = await newContext(shared.browser);
    const page = await logIn(context, shared.site.origin);
    hang(page);
    const caller = new AbortController();
    const clock = new FakeClock();
    const capture = errorOf(captureState(context, { clock, timeoutMs: 2_000, signal: caller.signal }));
    await expect.poll(() => clock.pendingTimers).toBe(1);
    caller.abort();
    expect((await capture).code).toBe('CANCELLED');
    expect(clock.pendingTimers).toBe(0);
    await page.close();
  });

  it('says that the browser is gone when it is', async () => {
    const context = await shared.browser.newContext();
    await context.close();
    expect((await errorOf(captureState(context, options()))).code).toBe('BROWSER_NOT_READY');
  });
});

describe('a quick capture', () => {
  it('reads the open pages, and takes the rest from the previous state', {
    tags: ['at-length'],
  }, async () => {
    const context = await newContext(shared.browser);
    const page = await logIn(context, shared.site.otherOrigin);
    await page.goto(`${shared.site.origin}/login`);
    await page.waitForFunction('window.filled');
    const previous = await captureState(context, options());
    await page.evaluate(() => localStorage.setItem('theme', 'light'));

    const state = await captureState(context, { ...options(), quick: true, previous });
    const byOrigin = new Map(state.origins.map((origin) => [origin.origin, origin]));
    expect(byOrigin.get(shared.site.origin)).toMatchObject({
      localStorage: [{ name: 'theme', value: 'light' }],
      indexedDB: [{ name: 'letters' }],
    });
    expect(byOrigin.get(shared.site.otherOrigin)).toMatchObject({
      localStorage: [{ name: 'theme', value: 'dark' }],
      indexedDB: [{ name: 'letters' }],
    });
    expect(state.incomplete).toEqual([
      `IndexedDB, and the storage of sites without an open page: as of ${previous.capturedAt}.`,
    ]);
  });

  it('tells how old that rest is, however many quick captures lie between', {
    tags: ['at-length'],
  }, async () => {
    const context = await newContext(shared.browser);
    await logIn(context, shared.site.origin);
    const sites = 'IndexedDB, and the storage of sites without an open page';
    const clock = new FakeClock();
    const capture = async (previous?: BrowserState) => {
      const state = await captureState(context, { clock, timeoutMs: 10_000, quick: true, previous });
      await clock.advance(60_000);
      return state;
    };
    for (const [first, told] of [
      [await capture(), 'not read'],
      [await capture(stateOfAda(shared.site)), 'as of 2026-01-02T10:15:30.000Z'],
    ] as const) {
      const second = await capture(first);
      expect(second.capturedAt > first.capturedAt).toBe(true);
      expect((await capture(second)).incomplete).toEqual([`${sites}: ${told}.`]);
    }
  });

  it('says that the rest has no IndexedDB if the browser did not give it', async () => {
    const context = await newContext(shared.browser);
    const incomplete = ['IndexedDB: the browser did not give it.'];
    const previous = stateOfAda(shared.site, { incomplete });
    expect((await captureState(context, { ...options(), quick: true, previous })).incomplete).toEqual(
      incomplete,
    );
  });

  it('forgets the storage that a site has cleared', { tags: ['at-length'] }, async () => {
    const context = await newContext(shared.browser);
    const page = await context.newPage();
    await page.goto(`${shared.site.origin}/home`);
    const state = await captureState(context, {
      ...options(),
      quick: true,
      previous: stateOfAda(shared.site),
    });
    expect(state.origins).toEqual([]);
  });
});
