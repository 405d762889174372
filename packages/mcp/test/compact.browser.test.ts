// @module-tag at-length
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { errorOf, pool, type StdioServer, textOf } from './fixtures/stdio-server.js';

const test = onSharedServer({
  ...pool('DEFAULT', 1),
  ...pool('OPEN', 1, { IS_DEFAULT: 'false', ALLOW_EXTERNAL: 'true' }),
  ...pool('BROKEN', 1, { IS_DEFAULT: 'false', EXECUTABLE_PATH: '/bin/false' }),
  PW_MCP_PROXY_TOOLSET: 'compact',
  PW_MCP_PROXY_SESSION_PREEMPT: '1',
});

const PAGES: Readonly<Record<string, string>> = {
  '/': `<title>My App</title>
    <nav aria-label="Main Menu"><a href="/">Home</a> <a href="/about">About</a></nav>
    <main><h1>Welcome</h1><label>Email <input id="email" type="email"></label><button>Submit</button></main>`,
  '/about': '<title>About</title><h1>About</h1>',
  '/buttons': `<title>Buttons</title><button id="login-btn" onclick="document.title = 'pressed'">Submit Form</button>
    <button>Cancel</button><button>Back</button> <a href="/about">More</a>
    <button id="hidden" style="display: none">Later</button>
    <button id="far" style="position: fixed; left: -500px">Far</button>
    <button id="off" disabled>Off</button>
    <button id="under">Under</button><div style="position: fixed; inset: 0 0 0 50%; z-index: 1" id="banner"></div>
    <button id="covered" style="position: fixed; right: 0; bottom: 0">Covered</button>
    <button id="late-maker" onclick="setTimeout(() => document.body.append(Object.assign(document.createElement('button'), { textContent: 'Late' })), 200)">Make</button>
    <button id="ask" onclick="document.title = String(confirm('Sure?'))">Ask</button>`,
  '/form': `<title>Form</title><form action="/sent"><input id="q" name="q" value="old"><input id="secret" type="password">
    <input id="day" type="date"><button>Send</button></form><p id="keys"></p><p id="prose">Prose</p>
    <script>document.querySelector('#q').addEventListener('keydown', ({ key }) => { if (key.length === 1) document.querySelector('#keys').textContent += key; });</script>`,
  '/log': `<title>Log</title><script>console.log('App initialized'); console.warn('careful'); console.info('by the way');
    function broken() { console.error(new Error('shown')); } broken();
    Promise.reject(new Error('NetworkError')); setTimeout(() => { throw new TypeError('thrown'); });
    fetch('/missing');</script>`,
  '/slow-part': '<title>Slow part</title><h1>There</h1><img src="/held">',
  '/tall':
    '<title>Tall</title><body style="margin: 0"><div id="box" style="width: 40px; height: 30px"></div><div style="height: 2000px"></div>',
  '/popups':
    '<title>Popups</title><a target="_blank" href="/about">Open</a> <a id="out" href="http://127.0.0.2/">Out</a>',
};

/** What a test reads of a tree. */
interface Node {
  role: string;
  name?: string;
  ref?: string;
  children?: Node[];
}

const requests: string[] = [];
const site = createServer((request, response) => {
  const { url = '', headers } = request;
  requests.push(`${headers.host} ${url}`);
  if (url === '/held') return;
  if (url === '/cookie') response.setHeader('set-cookie', 'who=ada; Path=/');
  if (url === '/away') return void response.writeHead(302, { location: external('/reached') }).end();
  const page = PAGES[url.split('?')[0] ?? ''];
  const isPage = page !== undefined || /^\/(?:sent|cookie)/.test(url);
  response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' });
  response.end(page ?? `<title>${url}</title><p>cookie: ${headers.cookie ?? 'none'}</p>`);
});

const port = () => (site.address() as AddressInfo).port;
const at = (path: string) => `http://localhost:${port()}${path}`;
/** Another host, which happens to be this machine. */
const external = (path: string) => `http://127.0.0.2:${port()}${path}`;

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, resolve));
});

afterAll(() => {
  site.closeAllConnections();
  site.close();
});

/** A call that succeeds: its structured content, which its text says too. */
async function facts(server: StdioServer, name: string, args: Record<string, unknown> = {}) {
  const result = await server.call(name, args);
  expect(result.isError, textOf(result)).toBeUndefined();
  const [first] = result.content;
  expect(JSON.parse(first?.type === 'text' ? first.text : '')).toEqual(result.structuredContent);
  return result.structuredContent as Record<string, unknown>;
}

