import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDisplay, XVFB } from './fixtures/display.js';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import { packedPool, pool, poolsOf, StdioServer, textOf, titleOf } from './fixtures/stdio-server.js';

const test = onSharedServer({
  ...packedPool('DEFAULT', 3),
  ...pool('SIDE', 1, { IS_DEFAULT: 'false', TIMEOUT_NAVIGATION: '10000' }),
  PW_MCP_PROXY_SESSION_IDLE_TIMEOUT: '600000',
});

interface Listed {
  sessions: Record<string, string>[];
  currentSession: string | null;
}

async function list(server: StdioServer): Promise<Listed> {
  return (await server.call('list_sessions')).structuredContent as unknown as Listed;
}

const LOG_IN = { function: "() => { document.cookie = 'user=alice'; }" };
const READ = { function: '() => document.cookie' };

describe('a call that names no session', () => {
  it('reaches what set_current_session says; when that is closed, the client’s own one [003-current-01, 003-metadata-01, 003-metadata-02]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...packedPool('DEFAULT', 3),
      PW_MCP_PROXY_SESSION_DEFAULT: 'last',
    });
    const url = (name: string) => `${site.origin}/page/${name}`;
    await server.text('browser_navigate', { url: url('own') });
    for (const sessionId of ['alice', 'bob']) {
      await server.text('start_browser', { sessionId, navigationUrl: url(sessionId) });
    }
    const current = async () => {
      const answer = await server.call('browser_snapshot');
      return [titleOf(textOf(answer)), answer._meta?.['sessionId'], (await list(server)).currentSession];
    };
    expect(await current()).toEqual(['bob', 'bob', 'bob']);
    expect((await server.call('set_current_session', { sessionId: 'alice' })).structuredContent).toEqual({
      success: true,
      currentSession: 'alice',
    });
    expect(await current()).toEqual(['alice', 'alice', 'alice']);
    expect((await server.call('browser_snapshot', { sessionId: 'bob' }))._meta).toBeUndefined();
    expect(await current()).toEqual(['alice', 'alice', 'alice']);
    expect(await server.error('set_current_session', { sessionId: 'carol' })).toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: 'Start it with start_browser({ sessionId: "carol" }).',
    });
    expect((await list(server)).currentSession).toBe('alice');

    await server.text('close_session', { sessionId: 'alice' });
    expect((await list(server)).currentSession).toBeNull();
    expect(await current()).toEqual(['own', 'browser-1', 'browser-1']);
    expect(titleOf(await server.text('browser_snapshot', { sessionId: 'bob' }))).toBe('bob');
  });

  test('never lands on another’s page: two sub-agents, one forgets its name [arch-target-07]', async ({
    server,
  }) => {
    await using site = await startSite();
    const url = (name: string) => `${site.origin}/page/${name}`;
    const start = async (sessionId: string) =>
      (await server.call('start_browser', { sessionId, navigationUrl: url(sessionId) })).structuredContent;
    expect(await start('alice')).not.toHaveProperty('notices');
    expect(titleOf(await server.text('browser_snapshot'))).toBe('alice');
    expect(await start('bob')).toMatchObject({
      notices: [expect.stringMatching(/^2 sessions are open: pass sessionId .* \(SESSION_AMBIGUOUS\)\.$/)],
    });
    expect((await list(server)).currentSession).toBeNull();
    const requests = site.requests.length;
    expect(await server.error('browser_navigate', { url: url('slip') })).toMatchObject({
      code: 'SESSION_AMBIGUOUS',
      message: 'The call names no session, and 2 are open: alice, bob.',
      hint: expect.stringContaining('Pass the sessionId of the session that you started'),
    });
    expect(site.requests).toHaveLength(requests);
    expect(titleOf(await server.text('browser_snapshot', { sessionId: 'bob' }))).toBe('bob');

    await server.text('set_current_session', { sessionId: 'alice' });
    await server.text('start_browser', { sessionId: 'carol' });
    expect(titleOf(await server.text('browser_snapshot'))).toBe('alice');
    await server.text('close_session', { sessionId: 'alice' });
    expect(await server.error('browser_snapshot')).toMatchObject({ code: 'SESSION_AMBIGUOUS' });
    await server.text('close_session', { sessionId: 'bob' });
    expect(await server.text('browser_snapshot')).toContain('Session: carol');
  });
});

