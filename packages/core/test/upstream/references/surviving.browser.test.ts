import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceIn, StampedFixture, type StampedSession } from './stamped-fixture.js';

const PAGE = `<!doctype html><title>Survivors</title>
  <main><button id="save" onclick="this.dataset.clicked = 'yes'">Save</button>
  <section id="part"><button>Inner</button></section></main>
  <iframe id="ad" srcdoc="<button>Ad</button>"></iframe>`;

describe('a reference after its page was updated', () => {
  let fixture: StampedFixture;
  let session: StampedSession;
  let url: string;

  beforeAll(async () => {
    fixture = await StampedFixture.start();
    session = await fixture.session();
    url = fixture.serve('/survivors', PAGE);
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const page = () => {
    const { currentPage } = session.tools;
    if (!currentPage) throw new Error('There is no page.');
    return currentPage;
  };
  const wasClicked = async (selector = '#save') =>
    await page()
      .locator(selector)
      .evaluate((element: HTMLElement) => element.dataset['clicked'] === 'yes');
  const open = async () => {
    await session.call('browser_navigate', { url });
    const snapshot = await session.call('browser_snapshot');
    return { save: referenceIn(snapshot, 'button "Save"'), inner: referenceIn(snapshot, 'button "Inner"') };
  };

  it('is good though upstream’s last snapshot was of another part of the page [arch-reference-01]', async () => {
    const { save, inner } = await open();
    await session.call('browser_snapshot', { target: '#part' });
    expect(await session.call('browser_click', { target: save })).not.toContain('### Error');
    expect(await wasClicked()).toBe(true);
    expect(await session.call('browser_click', { target: inner })).not.toContain('### Error');
  });

  it('is good when its element was hidden for a while [arch-reference-01]', async () => {
    const { save } = await open();
    await page().evaluate(() => void document.querySelector('#save')?.toggleAttribute('hidden', true));
    expect(await session.call('browser_snapshot')).not.toContain('"Save"');
    await page().evaluate(() => void document.querySelector('#save')?.toggleAttribute('hidden', false));
    expect(await session.call('browser_click', { target: save })).not.toContain('### Error');
    expect(await wasClicked()).toBe(true);
  });

  it('is good after another frame showed something else, and an answer told of that [arch-reference-01]', async () => {
    const { save } = await open();
    await page().evaluate(async () => {
      const ad = document.querySelector('#ad');
      const loaded = new Promise((resolve) => ad?.addEventListener('load', resolve));
      ad?.setAttribute('srcdoc', '<button>Other ad</button>');
      await loaded;
    });
    const snapshot = await session.call('browser_snapshot');
    expect(referenceIn(snapshot, 'button "Save"')).not.toBe(save);
    expect(await session.call('browser_click', { target: save })).not.toContain('### Error');
    expect(await wasClicked()).toBe(true);
  });

  it('is good when its element has another name: it clicks the same button, and says so [arch-reference-01]', async () => {
    const { save } = await open();
    for (const name of ['Save (1)', 'Saving…', 'Undo']) {
      await page().evaluate((text) => document.querySelector('#save')?.replaceChildren(text), name);
      const now = referenceIn(await session.call('browser_snapshot'), `button "${name}"`);
      const clicked = await session.call('browser_click', { target: save });
      expect(clicked).toContain(`The element '${save}' has another name since: it is '${now}' now.`);
      expect(await wasClicked()).toBe(true);
      await page().evaluate(() => document.querySelector('#save')?.removeAttribute('data-clicked'));
    }
  });

  it('is good in a frame and a shadow tree too when its element has another name [arch-reference-01]', async () => {
    const inner = `<div id="host"></div><script>
      host.attachShadow({ mode: 'open' }).innerHTML = '<button>Cart (1)</button>';
      host.shadowRoot.firstChild.onclick = (event) => (event.target.textContent = 'Cart (2)');
    </script>`;
    const frames = fixture.serve(
      '/frames',
      `<!doctype html><iframe srcdoc="${inner.replaceAll('"', '&quot;')}"></iframe>`,
    );
    await session.call('browser_navigate', { url: frames });
    const cart = referenceIn(await session.call('browser_snapshot'), 'button "Cart (1)"');
    await session.call('browser_click', { target: cart });
    expect(await session.call('browser_snapshot')).toContain('button "Cart (2)"');
    expect(await session.call('browser_click', { target: cart })).toContain('has another name since');
  });

  it('is refused when a list shows other rows in its nodes [arch-reference-02]', async () => {
    const list = `<!doctype html>${['Alice', 'Bob', 'Carol'].map((name) => `<button onclick="document.title = 'deleted'">Delete ${name}</button>`).join('')}`;
    await session.call('browser_navigate', { url: fixture.serve('/list', list) });
    const alice = referenceIn(await session.call('browser_snapshot'), 'button "Delete Alice"');
    await page().evaluate(() => {
      const rows = [...document.querySelectorAll('button')];
      for (const [index, row] of rows.entries()) row.replaceChildren(rows[index + 1]?.textContent ?? '');
      rows.at(-1)?.remove();
    });
    await session.call('browser_snapshot');
    expect(await session.call('browser_click', { target: alice })).toContain(`Ref ${alice} not found`);
    expect(await page().title()).not.toBe('deleted');
  });

  it('is refused when its element is gone, or the page has moved on around it [arch-reference-02]', async () => {
    const { save } = await open();
    await page().evaluate(() => {
      document.querySelector('#save')?.replaceChildren('Delete everything');
      document.querySelector('#part')?.remove();
    });
    await session.call('browser_snapshot');
    expect(await session.call('browser_click', { target: save })).toContain(`Ref ${save} not found`);
    const again = await open();
    await page().evaluate(() => {
      const old = document.querySelector('#save');
      if (old) old.replaceWith(old.cloneNode(true));
    });
    expect(await session.call('browser_click', { target: again.save })).toContain('### Error');
    expect(await wasClicked()).toBe(false);
  });

  it('does not fill a form a second time for the sake of a later field [arch-reference-02]', async () => {
    await session.call('browser_navigate', {
      url: fixture.serve(
        '/fields',
        `<!doctype html><section id="one"><input aria-label="One" oninput="this.dataset.inputs = 1 + Number(this.dataset.inputs ?? 0)"></section>
         <input aria-label="Two">`,
      ),
    });
    const snapshot = await session.call('browser_snapshot');
    const [one, two] = ['One', 'Two'].map((name) => referenceIn(snapshot, `textbox "${name}"`));
    await session.call('browser_snapshot', { target: '#one' });
    const fields = [one, two].map((target) => ({ name: 'field', type: 'textbox', target, value: 'x' }));
    expect(await session.call('browser_fill_form', { fields })).toContain(`Ref ${two} not found`);
    expect(await page().locator('[aria-label=One]').getAttribute('data-inputs')).toBe('1');
    await session.call('browser_snapshot', { target: '#one' });
    expect(await session.call('browser_fill_form', { fields: [...fields].reverse() })).not.toContain(
      '### Error',
    );
    expect(await page().locator('[aria-label=Two]').inputValue()).toBe('x');
  });
});