/** A call that fails: its error, which its text says too. */
async function failure(server: StdioServer, name: string, args: Record<string, unknown>) {
  const result = await server.call(name, args);
  const error = errorOf(result) as ReturnType<typeof errorOf> & { pageUrl?: string };
  expect(textOf(result)).toContain(`${error.code}: ${error.message}\n${error.hint}`);
  expect(textOf(result)).not.toMatch(/\[\d+m|Call log|\n\s+at /);
  return error;
}

const go = (server: StdioServer, path: string) => facts(server, 'browser_navigate', { url: at(path) });
const run = async (server: StdioServer, code: string) =>
  (await facts(server, 'browser_execute_js', { code }))['result'];

async function treeOf(server: StdioServer, args: Record<string, unknown> = {}): Promise<Node> {
  return (await facts(server, 'browser_snapshot', args))['snapshot'] as Node;
}

function find(node: Node, name: string): Node | undefined {
  if (node.name === name && node.role !== 'text') return node;
  return (node.children ?? []).map((child) => find(child, name)).find((found) => found !== undefined);
}

describe('browser_navigate', () => {
  test('answers url, title, status and time; waits for the DOM only unless told [002-navigate-01, 002-navigate-03]', async ({
    server,
  }) => {
    const first = await go(server, '/');
    expect(first).toEqual({
      success: true,
      url: at('/'),
      title: 'My App',
      status: 200,
      loadTimeMs: expect.any(Number),
    });
    expect(await go(server, '/nowhere')).toMatchObject({ success: true, status: 404 });
    expect(await go(server, '/slow-part')).toMatchObject({ title: 'Slow part' });
  });

  test('takes as long as it is told: NAVIGATION_TIMEOUT, and the page can be used [002-navigate-01, 002-navigate-02, 002-error-03]', async ({
    server,
  }) => {
    for (const waitUntil of ['load', 'networkidle']) {
      const slow = { url: at('/slow-part'), waitUntil, timeout: 700 };
      expect(await failure(server, 'browser_navigate', slow)).toMatchObject({
        code: 'NAVIGATION_TIMEOUT',
        message: `The navigation of ${at('/slow-part')} did not finish within 700 ms.`,
      });
    }
    expect(await facts(server, 'browser_navigate', { url: at('/'), waitUntil: 'networkidle' })).toMatchObject(
      {
        title: 'My App',
      },
    );
  });

  test('reaches local addresses only, with what the page makes of them: URL_BLOCKED [002-security-01, 002-security-02, 002-error-07]', async ({
    server,
  }) => {
    await go(server, '/popups');
    const blocked = {
      code: 'URL_BLOCKED',
      message: `127.0.0.2:${port()} was not opened: only localhost and 127.0.0.1 are allowed.`,
      hint: 'Use a local address. Whoever runs pwpool can set ALLOW_EXTERNAL=true.',
    };
    expect(await failure(server, 'browser_navigate', { url: external('/reached') })).toMatchObject(blocked);
    expect(await failure(server, 'browser_navigate', { url: at('/away') })).toMatchObject(blocked);
    expect(await failure(server, 'browser_navigate', { url: 'file:///etc/passwd' })).toMatchObject({
      code: 'URL_BLOCKED',
      message: 'file:///etc/passwd was not opened: file: is not allowed.',
    });
    expect(
      await facts(server, 'browser_navigate', { url: at('/popups').replace('localhost', '127.0.0.1') }),
    ).toMatchObject({ title: 'Popups' });
    // The page stays where it is.
    expect(await failure(server, 'browser_click', { selector: '#out' })).toMatchObject({
      code: 'URL_BLOCKED',
      pageUrl: at('/popups').replace('localhost', '127.0.0.1'),
    });
    const socket = `new Promise((resolve) => { new WebSocket('${external('/').replace('http', 'ws')}').onclose = ({ code }) => resolve(code); })`;
    expect(await run(server, socket)).toBe(1008);
    for (const url of [external('/reached'), at('/away')])
      expect(
        await run(server, `fetch('${url}', { mode: 'no-cors' }).then(() => 'reached', () => 'refused')`),
      ).toBe('refused');
    expect(requests.filter((request) => request.startsWith('127.0.0.2'))).toEqual([]);
  });

  test('reaches any address where ALLOW_EXTERNAL is true, and no file [002-security-01, 002-security-02]', async ({
    server,
  }) => {
    const open = { sessionId: 'open' };
    await server.text('start_browser', { ...open, browser_pool: 'OPEN' });
    expect(await facts(server, 'browser_navigate', { url: external('/about'), ...open })).toMatchObject({
      title: 'About',
    });
    expect(await failure(server, 'browser_navigate', { url: 'file:///etc/passwd', ...open })).toMatchObject({
      code: 'URL_BLOCKED',
    });
  });

  test('tells why a browser does not start: BROWSER_NOT_READY [002-error-02]', async ({ server }) => {
    expect(await failure(server, 'browser_navigate', { url: at('/'), browser_pool: 'BROKEN' })).toMatchObject(
      {
        code: 'BROWSER_NOT_READY',
      },
    );
  });
});

describe('browser_click', () => {
  test('targets by selector, exact text, role and ref, and answers the element [002-click-01, 002-click-02]', async ({
    server,
  }) => {
    const element = { tag: 'button', text: 'Submit Form', id: 'login-btn' };
    await go(server, '/buttons');
    const { ref } = find(await treeOf(server), 'Submit Form') ?? {};
    const targets = [
      { selector: '#login-btn' },
      { text: 'Submit Form' },
      { role: 'button', text: 'Submit Form' },
      { ref },
    ];
    for (const target of targets) {
      await run(server, 'document.title = ""');
      expect(await facts(server, 'browser_click', target)).toEqual({
        success: true,
        element,
        url: at('/buttons'),
      });
      expect(await run(server, 'document.title')).toBe('pressed');
    }
    expect(await facts(server, 'browser_click', { role: 'link' })).toMatchObject({ url: at('/about') });
  });

  test('waits for the element as long as it is told [002-click-01]', async ({ server }) => {
    await go(server, '/buttons');
    await run(server, "document.querySelector('#late-maker').onclick()");
    expect(await facts(server, 'browser_click', { text: 'Late' })).toMatchObject({ success: true });
  });

  test('tells what the page offers when nothing matches: ELEMENT_NOT_FOUND [002-click-03, 002-error-01, 002-error-04]', async ({
    server,
  }) => {
    await go(server, '/buttons');
    const soon = { timeout: 50 };
    expect(await failure(server, 'browser_click', { selector: '#login', ...soon })).toMatchObject({
      code: 'ELEMENT_NOT_FOUND',
      message: "No element matching selector '#login' found on the page.",
      hint: expect.stringContaining("Available buttons: ['Submit Form', 'Cancel', 'Back',"),
      pageUrl: at('/buttons'),
    });
    const { hint } = await failure(server, 'browser_click', { text: 'back', ...soon });
    expect(hint).toContain("Available buttons: ['Back', 'Submit Form',");
    expect(hint).toContain("Available links: ['More'].");
    const { message } = await failure(server, 'browser_click', { role: 'checkbox', ...soon });
    expect(message).toBe("No element matching role 'checkbox' found on the page.");
  });

  test('refuses to guess among several, and what is no selector', async ({ server }) => {
    await go(server, '/');
    expect(await failure(server, 'browser_click', { role: 'link' })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: "2 elements match role 'link': a 'Home', a 'About'.",
    });
    for (const selector of ['##', 'a:nope'])
      expect(await failure(server, 'browser_click', { selector })).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        message: `selector '${selector}' is not a CSS selector.`,
      });
  });

  test('tells what keeps an element from being clicked: ELEMENT_NOT_VISIBLE, EXECUTION_ERROR [002-error-05]', async ({
    server,
  }) => {
    await go(server, '/buttons');
    // It has to be found first, and looked at.
    const soon = { timeout: 2_000 };
    const cases = [
      ['#hidden', 'ELEMENT_NOT_VISIBLE', 'element is not visible'],
      ['#far', 'ELEMENT_NOT_VISIBLE', 'element is outside of the viewport'],
      ['#covered', 'ELEMENT_NOT_VISIBLE', 'id="banner"'],
      ['#off', 'EXECUTION_ERROR', 'element is not enabled'],
    ] as const;
    for (const [selector, code, words] of cases) {
      const error = await failure(server, 'browser_click', { selector, ...soon });
      expect([selector, error.code]).toEqual([selector, code]);
      expect(error.message).toContain(words);
    }
  });

  test('answers dialogs at once, and says so', async ({ server }) => {
    await go(server, '/buttons');
    const answer = await facts(server, 'browser_click', { selector: '#ask' });
    expect(answer['notices']).toEqual([
      'The page showed confirm "Sure?", which was dismissed. To answer it otherwise, set window.confirm with browser_execute_js before, then try again.',
    ]);
    await run(server, 'window.confirm = () => true');
    await facts(server, 'browser_click', { selector: '#ask' });
    expect(await run(server, 'document.title')).toBe('true');
  });

  test('works in the page that a click opens, of three at most [002-security-04]', async ({ server }) => {
    await go(server, '/popups');
    expect(await facts(server, 'browser_click', { text: 'Open' })).toMatchObject({ url: at('/about') });
    expect(await treeOf(server)).toMatchObject({ name: 'About' });
    await server.call('browser_execute_js', { code: 'window.close()' });
    await expect.poll(() => treeOf(server)).toMatchObject({ name: 'Popups' });
    const told: unknown[] = [];
    const execute = async (code: string) => {
      const { notices = [] } = await facts(server, 'browser_execute_js', { code });
      told.push(...(notices as unknown[]));
      return told;
    };
    for (let count = 0; count < 3; count++) await execute("window.open('/about'); 0");
    // A page that comes behind the answer is told with the next one.
    await expect.poll(() => execute('0')).toEqual([expect.stringContaining('a session has at most 3')]);
    await facts(server, 'browser_close');
    expect(await treeOf(server)).toEqual({ role: 'document', name: '', children: [] });
  });
});

