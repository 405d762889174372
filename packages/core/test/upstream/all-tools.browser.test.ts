// @module-tag at-length
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CAPABILITIES } from '../../src/config/capabilities.js';
import type { ToolArguments } from '../../src/connection/tool-connection.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { Session } from '../../src/session/session.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { TOOL_NAMES } from '../../src/upstream/tool-table.js';
import { textOf } from '../driver/embedded-fixture.js';

const PAGE = `<!doctype html><title>Desk</title><style>body { margin: 0 }</style>
<button id=big style="width: 200px; height: 100px" onclick="this.textContent = 'Pressed'">Press</button>
<input id=name aria-label=Name><select id=colour aria-label=Colour><option>red<option>blue</select>
<input id=file type=file aria-label=File><ul aria-label=Fruit><li>Apple<li>Pear</ul>
<div id=drag draggable=true ondragstart="window.dragged = true">Drag me</div>
<div id=drop ondragover="event.preventDefault()"
  ondrop="event.preventDefault(); this.textContent = 'Got ' + (event.dataTransfer.files[0]?.name ?? 'it')">Drop here</div>
<div id=hover onmouseenter="this.textContent = 'Hovered'">Hover</div>
<script>
  for (const type of ['mousedown', 'mousemove', 'mouseup', 'wheel', 'keydown'])
    addEventListener(type, (event) => (window.last = type + ' ' + (event.key ?? event.clientX)));
  console.error('desk is ready');
</script>`;

let root: string;
let origin: string;
let pools: BrowserPools;
let sessions: SessionManager;
let session: Session;
const called = new Set<string>();

const site = createServer((request, response) => {
  response.setHeader('content-type', request.url === '/data' ? 'text/plain' : 'text/html');
  response.end(request.url === '/data' ? `data for ${request.headers['x-who'] ?? 'nobody'}` : PAGE);
});

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pwpool-all-tools-'));
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const pool = { instances: 1, isDefault: true, isolated: true, timeoutSettle: 0 };
  pools = await BrowserPools.create({
    caps: CAPABILITIES,
    allowUnsafeCode: true,
    pools: { WEB: pool },
  });
  sessions = new SessionManager(pools);
  ({ session } = await sessions.start({ client: 'test', sessionId: 'ada', root }));
});