describe('list_sessions', () => {
  test('tells of each session where it runs, what it does and when it would expire [003-list-01]', async ({
    server,
  }) => {
    await server.text('start_browser', { sessionId: 'alice', browser_instance: '0' });
    await server.text('start_browser', { sessionId: 'bob', browser_pool: 'SIDE' });
    const before = await list(server);
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(before).toEqual({
      sessions: [
        ['alice', 'DEFAULT'],
        ['bob', 'SIDE'],
      ].map(([sessionId, browser_pool]) => ({
        sessionId,
        type: 'browser',
        capabilities: { browserName: 'chromium', headless: true },
        browser_pool,
        browser_instance: '0',
        status: 'active',
        createdAt: iso,
        lastUsedAt: iso,
        expiresAt: iso,
      })),
      // Both were named: a call that names none is refused.
      currentSession: null,
    });
    expect(await list(server)).toEqual(before);
    await server.text('browser_snapshot', { sessionId: 'alice' });
    const after = await list(server);
    expect(after.sessions[1]).toEqual(before.sessions[1]);
    const [was, is] = [before.sessions[0], after.sessions[0]];
    expect(is?.['createdAt']).toBe(was?.['createdAt']);
    expect(Date.parse(is?.['lastUsedAt'] ?? '')).toBeGreaterThan(Date.parse(was?.['lastUsedAt'] ?? ''));
    expect(Date.parse(is?.['expiresAt'] ?? '') - Date.parse(is?.['lastUsedAt'] ?? '')).toBe(600_000);
  });
});

describe('closing', () => {
  test('ends all sessions; with detach the browsers stay as they are, until a session needs one [003-close-02, 003-close-03, arch-target-02]', async ({
    server,
  }) => {
    await using site = await startSite();
    const url = `${site.origin}/page/shop`;
    const both = async () => {
      const visit = async (sessionId: string, browser_instance: string) => {
        await server.text('start_browser', { sessionId, browser_instance, navigationUrl: url });
        await server.text('browser_evaluate', { sessionId, ...LOG_IN });
      };
      await Promise.all([visit('alice', '0'), visit('bob', '1')]);
    };
    const closeAll = async (args: Record<string, unknown> = {}) => {
      const answer = await server.call('close_all_sessions', args);
      expect(answer.structuredContent).toEqual({
        success: true,
        closed: expect.arrayContaining(['alice', 'bob']),
      });
      expect(await list(server)).toEqual({ sessions: [], currentSession: null });
      expect((await poolsOf(server))[0]).toMatchObject({ leased_instances: 0, available_instances: 3 });
    };
    const seenAt = (browser_instance: string) =>
      server.text('browser_evaluate', { browser_instance, ...READ });

    await both();
    await closeAll();
    for (const id of ['0', '1']) {
      expect(await server.text('browser_snapshot', { browser_instance: id })).toContain('about:blank');
    }
    await both();
    await closeAll({ detach: true });
    for (const id of ['0', '1']) expect(await seenAt(id)).toContain('user=alice');

    await server.text('start_browser', { sessionId: 'next', browser_instance: '0', navigationUrl: url });
    expect(await server.text('browser_evaluate', { sessionId: 'next', ...READ })).toContain('""');
    await server.text('browser_evaluate', { sessionId: 'next', ...LOG_IN });
    await server.text('close_session', { sessionId: 'next', detach: true });
    expect(await seenAt('0')).toContain('user=alice');
    expect((await server.call('close_all_sessions')).structuredContent).toEqual({
      success: true,
      closed: [],
    });
  });

  it('with a state that cannot be saved leaves the session open, and one that cannot be brought in starts none', {
    tags: ['at-length'],
  }, async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...pool('DEFAULT', 1),
      ...pool('KEPT', 1, { IS_DEFAULT: 'false', ISOLATED: 'false' }),
    });
    const url = `${site.origin}/page/shop`;
    await server.text('start_browser', { sessionId: 'alice', navigationUrl: url });
    await server.text('start_browser', { sessionId: 'kept', browser_pool: 'KEPT', navigationUrl: url });
    await server.text('browser_evaluate', { sessionId: 'kept', ...LOG_IN });
    expect(await server.error('close_session', { sessionId: 'alice', save: '../alice' })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('../alice'),
    });
    expect(titleOf(await server.text('browser_snapshot', { sessionId: 'alice' }))).toBe('shop');
    await server.text('close_session', { sessionId: 'kept', save: 'kept' });

    for (const source of [{ restore: 'kept' }, { from: 'alice' }]) {
      const refused = await server.error('start_browser', {
        sessionId: 'new',
        browser_pool: 'KEPT',
        ...source,
      });
      expect(refused).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        message: expect.stringContaining('ISOLATED=false'),
      });
    }
    expect(await server.error('start_browser', { restore: 'kept', from: 'alice' })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    expect((await list(server)).sessions.map(({ sessionId }) => sessionId)).toEqual(['alice']);
    expect((await poolsOf(server))[1]).toMatchObject({ name: 'KEPT', leased_instances: 0 });
    await server.text('start_browser', { sessionId: 'new', browser_pool: 'KEPT', navigationUrl: url });
    expect(await readdir(join(server.directory, 'data', 'pwpool', 'states'))).toEqual(['kept.json']);
  });
});