describe('browser_type', () => {
  test('types character by character into an emptied field, and Enter when told [002-type-01, 002-type-02]', async ({
    server,
  }) => {
    await go(server, '/form');
    expect(await facts(server, 'browser_type', { selector: '#q', text: 'abc' })).toEqual({
      success: true,
      element: { tag: 'input', text: '', id: 'q' },
      value: 'abc',
      url: at('/form'),
    });
    expect(await run(server, "document.activeElement.id + document.querySelector('#keys').textContent")).toBe(
      'qabc',
    );
    const more = { selector: '#q', text: 'd', clearFirst: false };
    expect(await facts(server, 'browser_type', more)).toMatchObject({ value: 'abcd' });
    const { ref } =
      find(await treeOf(server), 'q') ?? (await treeOf(server, { root: 'form' })).children?.[0] ?? {};
    const sent = await facts(server, 'browser_type', { ref, text: 'x', pressEnter: true });
    expect(sent).toMatchObject({ value: 'x', url: at('/sent?q=x') });
  });

  test('tells no password, fills what takes no keys, and refuses what is no field', async ({ server }) => {
    await go(server, '/form');
    expect(
      JSON.stringify(await facts(server, 'browser_type', { selector: '#secret', text: 'hush' })),
    ).not.toContain('hush');
    expect(await facts(server, 'browser_type', { selector: '#day', text: '2026-11-22' })).toMatchObject({
      value: '2026-11-22',
    });
    expect(await failure(server, 'browser_type', { selector: '#day', text: 'today' })).toMatchObject({
      code: 'EXECUTION_ERROR',
    });
    expect(await failure(server, 'browser_type', { selector: '#prose', text: 'a' })).toMatchObject({
      code: 'EXECUTION_ERROR',
    });
    expect(await failure(server, 'browser_type', { selector: '#none', text: 'a' })).toMatchObject({
      code: 'ELEMENT_NOT_FOUND',
    });
  });
});