afterAll(async () => {
  await sessions[Symbol.asyncDispose]();
  await pools.close();
  site.close();
  site.closeAllConnections();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

async function answer(name: string, args: ToolArguments) {
  called.add(name);
  return (await session.callTool(`browser_${name}`, args)).result;
}

/** Calls a tool that must not fail. */
async function call(name: string, args: ToolArguments = {}): Promise<string> {
  const result = await answer(name, args);
  expect(result.isError, textOf(result)).toBeUndefined();
  return textOf(result);
}

/** Calls a tool that must fail. */
async function failing(name: string, args: ToolArguments = {}): Promise<string> {
  const result = await answer(name, args);
  expect(result.isError, textOf(result)).toBe(true);
  return textOf(result);
}

/** What an expression in the page comes to. */
async function inPage(expression: string): Promise<unknown> {
  const text = await call('evaluate', { function: `async () => (${expression})` });
  return JSON.parse(/### Result\n(.*?)(?:\n### |$)/s.exec(text)?.[1] ?? 'null');
}

const textAt = (selector: string) => inPage(`document.querySelector('${selector}').textContent`);
const fetched = () => inPage(`fetch('/data').then((answer) => answer.text(), () => 'failed')`);
/** The file that an answer links. */
const linked = (text: string) => resolve(root, /\]\(([^)]+)\)/.exec(text)?.[1] ?? '');

/**
 * Each of upstream's tools, with its effect on the page, the browser or the disk. What upstream means by a tool is told by
 * its own tests; here is shown that it does it in a session of a pool.
 */
it('each of the 72 tools does its work in a session [arch-caps-01]', { timeout: 180_000 }, async () => {
  // Navigation, tabs, input.
  expect(await call('navigate', { url: origin })).toContain('- Page Title: Desk');
  await call('navigate', { url: `${origin}/?second` });
  expect(await call('navigate_back')).toContain(`- Page URL: ${origin}/\n`);
  expect(await call('tabs', { action: 'new' })).toContain('- 1: (current)');
  expect(await call('tabs', { action: 'close' })).toContain('- 0: (current) [Desk]');
  await call('click', { target: '#big' });
  expect(await textAt('#big')).toBe('Pressed');
  await call('type', { target: '#name', text: 'Ada' });
  await call('press_key', { key: 'x' });
  expect(await inPage('last')).toBe('keydown x');
  await call('fill_form', { fields: [{ target: '#name', name: 'Name', type: 'textbox', value: 'Bob' }] });
  expect(await inPage('document.querySelector("#name").value')).toBe('Bob');
  await call('select_option', { target: '#colour', values: ['blue'] });
  expect(await inPage('document.querySelector("#colour").value')).toBe('blue');
  await call('hover', { target: '#hover' });
  expect(await textAt('#hover')).toBe('Hovered');
  await call('drag', { startTarget: '#drag', endTarget: '#drop' });
  expect([await inPage('dragged'), await textAt('#drop')]).toEqual([true, 'Got it']);
  await writeFile(join(root, 'letter.txt'), 'Dear Ada');
  await call('drop', { target: '#drop', paths: ['letter.txt'] });
  expect(await textAt('#drop')).toBe('Got letter.txt');
  await call('click', { target: '#file' });
  await call('file_upload', { paths: ['letter.txt'] });
  expect(await inPage('document.querySelector("#file").files[0].text()')).toBe('Dear Ada');
  await call('evaluate', { function: '() => { setTimeout(() => { window.said = prompt("Who?"); }); }' });
  await call('handle_dialog', { accept: true, promptText: 'me' });
  expect(await inPage('said')).toBe('me');

  // What the page is like.
  expect(await call('snapshot')).toContain('- listitem [ref=');
  expect(await call('find', { text: 'Pear' })).toContain('Found 1 match');
  expect(await call('wait_for', { text: 'Apple' })).toContain('Waited for Apple');
  expect(await call('console_messages', { level: 'error' })).toContain('desk is ready');
  await inPage(`fetch('/data').then((answer) => answer.text())`);
  const requests = await call('network_requests', { static: false, filter: '/data' });
  const index = Number(/(\d+)\. \[GET\]/.exec(requests)?.[1]);
  expect(await call('network_request', { index })).toContain('/data');
  expect(await call('network_request', { index, part: 'response-body' })).toContain('data for nobody');
  const shot = linked(await call('take_screenshot', { scale: 'css' }));
  expect(dirname(shot)).toBe(join(root, '.pwpool', 'ada'));
  await call('resize', { width: 900, height: 700 });
  expect(await inPage('[innerWidth, innerHeight]')).toEqual([900, 700]);
  await call('emulate_media', { colorScheme: 'dark' });
  expect(await inPage('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true);
  expect(await call('run_code_unsafe', { code: 'async (page) => await page.title()' })).toContain('Desk');

  // CAPS=config
  expect(await call('get_config')).toContain(join(root, '.pwpool', 'ada'));

  // CAPS=network
  await call('route', { pattern: '**/data', body: 'mocked' });
  expect([await call('route_list'), await fetched()]).toEqual([expect.stringContaining('**/data'), 'mocked']);
  await call('unroute');
  await call('route', { pattern: '**/data', headers: ['X-Who: ada'] });
  expect(await fetched()).toBe('data for ada');
  await call('unroute', { pattern: '**/data' });
  expect(await fetched()).toBe('data for nobody');
  await call('network_state_set', { state: 'offline' });
  expect(await fetched()).toBe('failed');
  await call('network_state_set', { state: 'online' });
  expect(await fetched()).toBe('data for nobody');

  // CAPS=storage
  await call('cookie_set', { name: 'who', value: 'ada' });
  expect(await inPage('document.cookie')).toBe('who=ada');
  expect(await call('cookie_get', { name: 'who' })).toContain('who=ada');
  expect(await call('cookie_list')).toContain('who=ada');
  await call('localstorage_set', { key: 'k', value: 'v' });
  expect(await inPage('localStorage.k')).toBe('v');
  const state = linked(await call('storage_state'));
  expect(dirname(state)).toBe(join(root, '.pwpool', 'ada'));
  await call('cookie_delete', { name: 'who' });
  expect(await inPage('document.cookie')).toBe('');
  await call('localstorage_delete', { key: 'k' });
  expect(await inPage('localStorage.length')).toBe(0);
  await call('set_storage_state', { filename: state });
  expect(await inPage('[document.cookie, localStorage.k]')).toEqual(['who=ada', 'v']);
  await call('cookie_clear');
  expect(await inPage('document.cookie')).toBe('');
  await call('sessionstorage_set', { key: 's', value: 't' });
  expect(await inPage('sessionStorage.s')).toBe('t');
  for (const storage of ['localstorage', 'sessionstorage']) {
    const [key, value] = storage === 'localstorage' ? ['k', 'v'] : ['s', 't'];
    expect(await call(`${storage}_get`, { key })).toContain(`${key}=${value}`);
    expect(await call(`${storage}_list`)).toContain(`${key}=${value}`);
    await call(`${storage}_clear`);
    expect(await call(`${storage}_get`, { key })).toContain('not found');
  }
  await call('sessionstorage_set', { key: 's', value: 't' });
  await call('sessionstorage_delete', { key: 's' });
  expect(await inPage('sessionStorage.length')).toBe(0);

  // CAPS=testing
  const target = /textbox "Name".*?\[ref=(\w+)\]/.exec(await call('snapshot'))?.[1];
  expect(await call('generate_locator', { target })).toContain("getByRole('textbox', { name: 'Name' })");
  const passing: readonly (readonly [string, ToolArguments, ToolArguments])[] = [
    [
      'verify_element_visible',
      { role: 'button', accessibleName: 'Pressed' },
      { role: 'button', accessibleName: 'No' },
    ],
    ['verify_text_visible', { text: 'Apple' }, { text: 'Plum' }],
    [
      'verify_list_visible',
      { element: 'fruit', target: 'ul', items: ['Apple', 'Pear'] },
      { element: 'fruit', target: 'ul', items: ['Plum'] },
    ],
    [
      'verify_value',
      { type: 'textbox', element: 'name', target: '#name', value: 'Bob' },
      { type: 'textbox', element: 'name', target: '#name', value: 'Eve' },
    ],
  ];
  for (const [name, right, wrong] of passing) {
    expect(await call(name, right)).toContain('Done');
    await failing(name, wrong);
  }

  // CAPS=vision
  await inPage('document.querySelector("#big").textContent = "Press"');
  await call('mouse_click_xy', { x: 50, y: 50 });
  expect(await textAt('#big')).toBe('Pressed');
  await call('mouse_move_xy', { x: 61, y: 40 });
  expect(await inPage('last')).toBe('mousemove 61');
  await call('mouse_down');
  expect(await inPage('last')).toBe('mousedown 61');
  await call('mouse_up');
  expect(await inPage('last')).toBe('mouseup 61');
  await call('mouse_drag_xy', { startX: 10, startY: 10, endX: 70, endY: 60 });
  expect(await inPage('last')).toBe('mouseup 70');
  await call('mouse_wheel', { deltaX: 0, deltaY: 30 });
  await expect.poll(() => inPage('last')).toBe('wheel 70');

  // CAPS=pdf
  const pdf = linked(await call('pdf_save'));
  expect(dirname(pdf)).toBe(join(root, '.pwpool', 'ada'));
  expect((await readFile(pdf)).subarray(0, 5).toString()).toBe('%PDF-');
  await call('pdf_save', { filename: 'papers/desk.pdf' });
  expect((await stat(join(root, 'papers', 'desk.pdf'))).size).toBeGreaterThan(1_000);

  // CAPS=devtools
  expect(await call('start_tracing')).not.toContain('](');
  await call('click', { target: '#big' });
  const trace = linked(await call('stop_tracing'));
  expect(dirname(trace)).toBe(join(root, '.pwpool', 'ada', 'traces'));
  expect((await readFile(trace)).includes('trace.trace')).toBe(true);
  await failing('stop_tracing');
  await call('highlight', { target: '#big', style: 'outline: 2px dashed red' });
  const marks = () => inPage('document.querySelectorAll("x-pw-glass").length');
  await expect.poll(marks).toBe(1);
  await call('hide_highlight', {});
  await call('start_recording');
  await call('click', { target: '#big' });
  expect(await call('stop_recording')).toContain("getByRole('button', { name: 'Pressed' }).click()");
  await call('video_show_actions', { duration: 1, cursor: 'none' });
  await call('video_hide_actions');
  await call('video_chapter', { title: 'One', duration: 1 });

  expect([...called].map((name) => `browser_${name}`).sort()).toEqual(
    TOOL_NAMES.filter((name) => !OTHERWISE.has(name)).sort(),
  );
});

/** Those that do not work on a machine like this, or in a browser like this; the next tests say what they answer. */
const OTHERWISE: ReadonlySet<string> = new Set([
  'browser_close',
  'browser_annotate',
  'browser_resume',
  'browser_start_video',
  'browser_stop_video',
]);

it('a video that cannot begin, for want of ffmpeg, says so and does not count as begun', async () => {
  expect(await failing('start_video')).toMatch(/npx playwright install ffmpeg/);
  expect(await call('stop_video')).toContain('No videos were recorded.');
  expect((await readdir(join(root, '.pwpool', 'ada'))).filter((name) => name.endsWith('.webm'))).toEqual([]);
});

it('what waits for a person answers at once where there is none', async () => {
  await expect(call('annotate')).rejects.toMatchObject({
    code: 'EXECUTION_ERROR',
    hint: expect.stringContaining('browser_take_screenshot'),
  });
  for (const args of [{}, { step: true }, { location: 'a.spec.ts:4' }]) {
    expect(await failing('resume', args)).toContain('Debugger is not paused');
  }
});

it('browser_close ends a trace, a recording and routes with the pages; the session goes on', async () => {
  await call('navigate', { url: origin });
  await call('route', { pattern: '**/data', body: 'mocked' });
  await call('start_tracing');
  await call('start_recording');
  await call('close');
  await call('navigate', { url: origin });
  expect(await fetched()).toBe('data for nobody');
  expect(await call('route_list')).toContain('No active routes');
  expect(await failing('stop_tracing')).toContain('Tracing is not started');
  expect(await failing('stop_recording')).toContain('No recording in progress');
});
