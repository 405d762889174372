import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CAPABILITIES } from '../../src/config/capabilities.js';
import type { PoolInput } from '../../src/config/config-input.js';
import type { ToolArguments } from '../../src/connection/tool-connection.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { Session } from '../../src/session/session.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { textOf } from '../driver/embedded-fixture.js';

let origin: string;
const site = createServer((request, response) => {
  response.setHeader('content-type', request.url === '/data' ? 'text/plain' : 'text/html');
  response.end(
    request.url === '/data' ? `for ${request.headers['x-who'] ?? 'nobody'}` : '<button>Go</button>',
  );
});

beforeAll(async () => {
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});

afterAll(() => {
  site.close();
  site.closeAllConnections();
});

async function sessionsOver(pool: PoolInput & { instances: number }) {
  const directory = await mkdtemp(join(tmpdir(), 'pwpool-next-'));
  const settings = { isDefault: true, lazy: true, timeoutSettle: 0 };
  const pools = await BrowserPools.create({
    outputDir: join(directory, 'out'),
    caps: CAPABILITIES,
    allowUnsafeCode: true,
    pools: { WEB: { ...settings, ...pool, profileDir: join(directory, 'profiles') } },
  });
  const sessions = new SessionManager(pools);
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]();
    await pools.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  const start = async (sessionId: string, instance = '0') =>
    (await sessions.start({ client: 'test', sessionId, instance })).session;
  return { start, close: (id: string) => sessions.close('test', id), pools };
}

async function call(session: Session, name: string, args: ToolArguments = {}): Promise<string> {
  return textOf((await session.callTool(`browser_${name}`, args)).result);
}

/** Everything that a holder can set, through tools and through the code that one of them runs. */
async function setEverything(session: Session, isolated: boolean): Promise<void> {
  await call(session, 'navigate', { url: origin });
  await call(session, 'cookie_set', { name: 'who', value: 'ada', expires: 4_000_000_000 });
  await call(session, 'localstorage_set', { key: 'who', value: 'ada' });
  await call(session, 'sessionstorage_set', { key: 'who', value: 'ada' });
  await call(session, 'resize', { width: 501, height: 502 });
  await call(session, 'emulate_media', { colorScheme: 'dark', reducedMotion: 'reduce' });
  await call(session, 'tabs', { action: 'new' });
  await call(session, 'tabs', { action: 'new', url: origin, isolatedContext: 'other' });
  await call(session, 'tabs', { action: 'select', index: 0 });
  await call(session, 'start_tracing');
  await call(session, 'start_recording');
  await call(session, 'start_video');
  await call(session, 'highlight', { target: 'button' });
  await call(session, 'video_show_actions');
  const code = `async (page) => {
    const context = page.context();
    await context.grantPermissions(['geolocation']);
    await context.setGeolocation({ latitude: 1, longitude: 2 });
    await context.setExtraHTTPHeaders({ 'X-Who': 'ada' });
    await context.route('**/data?mine', (route) => route.fulfill({ body: 'mine' }));
    ${isolated ? 'await context.addInitScript(() => { window.marked = true; });' : ''}
  }`;
  expect(await call(session, 'run_code_unsafe', { code })).not.toContain('### Error');
  await call(session, 'route', { pattern: '**/data', body: 'mocked' });
  await call(session, 'network_state_set', { state: 'offline' });
}

/**
 * What goes only with the context. The layer on which Playwright draws is one: its recorder leaves it, with nothing on it, in
 * every later page, and cannot be taken out of a context.
 */
const OF_A_CONTEXT =
  "cookie: document.cookie, local: localStorage.length, marks: document.querySelectorAll('x-pw-glass').length,";

