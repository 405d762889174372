import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.js';
import type { ToolArguments, ToolConnection } from '../../src/connection/tool-connection.js';
import { discoverBrowser } from '../../src/driver/launch/browser-discovery.js';
import type { ErrorCode } from '../../src/errors.js';
import { connectEmbeddedTools } from '../../src/upstream/embedded-tools.js';
import { failureOf, presentFailure } from '../../src/upstream/failure.js';

const PAGE = `<!doctype html><title>Faults</title>
  <button>A</button><button>B</button>
  <button id="hidden" style="display: none">Hidden</button>
  <button id="disabled" disabled>Disabled</button>
  <button id="far" style="position: fixed; left: -9999px">Far</button>
  <button id="moving" style="position: absolute">Moving</button>
  <button id="gone" onmouseover="this.remove()">Gone</button>
  <div style="position: relative; width: 200px; height: 50px">
    <button id="covered" style="position: absolute">Covered</button>
    <div id="overlay" style="position: absolute; inset: 0">Overlay</div>
  </div>
  <p id="text">Text</p>
  <input id="readonly" readonly> <input id="number" type="number"> <input id="box" type="checkbox">
  <select id="select"><option>One</option></select>
  <button id="alert" onclick="alert('Sure?')">Alert</button>
  <input id="file" type="file">
  <script>
    let x = 0;
    (function move() { moving.style.left = (x++ % 300) + 'px'; requestAnimationFrame(move); })();
  </script>`;

