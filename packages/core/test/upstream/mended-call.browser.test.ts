import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolArguments } from '../../src/connection/tool-connection.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { Lease } from '../../src/pool/lease.js';
import { failureOf } from '../../src/upstream/failure.js';

const PAGES: Readonly<Record<string, string>> = {
  '/': '<title>Start</title><h1>Start</h1>',
  '/next': '<title>Next</title><h1>Next</h1>',
  '/modals': `<title>Modals</title><button id="alert" onclick="alert('Sure?')">Alert</button>
    <input id="file" type="file">`,
  '/loop': `<title>Loop</title><button id="go" onclick="for (;;) alert('Again')">Go</button>`,
  '/refresh': '<title>Refresh</title><meta http-equiv="refresh" content="0.2"><h1>Again</h1>',
  '/at-once': '<title>At once</title><meta http-equiv="refresh" content="0"><h1>Again</h1>',
  '/reload': '<title>Reload</title><h1>Again</h1><script>location.reload()</script>',
  '/later': '<title>Later</title><h1>Again</h1><script>setInterval(() => location.reload(), 100)</script>',
  '/thrice': `<title>Thrice</title><h1></h1><script>
    const count = Number(sessionStorage.count ?? 0) + 1;
    sessionStorage.count = count;
    document.querySelector('h1').textContent = 'Load ' + count;
    if (count < 4) location.reload();
    </script>`,
  '/onwards': `<title>Onwards</title><script>
    const count = Number(sessionStorage.count ?? 0) + 1;
    sessionStorage.count = count;
    setTimeout(() => { location.href = '/next'; }, 500);
    if (count < 20) location.reload();
    </script>`,
  '/endless': '<title>Endless</title><button id="go" onclick="for (;;);">Go</button>',
  '/fields': `<title>Fields</title>
    <input id="date" type="date"> <input id="time" type="time"> <input id="month" type="month">
    <input id="week" type="week"> <input id="color" type="color"> <input id="range" type="range" max="50">
    <input id="number" type="number"> <input id="text"> <input id="short" maxlength="3">
    <input id="masked" oninput="this.value = this.value.replace(/[^0-9]/g, '')">
    <input id="chips" type="date" oninput="this.nextElementSibling.append(this.value); this.value = ''"><p></p>
    <iframe srcdoc="<input id='framed' type='date'>"></iframe>`,
};