/** What a holder finds, with what it can ask of the page and of the tools. */
async function seenBy(session: Session, kept: 'storage' | 'nothing') {
  const tabs = (await call(session, 'tabs', { action: 'list' })).match(/^- \d+:.*$/gm);
  await call(session, 'navigate', { url: origin });
  const page = await call(session, 'evaluate', {
    function: `async () => {
      const fetched = (path) => fetch(path).then((answer) => answer.text(), () => 'failed');
      const { state } = await navigator.permissions.query({ name: 'geolocation' });
      return JSON.stringify({
        data: [await fetched('/data'), await fetched('/data?mine')], online: navigator.onLine, state,
        size: [innerWidth, innerHeight], marked: window.marked ?? false,
        media: ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'].map((query) => matchMedia(query).matches),
        session: sessionStorage.length, ${kept === 'storage' ? '' : OF_A_CONTEXT}
      });
    }`,
  });
  return {
    tabs,
    page: /### Result\n(.*)/.exec(page)?.[1],
    routes: await call(session, 'route_list'),
    trace: await call(session, 'stop_tracing'),
    recording: await call(session, 'stop_recording'),
    video: await call(session, 'stop_video'),
  };
}

describe('what a session has set', () => {
  async function isGoneForTheNextHolder(
    pool: { instances: number; isolated: boolean },
    kept: 'nothing' | 'storage',
  ) {
    const { start, close } = await sessionsOver(pool);
    const fresh = await seenBy(await start('first'), kept);
    expect(fresh.page).toContain('for nobody');
    await close('first');

    const ada = await start('ada');
    await setEverything(ada, pool.isolated);
    // It was all there, else the rest would show nothing.
    expect(await call(ada, 'route_list')).toContain('**/data');
    const offline = await call(ada, 'evaluate', { function: '() => [navigator.onLine, innerWidth]' });
    expect(offline).toMatch(/false,\s+501/);
    await close('ada');

    expect(await seenBy(await start('next'), kept)).toEqual(fresh);
  }

  it('is gone for the next holder: an isolated instance [arch-caps-02]', {
    tags: ['at-length'],
  }, async () => {
    await isGoneForTheNextHolder({ instances: 1, isolated: true }, 'nothing');
  });

  it('is gone for the next holder: a profile on disk, but for what the profile keeps [arch-caps-02]', {
    tags: ['at-length'],
  }, async () => {
    await isGoneForTheNextHolder({ instances: 1, isolated: false }, 'storage');
  });

  it('is not there for the neighbour in the same browser, neither meanwhile nor afterwards [arch-caps-02]', async () => {
    const { start, close } = await sessionsOver({ instances: 2, isolated: true, contextsPerBrowser: 2 });
    const neighbour = await start('neighbour', '1');
    const ada = await start('ada');
    const fresh = await seenBy(neighbour, 'nothing');
    await setEverything(ada, true);
    const meanwhile = await seenBy(neighbour, 'nothing');
    await close('ada');
    const next = await seenBy(await start('next'), 'nothing');
    const afterwards = await seenBy(neighbour, 'nothing');
    // Its own page is there by now.
    const tabs = [expect.stringContaining(origin)];
    expect([meanwhile, afterwards]).toEqual([
      { ...fresh, tabs },
      { ...fresh, tabs },
    ]);
    expect(next).toEqual(fresh);
  });

  it('holds nothing up when the browser is killed in the middle of it, and is not there in the next one', {
    tags: ['at-length'],
  }, async () => {
    const { start, close, pools } = await sessionsOver({ instances: 1, isolated: true });
    const ada = await start('ada');
    await setEverything(ada, true);
    process.kill(pools.status().pools[0]?.instances[0]?.process_id ?? Number.NaN, 'SIGKILL');
    await expect.poll(() => ada.hasBrowser).toBe(false);
    const { restored } = await ada.callTool('browser_snapshot', {});
    expect(restored?.after).toBe('crashed');
    expect(await call(ada, 'route_list')).toContain('No active routes');
    expect(await call(ada, 'stop_tracing')).toContain('Tracing is not started');
    expect(await call(ada, 'start_tracing')).toContain('Trace recording started');
    await close('ada');
  });
});