describe('browser_screenshot', () => {
  test('takes the viewport, the whole page or an element, as PNG [002-screenshot-01, 002-screenshot-02]', async ({
    server,
  }) => {
    await go(server, '/tall');
    const sizeOf = (result: CallToolResult) => {
      // Structured content would keep clients from showing the image.
      expect(result.structuredContent, textOf(result)).toBeUndefined();
      const [image] = result.content;
      if (image?.type !== 'image') throw new Error(textOf(result));
      expect(image.mimeType).toBe('image/png');
      const png = Buffer.from(image.data, 'base64');
      expect(png.subarray(1, 4).toString()).toBe('PNG');
      return [png.readUInt32BE(16), png.readUInt32BE(20)];
    };
    expect(sizeOf(await server.call('browser_screenshot'))).toEqual([1280, 720]);
    expect(sizeOf(await server.call('browser_screenshot', { fullPage: true }))).toEqual([1280, 2030]);
    expect(sizeOf(await server.call('browser_screenshot', { selector: '#box' }))).toEqual([40, 30]);
    expect(await failure(server, 'browser_screenshot', { selector: '#none' })).toMatchObject({
      code: 'ELEMENT_NOT_FOUND',
    });
  });
});

describe('browser_snapshot', () => {
  test('answers the tree of the page, or of the part under root [002-snapshot-01, 002-snapshot-02]', async ({
    server,
  }) => {
    await go(server, '/');
    const ref = expect.stringMatching(/^[a-z]{4}e\d+$/);
    const navigation = {
      role: 'navigation',
      name: 'Main Menu',
      children: [
        { role: 'link', name: 'Home', url: '/', ref },
        { role: 'link', name: 'About', url: '/about', ref },
      ],
    };
    expect(await facts(server, 'browser_snapshot')).toEqual({
      url: at('/'),
      snapshot: {
        role: 'document',
        name: 'My App',
        children: [
          navigation,
          {
            role: 'main',
            children: [
              { role: 'heading', name: 'Welcome', level: 1 },
              { role: 'text', name: 'Email' },
              { role: 'textbox', name: 'Email', value: '', ref },
              { role: 'button', name: 'Submit', ref },
            ],
          },
        ],
      },
    });
    expect(await treeOf(server, { root: 'nav' })).toEqual(navigation);
    expect(await failure(server, 'browser_snapshot', { root: '#none' })).toMatchObject({
      code: 'ELEMENT_NOT_FOUND',
    });
    expect(await facts(server, 'browser_snapshot', { limit: 2 })).toMatchObject({ nextOffset: 2 });
  });

  test('a ref is good for the last snapshot of its own page and session [003-element-01]', async ({
    server,
  }) => {
    await go(server, '/buttons');
    const { ref: old } = find(await treeOf(server), 'Cancel') ?? {};
    const { ref } = find(await treeOf(server), 'Cancel') ?? {};
    expect(await failure(server, 'browser_click', { ref: old })).toMatchObject({
      code: 'ELEMENT_NOT_FOUND',
      message: `ref '${old}' is not of the last browser_snapshot of this page.`,
    });
    expect(await facts(server, 'browser_click', { ref })).toMatchObject({ element: { text: 'Cancel' } });
    await go(server, '/');
    expect(await failure(server, 'browser_click', { ref })).toMatchObject({ code: 'ELEMENT_NOT_FOUND' });
  });
});