/** Tool, arguments, code, what the message says, what the hint says. `ORIGIN` is that of the page. */
const FAULTS: readonly (readonly [string, ToolArguments, ErrorCode, RegExp, RegExp])[] = [
  ['browser_click', { target: 'e999' }, 'ELEMENT_NOT_FOUND', /^Ref e999 not found/, /browser_snapshot/],
  [
    'browser_click',
    { target: '#none' },
    'ELEMENT_NOT_FOUND',
    /^"#none" does not match any/,
    /browser_snapshot/,
  ],
  [
    'browser_click',
    { target: 'button[' },
    'ELEMENT_NOT_FOUND',
    /^"button\[" is not a valid target/,
    /browser_snapshot/,
  ],
  [
    'browser_click',
    { target: 'button' },
    'INVALID_ARGUMENTS',
    /^strict mode violation: locator\('button'\) resolved to \d+ elements:\n +1\) <button>A<\/button> aka getByRole/,
    /aka/,
  ],
  [
    'browser_click',
    { target: '#hidden' },
    'ELEMENT_NOT_VISIBLE',
    /^Timeout 400ms exceeded: element is not visible \(target: <button id="hidden">Hidden<\/button>\)\.$/,
    /hides/,
  ],
  [
    'browser_click',
    { target: '#far' },
    'ELEMENT_NOT_VISIBLE',
    /element is outside of the viewport/,
    /Scroll/,
  ],
  [
    'browser_click',
    { target: '#covered' },
    'ELEMENT_NOT_VISIBLE',
    /: <div id="overlay">Overlay<\/div> intercepts pointer events \(target: <button id="covered">/,
    /lies over it/,
  ],
  ['browser_click', { target: '#disabled' }, 'EXECUTION_ERROR', /element is not enabled/, /disabled/],
  ['browser_click', { target: '#moving' }, 'EXECUTION_ERROR', /element is not stable/, /moving/],
  [
    'browser_click',
    { target: '#gone' },
    'ELEMENT_NOT_FOUND',
    /element was detached from the DOM/,
    /replaced/,
  ],
  [
    'browser_type',
    { target: '#readonly', text: 'x' },
    'EXECUTION_ERROR',
    /element is not editable/,
    /read-only/,
  ],
  [
    'browser_type',
    { target: '#text', text: 'x' },
    'EXECUTION_ERROR',
    /^Element is not an <input>/,
    /not for that kind/,
  ],
  [
    'browser_type',
    { target: '#box', text: 'x' },
    'EXECUTION_ERROR',
    /^Input of type "checkbox"/,
    /not for that kind/,
  ],
  ['browser_type', { target: '#number', text: 'x' }, 'EXECUTION_ERROR', /^Cannot type text into/, /digits/],
  [
    'browser_select_option',
    { target: '#select', values: ['Two'] },
    'ELEMENT_NOT_FOUND',
    /did not find some options/,
    /label/,
  ],
  [
    'browser_select_option',
    { target: '#text', values: ['Two'] },
    'EXECUTION_ERROR',
    /^Element is not a <select>/,
    /not for that kind/,
  ],
  ['browser_press_key', { key: 'Nope' }, 'INVALID_ARGUMENTS', /^Unknown key: "Nope"$/, /Enter/],
  [
    'browser_evaluate',
    { function: '() => { throw new Error("boom") }' },
    'EXECUTION_ERROR',
    /^boom$/,
    /the browser's own/,
  ],
  [
    'browser_evaluate',
    { function: '() => nope.x' },
    'EXECUTION_ERROR',
    /^ReferenceError: nope is not defined$/,
    /the browser's own/,
  ],
  ['browser_evaluate', { function: '() => {' }, 'EXECUTION_ERROR', /^SyntaxError: .*$/, /the browser's own/],
  ['browser_handle_dialog', { accept: true }, 'EXECUTION_ERROR', /related modal state/, /Nothing is open/],
  ['browser_file_upload', {}, 'EXECUTION_ERROR', /related modal state/, /Nothing is open/],
  [
    'browser_wait_for',
    { text: 'never' },
    'CALL_TIMEOUT',
    /^Timeout 400ms exceeded: waiting for getByText\('never'\)/,
    /in time/,
  ],
  [
    'browser_wait_for',
    {},
    'EXECUTION_ERROR',
    /^Either time, text or textGone must be provided$/,
    /the browser's own/,
  ],
  ['browser_tabs', { action: 'select', index: 9 }, 'INVALID_ARGUMENTS', /^Tab 9 not found$/, /list/],
  ['browser_tabs', { action: 'select' }, 'INVALID_ARGUMENTS', /^Tab index is required$/, /list/],
  ['browser_find', { regex: '(' }, 'INVALID_ARGUMENTS', /: 'regex': Invalid regular expression\.$/, /valid/],
  [
    'browser_take_screenshot',
    { filename: '../../../../elsewhere.png' },
    'INVALID_ARGUMENTS',
    /^File access denied: \.\.\/\.\.\/\.\.\/\.\.\/elsewhere\.png is outside allowed roots\.$/,
    /working directory/,
  ],
  [
    'browser_navigate',
    { url: 'http://127.0.0.1:1/' },
    'EXECUTION_ERROR',
    /^net::ERR_UNSAFE_PORT at http/,
    /address/,
  ],
  [
    'browser_navigate',
    { url: 'http://nope.invalid/' },
    'EXECUTION_ERROR',
    /^net::ERR_NAME_NOT_RESOLVED/,
    /no such host/,
  ],
  [
    'browser_navigate',
    { url: 'https://ORIGIN/' },
    'EXECUTION_ERROR',
    /^net::ERR_SSL_PROTOCOL_ERROR/,
    /certificate/,
  ],
  [
    'browser_navigate',
    { url: 'http://ORIGIN/cut' },
    'EXECUTION_ERROR',
    /^net::ERR_EMPTY_RESPONSE/,
    /Nothing answers/,
  ],
  [
    'browser_navigate',
    { url: 'http://ORIGIN/hang' },
    'NAVIGATION_TIMEOUT',
    /^Timeout 800ms exceeded: navigating to "http:.*\/hang"/,
    /TIMEOUT_NAVIGATION/,
  ],
  ['browser_navigate', { url: 'file:///etc/passwd' }, 'URL_BLOCKED', /"file:" protocol is blocked/, /https/],
  [
    'browser_navigate',
    { url: 'chrome://settings' },
    'URL_BLOCKED',
    /not available in an isolated browser context, and opening it crashes the browser\.$/,
    /https/,
  ],
  [
    'browser_navigate',
    { url: 'http://' },
    'INVALID_ARGUMENTS',
    /Cannot navigate to invalid URL$/,
    /whole address/,
  ],
];

/** Nothing of upstream's insides, and no directory of this machine but what the caller named. */
const INSIDES =
  /\[22?m|Call log|callTool|locator\.\w+:|page\.\w+: |\n\s+at |^(?:Timeout)?Error: |Ran Playwright|\/tmp\/|\/work\//m;

describe('a failure of upstream’s tools on a page', () => {
  let browser: Browser;
  let outputDir: string;
  let context: BrowserContext;
  let tools: ToolConnection;
  const server = createServer((request, response) => {
    if (request.url === '/hang') return;
    if (request.url === '/cut') return void request.socket.destroy();
    response.setHeader('content-type', 'text/html');
    response.end(PAGE);
  });
  const host = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

  const call = async (name: string, args: ToolArguments) => {
    const result = await tools.callTool(name, args, new AbortController().signal);
    return result.isError ? presentFailure(name, args, result, `http://${host()}/`) : result;
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    outputDir = await mkdtemp(join(tmpdir(), 'pwpool-failures-'));
    const { executablePath } = discoverBrowser({ browser: 'chromium' });
    browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ['--disable-quic'],
    });
    context = await browser.newContext();
    const timeouts = { action: 400, navigation: 800, settle: 0 };
    tools = await connectEmbeddedTools(context, { capabilities: [], outputDir, timeouts }, systemClock);
  });

  // One page is failed on by all, loaded anew for each.
  beforeEach(async () => {
    await tools.callTool('browser_navigate', { url: `http://${host()}/` }, new AbortController().signal);
  });

  afterAll(async () => {
    await tools[Symbol.asyncDispose]();
    await browser.close();
    server.closeAllConnections();
    server.close();
    await rm(outputDir, { recursive: true, force: true });
  });

  it.each(FAULTS)('%s %j is %s [002-error-01, arch-failure-01]', async (name, given, code, message, hint) => {
    const args: ToolArguments = JSON.parse(JSON.stringify(given).replace('ORIGIN', host()));
    const failed = await call(name, args);
    expect(failed.content).toHaveLength(1);
    const text = failed.content[0]?.type === 'text' ? failed.content[0].text : '';
    const failure = failureOf(failed);
    expect(failure).toMatchObject({ code, pageUrl: `http://${host()}/` });
    expect(failure?.message).toMatch(message);
    expect(failure?.hint).toMatch(hint);
    expect(text.startsWith(`### Error\n${code}: ${failure?.message}\n${failure?.hint}\n`)).toBe(true);
    expect(text).toMatch(/Page URL: http/);
    expect(text).not.toMatch(INSIDES);
    expect(failed.structuredContent).toMatchObject({ success: false });
  });

  it('keeps what the answer tells of an open dialog or file chooser [arch-failure-02]', async () => {
    await call('browser_click', { target: '#alert' });
    const held = await call('browser_click', { target: '#text' });
    const dialog =
      '### Modal state\n- ["alert" dialog with message "Sure?"]: can be handled by browser_handle_dialog';
    expect(held.content[0]).toMatchObject({ text: expect.stringContaining(dialog) });
    expect(failureOf(held)).toMatchObject({ hint: expect.stringContaining('browser_handle_dialog') });
    await call('browser_handle_dialog', { accept: true });
    await call('browser_click', { target: '#file' });
    const missing = await call('browser_file_upload', { paths: ['none.txt'] });
    expect(failureOf(missing)).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'No such file: none.txt',
    });
    expect(missing.content[0]).toMatchObject({
      text: expect.stringContaining(
        '### Modal state\n- [File chooser]: can be handled by browser_file_upload',
      ),
    });
  });
});
