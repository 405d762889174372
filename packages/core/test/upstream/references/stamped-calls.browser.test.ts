// @module-tag at-length
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buttonPage, referenceIn, StampedFixture, textOf } from './stamped-fixture.js';

const OUTDATED = { code: 'ELEMENT_NOT_FOUND', message: expect.stringContaining('from before a navigation') };

/** Stamps while calls are given up, overlap, or meet a page that does not answer. */
describe('stamped calls', () => {
  let fixture: StampedFixture;
  let other: string;

  beforeAll(async () => {
    fixture = await StampedFixture.start();
    other = fixture.serve('/other', buttonPage('Delete everything'));
  });

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /** A button far down that something lies on: a click scrolls to it and waits for it to become free. */
  const covered = buttonPage(
    'Save',
    '<div style="position:fixed;inset:0"></div><style>button { margin-top: 3000px }</style>',
  );

  it.each(['given up', 'still awaited'])(
    'keeps a click that is %s from hitting the next page',
    async (how) => {
      await using session = await fixture.session();
      const page = await session.context.newPage();
      await page.setContent(covered);
      const target = await session.reference('button "Save"');
      const caller = new AbortController();
      const click = session.call('browser_click', { target }, caller.signal).catch((error: unknown) => error);
      // The click has begun: it has scrolled to the button.
      await page.waitForFunction(() => scrollY > 0);
      if (how === 'given up') {
        caller.abort();
        expect(await click).toMatchObject({ code: 'CANCELLED' });
      }
      await page.goto(other);
      const now = await session.reference('button "Delete everything"');
      expect(now.slice(4)).toBe(target.slice(4));
      await session.idle();
      expect(await page.locator('[data-clicked]').count()).toBe(0);
      await session.call('browser_click', { target: now });
      expect(await page.locator('[data-clicked]').count()).toBe(1);
    },
  );

  it('gives no good reference for a snapshot whose page is gone before the answer is back', async () => {
    await using session = await fixture.session();
    const page = await session.context.newPage();
    await page.setContent(buttonPage('Save'));
    session.onAnswer = () => page.goto(other);
    const late = await session.reference('button "Save"');
    session.onAnswer = undefined;
    await expect(session.call('browser_click', { target: late })).rejects.toMatchObject(OUTDATED);
    const now = await session.reference('button "Delete everything"');
    expect(now.slice(4)).toBe(late.slice(4));
    await expect(session.call('browser_click', { target: late })).rejects.toMatchObject(OUTDATED);
    expect(await page.locator('[data-clicked]').count()).toBe(0);
  });

  it('runs nothing for a caller that has left before its turn', async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: other });
    const target = await session.reference('button');
    await expect(session.call('browser_click', { target }, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(await session.context.pages()[0]?.locator('[data-clicked]').count()).toBe(0);
  });

  it('takes a page that does not answer for changed, and does not wait for it', async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: other });
    const target = await session.reference('button');
    const page = session.context.pages()[0];
    const navigated = page?.waitForEvent('framenavigated');
    await page?.evaluate(() => {
      history.pushState({}, '', '/busy');
      setTimeout(() => {
        for (;;);
      });
    });
    await navigated;
    await expect(session.call('browser_click', { target })).rejects.toMatchObject(OUTDATED);
    await page?.close();
  });

  it('reaches upstream’s choice of the page without a pause in which a tab could change', async () => {
    const context = await fixture.browser.newContext();
    const tools = await fixture.plainTools(context);
    const signal = new AbortController().signal;
    await tools.callTool('browser_navigate', { url: other }, signal);
    const target = referenceIn(textOf(await tools.callTool('browser_snapshot', {}, signal)), 'button');
    const page = context.pages()[0] as unknown as { getByRef(ref: string): unknown };
    const { getByRef } = page;
    let paused: boolean | undefined;
    let timePassed = false;
    page.getByRef = (ref) => {
      paused = timePassed;
      return getByRef.call(page, ref);
    };
    setImmediate(() => {
      timePassed = true;
    });
    await tools.callTool('browser_hover', { target }, signal);
    expect(paused).toBe(false);
    await tools[Symbol.asyncDispose]();
    await context.close();
  });

  it('leaves no listener on the context and its pages', async () => {
    const context = await fixture.browser.newContext();
    const page = await context.newPage();
    const counts = (emitter: object, ...events: string[]) =>
      events.map((event) => (emitter as NodeJS.EventEmitter).listenerCount(event));
    const listeners = () => [
      counts(context, 'page'),
      counts(page, 'close', 'framenavigated', 'frameattached', 'framedetached'),
      counts(fixture.browser, 'context'),
    ];
    const before = listeners();
    {
      await using session = await fixture.session(context);
      await session.call('browser_navigate', { url: other });
      await session.call('browser_tabs', { action: 'new', url: other });
      await session.reference('button');
      await context.pages()[1]?.close();
    }
    expect(listeners()).toEqual(before);
    await context.close();
  });
});
