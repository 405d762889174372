import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallAnswer } from '../../src/calls/call-answer.js';
import { Calls } from '../../src/calls/calls.js';
import { textOf } from '../../src/connection/answer-text.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { renderTree } from '../../src/snapshot/render-tree.js';
import { snapshotFacts } from '../../src/snapshot/snapshot-answer.js';
import { parseTree } from '../../src/upstream/snapshots/parse-tree.js';

const LINKS = Array.from({ length: 400 }, (_, i) => `<li><a href="#${i}">Link ${i}</a></li>`).join('');

const PAGES: Readonly<Record<string, string>> = {
  '/links': `<title>Links</title><h1>Links</h1><button onclick="document.querySelector('h1').textContent='Opened'">Open</button>
    <ul>${LINKS}</ul><button onclick="document.title='Last'">Last</button>`,
  '/odd': `<title>Odd</title><main>
    <button aria-label="Say: &quot;it's&quot; # [ref=e1]">x</button>
    <p>- no item: {a} [b] 'c' "d" &amp; \`e\`</p><p>yes</p><p>12</p><p>a: b</p><p>back \\ slash</p>
    <p>nul and lone: <span id="odd"></span></p><p aria-label="two\nlines">x</p>
    <input placeholder="null" value="  spaced  "><input type="checkbox" checked><a href="/?a=1&b=#c: d">link</a>
    <textarea>one\ntwo\ttabbed</textarea><details open><summary>More</summary>text</details>
    <table><tr><th scope="col">H</th></tr><tr><td>1,5</td></tr></table>
    <iframe srcdoc="<button>In the frame: 'x'</button>"></iframe></main>
    <script>document.querySelector('#odd').textContent = '\\u0000\\u0007 \\ud800 \\u0085'</script>`,
  '/long': `<title>Long</title><h1>Long</h1><p>${'ten chars '.repeat(500_000)}</p><button>End</button>`,
};

describe('the page in the answers of a real browser', () => {
  let site: Server;
  let origin: string;
  let directory: string;
  let pools: BrowserPools;
  let sessions: SessionManager;
  let calls: Calls;
  beforeAll(async () => {
    site = createServer(({ url = '' }, response) =>
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(PAGES[url] ?? '<title>Else</title><button>Else</button>'),
    ).listen(0, '127.0.0.1');
    await new Promise((resolve) => site.once('listening', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    directory = await mkdtemp(join(tmpdir(), 'pwpool-views-'));
    const WEB = { instances: 1, isDefault: true, isolated: true, timeoutSettle: 0 };
    pools = await BrowserPools.create({ outputDir: directory, stateDir: directory, pools: { WEB } });
    sessions = new SessionManager(pools);
    calls = new Calls({ pools, sessions });
  });
  afterAll(async () => {
    await sessions[Symbol.asyncDispose]();
    await pools.close();
    site.close();
    site.closeAllConnections();
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  });

  const call = async (tool: string, args: Record<string, unknown>) =>
    await calls.run({ client: { id: 'a' }, tool, args });
  const open = async (path: string, args = {}) =>
    await call('browser_navigate', { url: `${origin}${path}`, ...args });
  const shown = (answer: CallAnswer) => {
    if (!answer.success) throw answer.error;
    return snapshotFacts(answer.result);
  };
  const failure = (answer: CallAnswer) => (answer.success ? undefined : answer.error);
  const referenceIn = (text: unknown, element: string) =>
    String(text)
      .split(element)[1]
      ?.match(/\[ref=(\w+)\]/)?.[1];

  it('is rendered as Playwright prints it, whatever it says', async () => {
    const snapshot = String(shown(await open('/odd')).snapshot);
    expect(snapshot).toContain('In the frame');
    expect(snapshot).toContain('\\x07');
    expect(renderTree(parseTree(snapshot))).toBe(snapshot);
    expect(
      parseTree(snapshot).filter(({ node }) => node.role === 'text' && node.text?.startsWith('- ')),
    ).toEqual([]);
  });

  it('has references that work in a page of it, in what a query finds, and in what changed; and no file [arch-answer-01, arch-answer-06]', async () => {
    const first = shown(await open('/links'));
    expect(first).toMatchObject({ total_items: 805, has_more: true });
    const { cache_key } = first;
    const last = shown(await call('browser_snapshot', { cache_key, offset: 804 }));
    const clicked = await call('browser_click', { target: referenceIn(last.snapshot, 'button "Last"') });
    expect(clicked).toMatchObject({ success: true });
    const query = "[?name=='Open'].ref | [0]";
    const asked = { cache_key, flatten: true, jmespath_query: query, output_format: 'json' };
    const opened = shown(
      await call('browser_click', { target: shown(await call('browser_snapshot', asked)).snapshot }),
    );
    expect(opened.snapshot).toContain('+ - heading "Opened"');
    const heading = referenceIn(opened.snapshot, '+ - heading "Opened"');
    expect(await call('browser_click', { target: heading })).toMatchObject({ success: true });
    expect(await readdir(directory)).toEqual([]);
  });

  it('has references that are refused once another document is shown, as the key is [arch-answer-05, arch-answer-06]', async () => {
    const { cache_key, snapshot } = shown(await open('/links'));
    await call('browser_evaluate', { function: "() => { location.href = '/else' }" });
    await call('browser_wait_for', { text: 'Else' });
    const target = referenceIn(snapshot, 'button "Open"');
    expect(failure(await call('browser_click', { target }))?.code).toBe('ELEMENT_NOT_FOUND');
    expect(failure(await call('browser_snapshot', { cache_key }))?.code).toBe('SNAPSHOT_EXPIRED');
  });

  it('is bounded for a text of 5 MB, and what follows it is there', { tags: ['at-length'] }, async () => {
    const answer = await open('/long');
    expect(shown(answer)).toMatchObject({ has_more: false });
    if (!answer.success) throw answer.error;
    expect(textOf(answer.result).length).toBeLessThan(9 * 1024);
    expect(textOf(answer.result)).toMatch(/more characters\)\n {2}- button "End"/);
  });
});
