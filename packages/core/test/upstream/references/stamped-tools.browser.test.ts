import { readdir, readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buttonPage, referenceIn, StampedFixture, type StampedSession } from './stamped-fixture.js';

const OUTDATED = { code: 'ELEMENT_NOT_FOUND', message: expect.stringContaining('from before a navigation') };
const FOREIGN = { code: 'ELEMENT_NOT_FOUND', message: expect.stringContaining('from another session') };
const UNKNOWN = {
  code: 'ELEMENT_NOT_FOUND',
  message: expect.stringContaining('not a reference that pwpool'),
};

/** Element references that belong to one session and one page load, against real pages. */
describe('stampTools', () => {
  let fixture: StampedFixture;
  let one: string;
  let two: string;

  beforeAll(async () => {
    fixture = await StampedFixture.start();
    one = fixture.serve('/one', buttonPage('Save', '<a href="/two">on</a>'));
    two = fixture.serve('/two', buttonPage('Delete everything', '<a href="/one">on</a>'));
  });

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const clicked = async ({ context }: StampedSession) =>
    await Promise.all(context.pages().map((page) => page.locator('[data-clicked]').count()));

  it('stamps the references of a snapshot with four letters each and takes them back', async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const snapshot = await session.call('browser_snapshot');
    const references = [...snapshot.matchAll(/\[ref=(\w+)\]/g)].map(([, reference]) => reference);
    expect(references.length).toBeGreaterThan(1);
    for (const reference of references) expect(reference).toMatch(/^[a-z]{4}e\d+$/);
    await session.call('browser_click', { target: referenceIn(snapshot, 'button "Save"') });
    expect(await clicked(session)).toEqual([1]);
  });

  it('refuses a reference from before a navigation, and clicks nothing', async () => {
    await using session = await fixture.session();
    const page = await session.context.newPage();
    await page.setContent(buttonPage('Save'));
    const old = await session.reference('button "Save"');
    await session.call('browser_navigate', { url: two });
    const now = await session.reference('button "Delete everything"');
    // The same number: without the stamp, the click would have hit.
    expect(now.slice(4)).toBe(old.slice(4));
    await expect(session.call('browser_click', { target: old })).rejects.toMatchObject({
      ...OUTDATED,
      hint: expect.stringContaining('browser_snapshot'),
      details: { ref: old },
    });
    expect(await clicked(session)).toEqual([0]);
  });

  it.each([
    ['reload', async ({ context }: StampedSession) => void (await context.pages()[0]?.reload())],
    ['link', async (session: StampedSession) => void (await session.call('browser_click', { target: 'a' }))],
    [
      'way back',
      async (session: StampedSession) => {
        await session.call('browser_navigate', { url: two });
        await session.call('browser_navigate_back');
      },
    ],
    [
      'document that was read before',
      async ({ context }: StampedSession) => void (await context.pages()[0]?.setContent(buttonPage('Other'))),
    ],
  ])('refuses a reference from before a %s', async (what, move) => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const old = await session.reference('button "Save"');
    await move(session);
    if (what === 'document that was read before') {
      // The document is the same one with other content: its numbers go on and name nothing else.
      const answer = await session.call('browser_click', { target: old });
      expect(answer).toContain(`Ref ${old} not found`);
      return;
    }
    await expect(session.call('browser_click', { target: old })).rejects.toMatchObject(OUTDATED);
    await session.call('browser_snapshot');
    await expect(session.call('browser_click', { target: old })).rejects.toMatchObject(OUTDATED);
    expect(await clicked(session)).toEqual([0]);
  });

  it('refuses a reference when the page has moved on by itself', async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const old = await session.reference('button "Save"');
    await session.context.pages()[0]?.goto(two);
    await expect(session.call('browser_click', { target: old })).rejects.toMatchObject(OUTDATED);
    expect(await clicked(session)).toEqual([0]);
  });

  it('keeps references over navigations within the document', async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const old = await session.reference('button "Save"');
    await session.call('browser_evaluate', { function: '() => history.pushState({}, "", "/elsewhere")' });
    await session.call('browser_evaluate', { function: '() => { location.hash = "part" }' });
    expect(await session.reference('button "Save"')).toBe(old);
    await session.context.pages()[0]?.evaluate(() => history.replaceState({}, '', '/third'));
    await session.call('browser_click', { target: old });
    expect(await clicked(session)).toEqual([1]);
  });

  it.each([
    [
      'a background tab was closed',
      async (session: StampedSession, page: Page) => {
        const other = await session.context.newPage();
        await other.goto(two);
        await session.call('browser_tabs', { action: 'close', index: 1 });
        expect(page.isClosed()).toBe(false);
      },
    ],
    [
      'another tab was selected, and back',
      async (session: StampedSession) => {
        await session.call('browser_tabs', { action: 'new', url: two });
        await session.reference('button "Delete everything"');
        await session.call('browser_tabs', { action: 'select', index: 0 });
      },
    ],
    [
      'a log-in pop-up closed itself',
      async ({ context }: StampedSession, page: Page) => {
        const opened = context.waitForEvent('page');
        await page.evaluate((url) => void window.open(url), two);
        const popup = await opened;
        await popup.waitForLoadState();
        const closed = popup.waitForEvent('close');
        await popup.evaluate(() => window.close()).catch(() => {});
        await closed;
      },
    ],
    [
      'another tab navigated',
      async ({ context }: StampedSession) => {
        const other = await context.newPage();
        await other.goto(two);
        await other.goto(one);
      },
    ],
  ])('keeps references while %s [arch-session-03]', async (_, happen) => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const [page] = session.context.pages();
    if (!page) throw new Error('There is a page.');
    const reference = await session.reference('button "Save"');
    await happen(session, page);
    await session.call('browser_click', { target: reference });
    expect(await page.locator('[data-clicked]').count()).toBe(1);
    expect((await clicked(session)).reduce((sum, count) => sum + count)).toBe(1);
  });

  it('refuses a reference of a tab whose document changed while another one was selected', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const old = await session.reference('button "Save"');
    await session.call('browser_tabs', { action: 'new', url: one });
    await session.context.pages()[0]?.goto(two);
    await session.call('browser_tabs', { action: 'select', index: 0 });
    await expect(session.call('browser_click', { target: old })).rejects.toMatchObject(OUTDATED);
    expect(await clicked(session)).toEqual([0, 0]);
  });

  it('waits with a reference until a change of tab under way is over', { tags: ['at-length'] }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const save = await session.reference('button "Save"');
    await session.call('browser_tabs', { action: 'new', url: two });
    await session.call('browser_tabs', { action: 'select', index: 0 });
    const changing = session.call('browser_tabs', { action: 'select', index: 1 });
    await expect(session.call('browser_click', { target: save })).rejects.toMatchObject({
      message: expect.stringContaining('belongs to tab 0'),
    });
    await changing;
    expect(await clicked(session)).toEqual([0, 0]);
  });

  it('refuses a reference of another session [003-element-01]', async () => {
    await using alice = await fixture.session();
    await using bob = await fixture.session();
    await Promise.all([
      alice.call('browser_navigate', { url: one }),
      bob.call('browser_navigate', { url: two }),
    ]);
    const [ofAlice, ofBob] = [
      await alice.reference('button "Save"'),
      await bob.reference('button "Delete everything"'),
    ];
    expect(ofBob.slice(4)).toBe(ofAlice.slice(4));
    await expect(bob.call('browser_click', { target: ofAlice })).rejects.toMatchObject(FOREIGN);
    await expect(alice.call('browser_click', { target: ofBob })).rejects.toMatchObject(FOREIGN);
    expect([await clicked(alice), await clicked(bob)]).toEqual([[0], [0]]);
    await bob.call('browser_click', { target: 'button' });
    await alice.call('browser_click', { target: "getByRole('button')" });
    expect([await clicked(alice), await clicked(bob)]).toEqual([[1], [1]]);
  });

  it('refuses what pwpool never gave out, in every form that upstream takes', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const bare = (await session.reference('button "Save"')).slice(4);
    const stamp = ['qqqq', 'zzzz'].find((letters) => !fixture.stamps.ownerOf(letters)) ?? 'wwww';
    for (const target of [
      bare,
      `f3${bare}`,
      stamp + bare,
      `aria-ref=${bare}`,
      ` aria-ref = ${bare}`,
      `body >> aria-ref=${bare}`,
      `locator('aria-ref=${bare}')`,
      `getByRef('${bare}')`,
      `page.get_by_ref("${bare}")`,
    ]) {
      await expect(session.call('browser_click', { target })).rejects.toMatchObject(UNKNOWN);
    }
    expect(await clicked(session)).toEqual([0]);
  });

  it('checks every field of a form before it fills any, and both ends of a drag', async () => {
    await using session = await fixture.session();
    const url = fixture.serve('/form', '<input aria-label="name"><input aria-label="city"><p>x</p>');
    await session.call('browser_navigate', { url });
    const snapshot = await session.call('browser_snapshot');
    const field = (label: string, target: string) => ({ name: label, type: 'textbox', value: label, target });
    const [name, city] = ['name', 'city'].map((label) => referenceIn(snapshot, `textbox "${label}"`));
    const values = () =>
      session.context.pages()[0]?.evaluate(() => [...document.querySelectorAll('input')].map((i) => i.value));
    await expect(
      session.call('browser_fill_form', {
        fields: [field('name', name ?? ''), field('city', city?.slice(4) ?? '')],
      }),
    ).rejects.toMatchObject(UNKNOWN);
    expect(await values()).toEqual(['', '']);
    await session.call('browser_fill_form', {
      fields: [field('name', name ?? ''), field('city', city ?? '')],
    });
    expect(await values()).toEqual(['name', 'city']);
    await session.call('browser_drag', { startTarget: name ?? '', endTarget: city ?? '' });
    await expect(
      session.call('browser_drag', { startTarget: 'input', endTarget: city?.slice(4) ?? '' }),
    ).rejects.toMatchObject(UNKNOWN);
  });

  it('gives the references of a linked file the same stamp, and leaves no draft of it', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    const answer = await session.call('browser_navigate', { url: one });
    const path = answer.match(/\[Snapshot\]\((.*)\)/)?.[1] ?? '';
    const linked = referenceIn(await readFile(path, 'utf8'), 'button "Save"');
    expect(linked).toMatch(/^[a-z]{4}e\d+$/);
    expect(await session.reference('button "Save"')).toBe(linked);
    expect((await readdir(fixture.outputDir)).filter((name) => !name.startsWith('page-'))).toEqual([]);
    const clickAnswer = await session.call('browser_click', { target: linked });
    const next = clickAnswer.match(/\[Snapshot\]\((.*)\)/)?.[1] ?? '';
    expect(referenceIn(await readFile(next, 'utf8'), 'button "Save"')).toBe(linked);
  });

  it('stamps what browser_find prints, and the JSON form of a snapshot', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const found = referenceIn(await session.call('browser_find', { text: 'save' }), 'button "Save"');
    expect(found).toBe(await session.reference('button "Save"'));
    const json = await session.call('browser_snapshot', { _meta: { json: true } });
    expect(json).toContain(`"ref": "${found}"`);
    const raw = await session.call('browser_snapshot', { _meta: { raw: true } });
    expect(referenceIn(raw, 'button "Save"')).toBe(found);
  });

  it('tells upstream’s errors in the caller’s own references', { tags: ['at-length'] }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const reference = await session.reference('button "Save"');
    const missing = `${reference.slice(0, 4)}e99`;
    expect(await session.call('browser_click', { target: missing })).toContain(`Ref ${missing} not found in`);
    await session.context.pages()[0]?.evaluate(() => {
      document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0">cover</div>');
    });
    const covered = await session.call('browser_click', { target: reference });
    expect(covered).toContain(`aria-ref=${reference}`);
    expect(await session.call('browser_click', { target: `[ref=${reference}]` })).toContain(
      `pass "${reference}" as the target`,
    );
    expect(await session.call('browser_click', { target: '!!' })).not.toContain('"e5"');
  });

  it('refuses a reference of another tab, whichever way the tab changed, and says which to select', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const first = await session.reference('button "Save"');
    await session.call('browser_tabs', { action: 'new', url: two });
    const second = await session.reference('button "Delete everything"');
    expect(second.slice(4)).toBe(first.slice(4));
    const elsewhere = (tab: number) => ({
      code: 'ELEMENT_NOT_FOUND',
      message: expect.stringContaining(`belongs to tab ${tab}`),
      hint: expect.stringContaining(`"select", "index": ${tab}`),
    });
    await expect(session.call('browser_click', { target: first })).rejects.toMatchObject(elsewhere(0));
    await session.call('browser_tabs', { action: 'select', index: 0 });
    await expect(session.call('browser_click', { target: second })).rejects.toMatchObject(elsewhere(1));
    await session.call('browser_tabs', { action: 'select', index: 1 });
    // The tab closes itself: the first one, whose snapshot has the same number, becomes the current one.
    await session.context.pages()[1]?.close();
    await expect(session.call('browser_click', { target: second })).rejects.toMatchObject(OUTDATED);
    expect(await clicked(session)).toEqual([0]);
    await session.call('browser_click', { target: first });
    expect(await clicked(session)).toEqual([1]);
  });

  it('gives a stamp to the answer that opens a tab, good for the calls that follow', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    const answer = await session.call('browser_tabs', { action: 'new', url: two });
    const file = await readFile(answer.match(/\[Snapshot\]\((.*)\)/)?.[1] ?? '', 'utf8');
    await session.call('browser_click', { target: referenceIn(file, 'button "Delete everything"') });
    expect(await clicked(session)).toEqual([0, 1]);
  });

  it('keeps references when a pop-up opens, which upstream does not switch to', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    const url = fixture.serve('/opener', buttonPage('Open', '<a href="/two" target="_blank">pop</a>'));
    await session.call('browser_navigate', { url });
    const old = await session.reference('button "Open"');
    const opened = session.context.waitForEvent('page');
    await session.call('browser_click', { target: 'a' });
    await (await opened).waitForLoadState();
    expect(await session.reference('button "Open"')).toBe(old);
    await session.call('browser_click', { target: old });
    expect(await clicked(session)).toEqual([1, 0]);
  });

  it('follows tabs of contexts that upstream opens itself', { tags: ['at-length'] }, async () => {
    await using session = await fixture.session();
    await session.call('browser_navigate', { url: one });
    await session.call('browser_tabs', { action: 'new', isolatedContext: 'other' });
    const contexts = fixture.browser.contexts();
    await contexts[contexts.length - 1]?.pages()[0]?.setContent(buttonPage('Save'));
    const old = await session.reference('button "Save"');
    await session.call('browser_navigate', { url: two });
    const now = await session.reference('button "Delete everything"');
    expect(now.slice(4)).toBe(old.slice(4));
    await expect(session.call('browser_click', { target: old })).rejects.toMatchObject(OUTDATED);
  });

  it('refuses references into a frame that navigated, and stamps those of frames', {
    tags: ['at-length'],
  }, async () => {
    await using session = await fixture.session();
    fixture.serve('/inner-one', buttonPage('Inner one'));
    fixture.serve('/inner-two', buttonPage('Inner two'));
    const url = fixture.serve('/outer', buttonPage('Outer', '<iframe src="/inner-one"></iframe>'));
    await session.call('browser_navigate', { url });
    const [outer, inner] = [
      await session.reference('button "Outer"'),
      await session.reference('button "Inner one"'),
    ];
    expect(inner).toMatch(/^[a-z]{4}f\d+e\d+$/);
    expect(inner.slice(0, 4)).toBe(outer.slice(0, 4));
    const frame = session.context.pages()[0]?.frames()[1];
    await frame?.goto(fixture.serve('/inner-two', buttonPage('Inner two')));
    await expect(session.call('browser_click', { target: inner })).rejects.toMatchObject(OUTDATED);
    await session.call('browser_hover', { target: outer });
    const other = await session.reference('button "Inner two"');
    expect(other.slice(4)).toBe(inner.slice(4));
    await expect(session.call('browser_click', { target: inner })).rejects.toMatchObject(OUTDATED);
    expect(await frame?.locator('[data-clicked]').count()).toBe(0);
    await session.call('browser_click', { target: other });
    expect(await frame?.locator('[data-clicked]').count()).toBe(1);
  });

  it('keeps apart two sessions that work at the same time, round after round', {
    tags: ['at-length'],
  }, async () => {
    await using alice = await fixture.session();
    await using bob = await fixture.session();
    const round = async (session: StampedSession, url: string, button: string) => {
      await session.call('browser_navigate', { url });
      const reference = await session.reference(`button "${button}"`);
      await session.call('browser_click', { target: reference });
      return reference;
    };
    const last: string[][] = [[], []];
    for (let turn = 0; turn < 8; turn++) {
      const [ofAlice, ofBob] = await Promise.all([
        round(alice, one, 'Save'),
        round(bob, two, 'Delete everything'),
      ]);
      expect([await clicked(alice), await clicked(bob)]).toEqual([[1], [1]]);
      await expect(bob.call('browser_hover', { target: ofAlice })).rejects.toMatchObject(FOREIGN);
      last[0]?.push(ofAlice);
      last[1]?.push(ofBob);
    }
    expect(new Set(last.flat().map((reference) => reference.slice(0, 4))).size).toBe(16);
  });
});