describe('calls that upstream carries out badly', () => {
  let directory: string;
  let pools: BrowserPools;
  let lease: Lease;
  const server = createServer((request, response) => {
    if (request.url === '/slow') return;
    response.setHeader('content-type', 'text/html');
    response.end(PAGES[request.url ?? ''] ?? '');
  });
  const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const call = async (name: string, args: ToolArguments = {}) => {
    const result = await lease.callTool(name, args);
    const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    return { text, failure: failureOf(result) };
  };
  const open = async (path: string) => {
    const { text, failure } = await call('browser_navigate', { url: at(path) });
    expect(failure).toBeUndefined();
    return text;
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pwpool-mended-'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    pools = await BrowserPools.create({
      outputDir: directory,
      pools: {
        DEFAULT: { instances: 1, isDefault: true, isolated: true, timeoutSettle: 0 },
      },
    });
    // One for all: each test opens the page that it is about, whatever the one before has left.
    lease = await pools.lease();
  });

  afterAll(async () => {
    await lease.release();
    await pools.close();
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('opens an address with spaces or a line end around it [arch-mend-01]', async () => {
    for (const url of [` ${at('/next')}`, `${at('/next')}\n`]) {
      const { text, failure } = await call('browser_navigate', { url });
      expect(failure).toBeUndefined();
      expect(text).toContain('Page Title: Next');
    }
    const tab = await call('browser_tabs', { action: 'new', url: ` ${at('/next')}\n` });
    expect(tab.text).toContain('[Next]');
  });

  it('dismisses an open dialog or file chooser for a navigation, and says so [arch-mend-02]', async () => {
    await open('/modals');
    await call('browser_click', { target: '#alert' });
    const past = await open('/next');
    expect(past).toContain('Page Title: Next');
    expect(past).toContain('The dialog that was open was dismissed first.');
    await open('/modals');
    await call('browser_click', { target: '#file' });
    const cancelled = await open('/next');
    expect(cancelled).toContain('Page Title: Next');
    expect(cancelled).toContain('The file chooser that was open was cancelled first.');
    expect(await open('/')).not.toContain('first.');
  });

  it('leaves a page that opens dialogs without end by a navigation or by closing it [arch-mend-02]', {
    tags: ['at-length'],
  }, async () => {
    await open('/loop');
    await call('browser_click', { target: '#go' });
    const away = await open('/next');
    expect(away).toContain('Page Title: Next');
    expect(away).toContain('dialogs without end');
    expect((await call('browser_tabs', { action: 'list' })).text).not.toContain('/loop');
    await open('/loop');
    await call('browser_click', { target: '#go' });
    expect((await call('browser_tabs', { action: 'close' })).failure).toBeUndefined();
    expect(await open('/next')).toContain('Page Title: Next');
  });

  it('opens a page right after one that failed [arch-mend-03]', { tags: ['at-length'] }, async () => {
    for (let round = 0; round < 8; round++) {
      expect((await call('browser_navigate', { url: 'http://127.0.0.1:1/' })).failure).toBeDefined();
      expect(await open('/next')).toContain('Page Title: Next');
    }
  });

  it('closes the other tabs, and says when there is none to close [arch-mend-04]', async () => {
    await open('/next');
    for (const _ of [1, 2, 3]) await call('browser_tabs', { action: 'new', url: at('/') });
    await call('browser_tabs', { action: 'select', index: 0 });
    const { text, failure } = await call('browser_tabs', { action: 'close_others' });
    expect(failure).toBeUndefined();
    expect(text).toMatch(/^- 0: \(current\) \[Next\]/m);
    expect(text).not.toContain('- 1:');
    await call('browser_tabs', { action: 'close' });
    expect((await call('browser_tabs', { action: 'close' })).failure).toMatchObject({
      message: 'There is no open tab to close.',
    });
  });

  it('says that a field did not take a value [arch-mend-05]', async () => {
    await open('/fields');
    for (const id of ['date', 'time', 'month', 'week', 'color', 'range', 'number']) {
      const { failure } = await call('browser_type', { target: `#${id}`, text: 'garbage' });
      expect(failure, id).toMatchObject({ code: 'EXECUTION_ERROR' });
      if (id === 'number') continue;
      expect(failure?.message).toMatch(
        new RegExp(`^<input id="${id}".*> did not take "garbage": it holds "`),
      );
    }
    const slowly = { text: 'garbage', slowly: true };
    for (const id of ['date', 'number'])
      expect((await call('browser_type', { target: `#${id}`, ...slowly })).failure, id).toBeDefined();
    expect((await call('browser_type', { target: '#range', text: '80' })).failure?.message).toContain(
      'holds "50"',
    );
    const field = (id: string, value: string) => ({ target: `#${id}`, name: id, type: 'textbox', value });
    const form = { fields: [field('text', 'Ada'), field('date', 'tomorrow'), field('time', '13:45')] };
    expect((await call('browser_fill_form', form)).failure?.message).toMatch(
      /^<input id="date" type="date"> did not take its value: it holds ""\. It takes 2026-11-22\.$/,
    );
    const framed = "locator('iframe').contentFrame().locator('#framed')";
    expect((await call('browser_type', { target: framed, text: 'garbage' })).failure).toBeDefined();
  });

  it('raises no alarm for what a field takes, or a page makes of it [arch-mend-05]', {
    tags: ['at-length'],
  }, async () => {
    await open('/fields');
    const values = {
      date: '2026-11-22',
      time: '13:45',
      month: '2026-11',
      week: '2026-W47',
      color: '#FF8800',
      range: '20',
      number: '12',
      text: 'Ada ',
      short: 'too long',
      masked: '12/34',
      chips: '2026-11-22',
    };
    for (const [id, text] of Object.entries(values))
      expect((await call('browser_type', { target: `#${id}`, text })).failure, id).toBeUndefined();
    for (const id of ['date', 'number'])
      expect((await call('browser_type', { target: `#${id}`, text: '' })).failure, id).toBeUndefined();
    const slowly = await call('browser_type', { target: '#number', text: '12', slowly: true });
    expect(slowly.failure).toBeUndefined();
  });

  it('ends an action on a page with a script without end by closing the page [arch-mend-06]', async () => {
    await open('/endless');
    const error = await call('browser_click', { target: '#go' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CALL_TIMEOUT', details: { pageClosed: true } });
    expect(await open('/next')).toContain('Page Title: Next');
  });

  it('reads a page that reloads itself without end, and leaves it [arch-mend-07]', async () => {
    for (const path of ['/refresh', '/at-once', '/reload']) {
      const { text, failure } = await call('browser_navigate', { url: at(path) });
      expect(failure, path).toBeUndefined();
      expect(text, path).toContain(`Page URL: ${at(path)}`);
      // The others may be read between two loads.
      if (path === '/reload') expect(text).toContain('kept reloading itself');
      const snapshot = await call('browser_snapshot');
      expect(snapshot.failure, path).toBeUndefined();
      expect(snapshot.text, path).toMatch(/heading "Again" .*\[ref=/);
    }
    expect(await open('/next')).toContain('Page Title: Next');
  });

  it('lets a page reload when the call is over [arch-mend-07]', { tags: ['at-length'] }, async () => {
    await open('/later');
    await new Promise<void>((resolve) =>
      server.on('request', ({ url }) => {
        if (url === '/later') resolve();
      }),
    );
    // The next test is about a page of its own, not about leaving this one.
    await call('browser_close');
  });

  it('leaves a page that reloads itself by a timer, time and again [arch-mend-07]', {
    tags: ['at-length'],
  }, async () => {
    for (let round = 0; round < 10; round++) {
      await open('/later');
      // No failure. A reload that was on its way may bring the page back, which the answer then shows.
      await open('/next');
    }
  });

  it('leaves a page alone that reloads itself a few times [arch-mend-07]', {
    tags: ['at-length'],
  }, async () => {
    await open('/thrice');
    const { text } = await call('browser_wait_for', { text: 'Load 4', time: 30 });
    expect(text).toContain('Page Title: Thrice');
    expect(text).not.toContain('kept reloading');
  });

  it('lets a page that reloads itself go elsewhere [arch-mend-07]', { tags: ['at-length'] }, async () => {
    await open('/');
    const page = lease.context().pages()[0];
    const waiting = call('browser_wait_for', { text: 'Next', time: 30 });
    await page?.evaluate(() => {
      location.href = '/onwards';
    });
    expect((await waiting).text).toContain('Page Title: Next');
  });

  it('keeps the routes of a session on a page that reloads itself [arch-mend-07]', {
    tags: ['at-length'],
  }, async () => {
    const context = lease.context();
    await context.route('**/at-once', (route) =>
      route.fulfill({ contentType: 'text/html', body: PAGES['/reload'] ?? '' }),
    );
    expect(await open('/at-once')).toContain('Page Title: Reload');
    expect(await open('/at-once')).toContain('Page Title: Reload');
  });
});