describe('browser_execute_js', () => {
  test('answers what code in the page comes to, and has no Node [002-execute-01, 002-security-03]', async ({
    server,
  }) => {
    await go(server, '/');
    expect(await run(server, 'document.title')).toBe('My App');
    expect(await run(server, '(async () => ({ a: [1, null], b: new Date(0) }))()')).toEqual({
      a: [1, null],
      b: '1970-01-01T00:00:00.000Z',
    });
    expect(await run(server, '() => 6 * 7')).toBe(42);
    expect(await run(server, 'undefined')).toBeNull();
    expect(await run(server, '[typeof process, typeof require, typeof module]')).toEqual([
      'undefined',
      'undefined',
      'undefined',
    ]);
    const long = await facts(server, 'browser_execute_js', { code: "'x'.repeat(1e6)" });
    expect([String(long['result']).length, long['truncated']]).toEqual([30_000, true]);
  });

  test('tells what it threw: EXECUTION_ERROR [002-error-06]', async ({ server }) => {
    await go(server, '/');
    const errorIn = (code: string) => failure(server, 'browser_execute_js', { code });
    expect(await errorIn('(() => { throw new TypeError("bad") })()')).toMatchObject({
      code: 'EXECUTION_ERROR',
      message: expect.stringContaining('TypeError: bad'),
    });
    expect(await errorIn('return 1')).toMatchObject({
      code: 'EXECUTION_ERROR',
      hint: expect.stringContaining('wrap statements'),
    });
    expect(await errorIn('const a = {}; a.a = a; a')).toMatchObject({
      code: 'EXECUTION_ERROR',
      message: expect.stringContaining('no form in JSON'),
    });
  });
});