describe('a session that nobody uses', () => {
  it('ends after SESSION_IDLE_TIMEOUT, never during a call, and its name tells when and why until it is used again [003-idle-01]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...packedPool('DEFAULT', 2),
      PW_MCP_PROXY_SESSION_IDLE_TIMEOUT: '400',
    });
    const names = async () => (await list(server)).sessions.map(({ sessionId }) => sessionId);
    const busy = server.call('start_browser', {
      sessionId: 'busy',
      navigationUrl: `${site.origin}/held/busy`,
    });
    await expect.poll(() => site.requests).toEqual(['/held/busy']);
    await server.text('start_browser', { sessionId: 'idle' });
    await expect.poll(names).toEqual(['busy']);
    await expect
      .poll(async () => (await poolsOf(server))[0])
      .toMatchObject({ leased_instances: 1, available_instances: 1 });
    const later: [string, object][] = [
      ['browser_snapshot', {}],
      ['browser_navigate', { url: site.origin }],
      ['set_current_session', {}],
      ['close_session', {}],
    ];
    for (const [tool, args] of later) {
      expect(await server.error(tool, { sessionId: 'idle', ...args })).toMatchObject({
        code: 'SESSION_EXPIRED',
        message: expect.stringMatching(/^Session 'idle' ended at 2.*Z: it had no call for 400 ms\.$/),
        hint: expect.stringContaining('SESSION_IDLE_TIMEOUT'),
        details: { sessionId: 'idle', idleTimeoutMs: 400 },
      });
    }
    // It was the current one: told once, then calls have a browser of their own.
    expect(await server.error('browser_snapshot')).toMatchObject({ code: 'SESSION_EXPIRED' });
    expect(await server.text('browser_navigate', { url: `${site.origin}/page/own` })).toContain(
      'Session: browser-1',
    );
    await expect.poll(names).toEqual(['busy']);
    await server.text('start_browser', { sessionId: 'idle', navigationUrl: `${site.origin}/page/again` });

    site.release();
    expect((await busy).isError).toBeUndefined();
    await expect.poll(names).toEqual([]);
    expect(await server.error('browser_snapshot', { sessionId: 'busy' })).toMatchObject({
      code: 'SESSION_EXPIRED',
    });
  });
});

describe('a call that its client cancels', () => {
  test('is told in the next answer when it ran, and never runs when it waited in line or for a browser [003-parallel-02, arch-lease-03]', async ({
    server,
  }) => {
    await using site = await startSite();
    const sessionId = 'alice';
    const visit = (path: string, signal?: AbortSignal) =>
      server.call('browser_navigate', { sessionId, url: `${site.origin}/${path}` }, signal);
    await server.text('start_browser', { sessionId, browser_pool: 'SIDE' });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const calls = [visit('hang', running.signal), visit('page/never', waiting.signal)];
    const ended = Promise.allSettled(calls);
    const last = visit('page/last');
    await expect.poll(() => site.requests).toEqual(['/hang']);
    waiting.abort();
    await expect(calls[1]).rejects.toThrow();
    running.abort();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);

    const told = await last;
    expect(titleOf(textOf(told))).toBe('last');
    const notice = 'The call browser_navigate before this one was cancelled; what it did may have happened.';
    expect(textOf(told)).toContain(notice);
    expect(told._meta).toEqual({ notices: [notice] });
    expect(textOf(await server.call('browser_snapshot', { sessionId }))).not.toContain('cancelled');
    expect(site.requests).toEqual(['/hang', '/page/last']);

    const leaving = new AbortController();
    const bob = server.call('start_browser', { sessionId: 'bob', browser_pool: 'SIDE' }, leaving.signal);
    expect(await server.error('start_browser', { sessionId: 'bob' })).toMatchObject({
      code: 'SESSION_EXISTS',
    });
    leaving.abort();
    await expect(bob).rejects.toThrow();
    await server.text('close_session', { sessionId });
    expect((await poolsOf(server))[1]).toMatchObject({ leased_instances: 0, available_instances: 1 });
    await server.text('start_browser', { sessionId: 'bob', browser_pool: 'SIDE' });
  });
});

