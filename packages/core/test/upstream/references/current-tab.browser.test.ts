import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CurrentTab } from '../../../src/upstream/references/current-tab.js';
import { StampedFixture, type StampedSession } from './stamped-fixture.js';

/** Where upstream works is seen by a tool that reads the page; where `currentPage` says that it works must be the same. */
describe('the current page', () => {
  let fixture: StampedFixture;
  let url: Record<'one' | 'two' | 'three' | 'never', string>;
  /** How often the page that never comes was asked for. */
  let asked = 0;

  beforeAll(async () => {
    fixture = await StampedFixture.start();
    const page = (name: string) => fixture.serve(`/${name}`, `<title>${name}</title>`);
    const never = fixture.serve('/never', () => void asked++);
    url = { one: page('one'), two: page('two'), three: page('three'), never };
  });

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const read = (session: StampedSession, expression: string) =>
    session.call('browser_evaluate', { function: `() => ${expression}` });

  async function expectCurrent(session: StampedSession, title: string): Promise<void> {
    expect(await session.tools.currentPage?.title()).toBe(title);
    expect(await read(session, 'document.title')).toContain(`"${title}"`);
  }

  it('is the one that was made or selected last; closing it makes its neighbour the current one', async () => {
    await using session = await fixture.session();
    const tabs = (action: string, more = {}) => session.call('browser_tabs', { action, ...more });
    expect(session.tools.currentPage).toBeUndefined();
    await session.call('browser_navigate', { url: url.one });
    await expectCurrent(session, 'one');
    await tabs('new', { url: url.two });
    await expectCurrent(session, 'two');
    await read(session, `void window.open('${url.three}')`);
    await expect.poll(() => session.context.pages().at(-1)?.title()).toBe('three');
    await expectCurrent(session, 'two');
    await tabs('select', { index: 0 });
    await expectCurrent(session, 'one');
    await tabs('select', { index: 7 });
    await expectCurrent(session, 'one');
    await tabs('select', { index: 1 });
    await tabs('close');
    await expectCurrent(session, 'three');
    await tabs('close', { index: 0 });
    await expectCurrent(session, 'three');
    await tabs('new', { url: url.one });
    await session.context.pages().at(-1)?.close();
    await expectCurrent(session, 'three');
    await tabs('close');
    expect(session.tools.currentPage).toBeUndefined();
    await read(session, '1');
    expect(session.context.pages()).toEqual([session.tools.currentPage]);
  });

  it('is found also beside tabs of an isolated context', { tags: ['at-length'] }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: url.one });
    await session.call('browser_tabs', { action: 'new', isolatedContext: 'other', url: url.two });
    await expectCurrent(session, 'two');
    await session.call('browser_tabs', { action: 'new', url: url.three });
    await expectCurrent(session, 'three');
    await session.call('browser_tabs', { action: 'select', index: 1 });
    await expectCurrent(session, 'two');
  });

  it('is a new tab also when its page does not open, or its caller has left', async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: url.one });
    await session.call('browser_tabs', { action: 'new', url: 'http://127.0.0.1:1/' });
    expect(session.tools.currentPage).toBe(session.context.pages()[1]);
    asked = 0;
    const caller = new AbortController();
    const call = session.call('browser_tabs', { action: 'new', url: url.never }, caller.signal);
    await expect.poll(() => asked).toBe(1);
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(session.tools.currentPage).toBe(session.context.pages()[2]);
    // Another navigation ends the one that hangs.
    await session.tools.currentPage?.goto(url.two);
    await expectCurrent(session, 'two');
  });

  it('is of its own context, whatever is opened in another one meanwhile', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: url.one });
    asked = 0;
    const opened = session.call('browser_tabs', { action: 'new', url: url.never }).catch(() => {});
    await expect.poll(() => asked).toBe(1);
    await using other = await fixture.session();
    await other.call('browser_navigate', { url: url.two });
    const current = session.tools.currentPage;
    expect(current).toBe(session.context.pages()[1]);
    await current?.goto(url.three);
    await opened;
    await session.call('browser_tabs', { action: 'new' });
    await session.call('browser_tabs', { action: 'select', index: 1 });
    await expectCurrent(session, 'three');
    await session.call('browser_tabs', { action: 'select', index: 2 });
    expect(session.tools.currentPage).toBe(session.context.pages()[2]);
  });

  it('is unknown when the selected tab closes before upstream has answered, until one is chosen', async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: url.one });
    for (const name of ['two', 'three'] as const)
      await session.call('browser_tabs', { action: 'new', url: url[name] });
    const tab = new CurrentTab();
    for (const page of session.context.pages()) tab.opened(page);
    const [one, two] = session.context.pages();
    if (!one || !two) throw new Error('There are pages.');
    const end = tab.follow({ action: 'select', index: 1 });
    tab.closed(two);
    end(false);
    expect(tab.page).toBeUndefined();
    tab.follow({ action: 'select', index: 0 })(false);
    expect(tab.page).toBe(one);
  });
});