describe('browser_console_logs', () => {
  const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

  test('answers messages, uncaught exceptions and requests since the page opened, once [002-console-01, 002-console-02, 002-console-03, 002-life-05, 002-life-06]', async ({
    server,
  }) => {
    await facts(server, 'browser_navigate', { url: at('/log'), waitUntil: 'networkidle' });
    const log = await facts(server, 'browser_console_logs', { network: true });
    expect(log['logs']).toEqual(
      expect.arrayContaining([
        { level: 'log', text: 'App initialized', timestamp: TIME },
        { level: 'warn', text: 'careful', timestamp: TIME },
        { level: 'info', text: 'by the way', timestamp: TIME },
        {
          level: 'error',
          text: 'Error: shown',
          timestamp: TIME,
          stack: expect.stringMatching(/^at broken \(http.*\/log:\d+:\d+\)/),
        },
      ]),
    );
    expect(log['uncaughtExceptions']).toEqual(
      expect.arrayContaining([
        { message: 'NetworkError', timestamp: TIME, stack: expect.stringContaining('/log:') },
        { message: 'TypeError: thrown', timestamp: TIME, stack: expect.stringContaining('/log:') },
      ]),
    );
    expect(log['requests']).toEqual(
      expect.arrayContaining([
        { method: 'GET', url: at('/log'), status: 200, timestamp: TIME },
        { method: 'GET', url: at('/missing'), status: 404, timestamp: TIME },
      ]),
    );
    expect(await facts(server, 'browser_console_logs', { network: true })).toEqual({
      logs: [],
      uncaughtExceptions: [],
      requests: [],
    });
  });

  test('a level reads, and empties, only its own [002-console-01, 002-console-03]', async ({ server }) => {
    await facts(server, 'browser_navigate', { url: at('/about'), waitUntil: 'networkidle' });
    await facts(server, 'browser_console_logs');
    await run(server, "console.warn('one'); console.log('two'); 0");
    const textsOf = async (level: string) => {
      const { logs } = (await facts(server, 'browser_console_logs', { level })) as {
        logs: { text: string }[];
      };
      return logs.map(({ text }) => text);
    };
    expect(await textsOf('warn')).toEqual(['one']);
    expect(await textsOf('all')).toEqual(['two']);
  });

  test('keeps the latest of what is too much, and says so', async ({ server }) => {
    await go(server, '/about');
    await run(server, "for (let i = 0; i < 200; i++) console.log(i + 'x'.repeat(2000)); 0");
    const { logs, dropped } = (await facts(server, 'browser_console_logs')) as {
      logs: { text: string }[];
      dropped: number;
    };
    expect(logs.length + dropped).toBe(200);
    expect(logs.at(-1)?.text).toMatch(/^199x+… \(\d+ characters\)$/);
    expect(JSON.stringify(logs).length).toBeLessThan(21_000);
  });
});

describe('sessions of the compact toolset', () => {
  test('browser_close gives a fresh page without cookies [002-close-01, 002-life-03]', async ({ server }) => {
    await go(server, '/cookie');
    expect(JSON.stringify(await go(server, '/sent').then(() => treeOf(server)))).toContain('who=ada');
    expect(await facts(server, 'browser_close')).toEqual({ success: true });
    expect(JSON.stringify(await go(server, '/sent').then(() => treeOf(server)))).toContain('cookie: none');
  });

  test('one that was parked comes back where it was', async ({ server }) => {
    const [a, b] = [{ sessionId: 'a' }, { sessionId: 'b' }];
    await server.text('start_browser', { ...a, navigationUrl: at('/buttons') });
    await server.text('start_browser', b);
    await facts(server, 'browser_navigate', { url: at('/about'), ...b });
    const back = await server.call('browser_snapshot', a);
    expect(textOf(back)).toContain('parked: true');
    expect(back.structuredContent).toMatchObject({ url: at('/buttons'), snapshot: { name: 'Buttons' } });
  });

  test('a bulk uses what its tools answered', async ({ server }) => {
    const commands = [
      { tool: 'browser_navigate', args: { url: at('/') } },
      { tool: 'browser_execute_js', args: { code: "'${0.title}'.length" }, return_result: true },
    ];
    const { results } = (await server.call('browser_execute_bulk', { commands })).structuredContent as {
      results: { result: string }[];
    };
    expect(results.map(({ result }) => JSON.parse(result))).toEqual([{ success: true, result: 6 }]);
  });

  test('start_browser opens its first page', async ({ server }) => {
    const started = await server.text('start_browser', { sessionId: 'first', navigationUrl: at('/about') });
    expect(started).toContain('"title":"About"');
  });
});
