import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import {
  errorOf,
  packedPool,
  pool,
  poolsOf,
  StdioServer,
  temporaryDirectory,
  textOf,
  titleOf,
} from './fixtures/stdio-server.js';

const test = onSharedServer(packedPool('DEFAULT', 2));

const LOG_IN = {
  function:
    "() => { document.cookie = 'user=alice; max-age=3600'; localStorage.setItem('cart', 'teapot'); sessionStorage.setItem('step', '2'); }",
};
const READ = {
  function: "() => [document.cookie, localStorage.getItem('cart'), sessionStorage.getItem('step')].join(' ')",
};

async function killBrowser(server: StdioServer): Promise<void> {
  const status = (await server.call('browser_pool_status')).structuredContent as {
    pools: { instances: { process_id: number | null; leased: boolean }[] }[];
  };
  const id = status.pools[0]?.instances.find(({ leased }) => leased)?.process_id;
  if (typeof id !== 'number') throw new Error('No leased browser runs.');
  process.kill(id, 'SIGKILL');
}

describe('a session whose browser crashes', () => {
  it('goes on in a new browser with its cookies, storage and URL, and says so once', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start(pool('DEFAULT', 2));
    await server.text('start_browser', { sessionId: 'alice', navigationUrl: `${site.origin}/page/shop` });
    await server.text('browser_evaluate', { sessionId: 'alice', ...LOG_IN });
    const call = server.call('browser_navigate', { sessionId: 'alice', url: `${site.origin}/hang` });
    await expect.poll(() => site.requests).toContain('/hang');
    await killBrowser(server);
    expect(errorOf(await call)).toMatchObject({
      code: 'INSTANCE_CRASHED',
      hint: "Call again: session 'alice' goes on in a new browser, with its last cookies, storage and URL.",
    });
    const restored = await server.call('browser_evaluate', { sessionId: 'alice', ...READ });
    expect(textOf(restored)).toContain('user=alice teapot 2');
    expect(textOf(restored)).toContain('restored: true');
    expect(textOf(restored)).toContain('In-page state is gone');
    expect(restored._meta).toMatchObject({
      restored: true,
      parked: false,
      restoredUrl: `${site.origin}/page/shop`,
    });
    const next = await server.call('browser_snapshot', { sessionId: 'alice' });
    expect(titleOf(textOf(next))).toBe('shop');
    expect(textOf(next)).not.toContain('restored');

    // What no state brings back is told once in words, and always beside them.
    await killBrowser(server);
    await expect.poll(async () => (await poolsOf(server))[0]?.leased_instances).toBe(0);
    const again = await server.call('browser_evaluate', { sessionId: 'alice', ...READ });
    const notice = (answer: typeof again) => textOf(answer).split('### Session restored\n')[1]?.split('\n');
    expect(notice(restored)).toHaveLength(2);
    expect(notice(restored)?.[1]).toMatch(/^No state brings back: In-page state is gone/);
    expect(notice(again)).toEqual([
      expect.stringMatching(
        /restored: true.*page\/shop; typed text, references and other in-page state are gone\./,
      ),
    ]);
    expect(again._meta?.['notRestored']).toContainEqual(expect.stringMatching(/^In-page state is gone/));
  });

  it('ends with SESSION_RESTORE=false, and every later call says why', { tags: ['at-length'] }, async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...pool('DEFAULT', 1),
      PW_MCP_PROXY_SESSION_RESTORE: 'false',
    });
    await server.text('start_browser', { sessionId: 'alice', navigationUrl: `${site.origin}/page/shop` });
    await killBrowser(server);
    const status = async () => (await server.call('browser_pool_status')).structuredContent;
    await expect.poll(status).toMatchObject({ summary: { leased_instances: 0 } });
    for (let time = 0; time < 2; time++) {
      expect(await server.error('browser_snapshot', { sessionId: 'alice' })).toMatchObject({
        code: 'SESSION_EXPIRED',
        message: expect.stringContaining('ended unexpectedly'),
      });
    }
    await server.text('start_browser', { sessionId: 'alice' });
  });
});