describe('start_browser', () => {
  test('tells where its page is, and keeps the session when the page does not open [003-start-02]', async ({
    server,
  }) => {
    await using site = await startSite();
    const start = async (sessionId: string, navigationUrl: string, browser_pool = 'DEFAULT') => {
      const answer = await server.call('start_browser', { sessionId, browser_pool, navigationUrl });
      expect(answer.isError).toBeUndefined();
      expect(JSON.parse(textOf(answer))).toEqual(answer.structuredContent);
      return answer.structuredContent;
    };
    const url = `${site.origin}/page/alice`;
    const opened = await start('alice', url);
    expect(opened).toMatchObject({ sessionId: 'alice', page: { url, title: 'alice' } });
    expect(opened).not.toHaveProperty('navigation');
    await server.text('close_session', { sessionId: 'alice' });

    const failed = (error: object) => ({
      navigation: { success: false, error: expect.objectContaining(error) },
    });
    const refused = await start('bob', 'http://127.0.0.1:1/');
    expect(refused).toMatchObject({
      sessionId: 'bob',
      ...failed({ code: 'EXECUTION_ERROR', message: expect.stringContaining('127.0.0.1:1') }),
    });
    expect(refused).not.toHaveProperty('page');
    expect(await start('carol', `${site.origin}/hang`, 'SIDE')).toMatchObject(
      failed({ code: 'NAVIGATION_TIMEOUT', hint: expect.any(String) }),
    );
    for (const sessionId of ['bob', 'carol']) {
      const answer = await server.text('browser_navigate', { sessionId, url });
      expect(titleOf(answer)).toBe('alice');
    }
  });

  it('with a window and no display tells Playwright’s own reason, and costs the pool nothing [003-start-03]', {
    tags: ['at-length'],
  }, async () => {
    await using server = await StdioServer.start({
      ...pool('DEFAULT', 1, { AUTO_RESTART: 'false' }),
      DISPLAY: '',
      WAYLAND_DISPLAY: '',
    });
    expect(await server.error('start_browser', { headless: false })).toMatchObject({
      code: 'BROWSER_NOT_READY',
      message: expect.stringMatching(/did not start: Looks like you launched a headed browser .*xvfb-run/),
      hint: expect.stringMatching(/^For whoever runs pwpool: Without a window .* headless true/),
    });
    const answer = await server.call('start_browser', { headless: true });
    expect(answer.structuredContent).toMatchObject({ capabilities: { headless: true } });
  });

  it.runIf(existsSync(XVFB))(
    'with a window relaunches a browser of a headless pool for the session [003-start-03]',
    { tags: ['at-length'] },
    async () => {
      await using display = await startDisplay();
      await using server = await StdioServer.start({
        ...pool('DEFAULT', 1, { LAZY: 'false' }),
        DISPLAY: display.name,
      });
      const userAgent = async (sessionId: string, headless?: boolean) => {
        const { structuredContent } = await server.call('start_browser', { sessionId, headless });
        const seen = await server.text('browser_evaluate', {
          sessionId,
          function: '() => navigator.userAgent',
        });
        await server.text('close_session', { sessionId });
        return [structuredContent?.['capabilities'], seen.includes('Headless')];
      };
      const capabilities = (headless: boolean) => ({ browserName: 'chromium', headless });
      expect(await userAgent('hidden')).toEqual([capabilities(true), true]);
      expect(await userAgent('shown', false)).toEqual([capabilities(false), false]);
      expect(await userAgent('after')).toEqual([capabilities(true), true]);
    },
  );
});