describe('a state that is saved under a name', () => {
  it('is used by the next server: encrypted, for its user only, and told apart by its key', {
    tags: ['at-length'],
  }, async () => {
    await using site = await startSite();
    await using directory = await temporaryDirectory();
    const stateDir = join(directory.path, 'states');
    await mkdir(stateDir, { mode: 0o700 });
    const variables = {
      ...pool('DEFAULT', 2),
      PW_MCP_PROXY_STATE_DIR: stateDir,
      PW_MCP_PROXY_STATE_KEY: 'correct horse',
    };
    const url = `${site.origin}/page/shop`;
    {
      await using first = await StdioServer.start(variables);
      await first.text('start_browser', { sessionId: 'alice', navigationUrl: url });
      await first.text('browser_evaluate', { sessionId: 'alice', ...LOG_IN });
      const closed = await first.call('close_session', { sessionId: 'alice', save: 'alice-login' });
      expect(closed.structuredContent).toEqual({
        success: true,
        sessionId: 'alice',
        saved: 'alice-login',
        incomplete: [],
      });
    }
    expect(await readdir(stateDir)).toEqual(['alice-login.json']);
    expect((await stat(join(stateDir, 'alice-login.json'))).mode & 0o777).toBe(0o600);
    await using second = await StdioServer.start(variables);
    const started = await second.call('start_browser', { sessionId: 'again', restore: 'alice-login' });
    expect(started.structuredContent).toMatchObject({ restored: true, restoredUrl: url });
    expect(await second.text('browser_evaluate', { sessionId: 'again', ...READ })).toContain(
      'user=alice teapot 2',
    );
    expect(await second.error('start_browser', { restore: 'bob-login' })).toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringContaining('alice-login'),
    });
    expect(await second.error('start_browser', { restore: '../alice-login' })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    const { sessions } = (await second.call('list_sessions')).structuredContent as { sessions: unknown[] };
    expect(sessions).toHaveLength(1);
    await using stranger = await StdioServer.start({ ...variables, PW_MCP_PROXY_STATE_KEY: 'wrong' });
    const refused = await stranger.error('start_browser', { restore: 'alice-login' });
    expect(refused.code).toBe('CONFIG_INVALID');
    expect(JSON.stringify(refused)).not.toContain('correct horse');
  });

  test('is copied from a live session by from, after which the two go their own ways', {
    tags: ['at-length'],
  }, async ({ server }) => {
    await using site = await startSite();
    await server.text('start_browser', { sessionId: 'alice', navigationUrl: `${site.origin}/page/shop` });
    await server.text('browser_evaluate', { sessionId: 'alice', ...LOG_IN });
    await server.text('start_browser', { sessionId: 'fork', from: 'alice' });
    expect(await server.text('browser_evaluate', { sessionId: 'fork', ...READ })).toContain(
      'user=alice teapot 2',
    );
    await server.text('browser_evaluate', {
      sessionId: 'fork',
      function: "() => localStorage.setItem('cart', 'lantern')",
    });
    expect(await server.text('browser_evaluate', { sessionId: 'alice', ...READ })).toContain('teapot');
  });
});

describe('a pool that is full', () => {
  it('parks the session that has been idle longest for one that waits, and restores it when it is used (SESSION_PREEMPT)', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...pool('DEFAULT', 1),
      PW_MCP_PROXY_SESSION_PREEMPT: '1',
    });
    const visit = (sessionId: string) =>
      server.text('start_browser', { sessionId, navigationUrl: `${site.origin}/page/${sessionId}` });
    await visit('alice');
    await server.text('browser_evaluate', { sessionId: 'alice', ...LOG_IN });
    await visit('bob');
    const { sessions } = (await server.call('list_sessions')).structuredContent as { sessions: object[] };
    expect(sessions).toMatchObject([
      { sessionId: 'alice', status: 'parked', browser_instance: null },
      { sessionId: 'bob', status: 'active', browser_instance: '0' },
    ]);
    const back = await server.call('browser_evaluate', { sessionId: 'alice', ...READ });
    expect(textOf(back)).toContain('user=alice teapot 2');
    expect(textOf(back)).toContain('parked: true');
    expect(back._meta).toMatchObject({
      restored: true,
      parked: true,
      restoredUrl: `${site.origin}/page/alice`,
    });
    expect(titleOf(await server.text('browser_snapshot', { sessionId: 'bob' }))).toBe('bob');
  });

  test('tells a caller that waits its place and who holds what, as progress', {
    tags: ['at-length'],
  }, async ({ server }) => {
    for (const sessionId of ['alice', 'ada']) await server.text('start_browser', { sessionId });
    const messages: string[] = [];
    const waiting = server.client.callTool(
      { name: 'start_browser', arguments: { sessionId: 'bob' } },
      undefined,
      {
        onprogress: ({ message }) => void messages.push(message ?? ''),
      },
    );
    await expect
      .poll(() => messages[0])
      .toMatch(
        /Waiting for a browser of pool 'DEFAULT' for \d+ s, 0 ahead\. Held: instance 0 by session (alice|ada) for \d+ s; instance 1 by session (alice|ada) for \d+ s\./,
      );
    await server.text('close_session', { sessionId: 'alice' });
    expect((await waiting).isError).toBeUndefined();
  });
});
