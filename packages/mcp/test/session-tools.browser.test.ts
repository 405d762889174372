import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { BrowserPools, type ConfigInput, PlaywrightToolset, PwpoolError, SessionManager } from '@pwpool/core';
import { FakeClock, FakeDriver } from '@pwpool/core/testing';
import { describe, expect, it } from 'vitest';
import { InFlight } from '../src/in-flight.js';
import { createMcpServer } from '../src/server.js';
import { startDisplay, XVFB } from './fixtures/display.js';
import { startSite } from './fixtures/site.js';
import { errorOf, packedPool, pool, poolsOf, StdioServer, textOf, titleOf } from './fixtures/stdio-server.js';

interface Listed {
  sessions: Record<string, string>[];
  currentSession: string | null;
}

async function list(server: StdioServer): Promise<Listed> {
  return (await server.call('list_sessions')).structuredContent as unknown as Listed;
}

const LOG_IN = { function: "() => { document.cookie = 'user=alice'; }" };
const READ = { function: '() => document.cookie' };

/** A server with clients in memory, on browsers that are fakes. */
async function startFake(config: ConfigInput) {
  const driver = new FakeDriver();
  const pools = await BrowserPools.create(config, { driver, clock: new FakeClock() });
  const sessions = new SessionManager(pools);
  const toolset = await PlaywrightToolset.load({ allowUnsafeCode: false });
  let instructions = '';
  const connect = async (name: string) => {
    const client = new Client({ name, version: '1' });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await createMcpServer(name, { pools, sessions, toolset, inFlight: new InFlight() }).connect(theirs);
    await client.connect(ours);
    instructions = client.getInstructions() ?? '';
    return async (tool: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name: tool, arguments: args })) as CallToolResult;
  };
  return { driver, connect, instructions: () => instructions, [Symbol.asyncDispose]: () => pools.close() };
}

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

  it('never lands on another’s page: two sub-agents, one forgets its name [arch-target-07]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start(packedPool('DEFAULT', 3));
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

  it('reaches the session started last for a client that names none [003-target-02]', async () => {
    await using server = await startFake({
      pools: { DEFAULT: { instances: 3, isDefault: true, lazy: true, isolated: true } },
    });
    const call = await server.connect('agent');
    await call('browser_snapshot');
    for (const sessionId of ['browser-2', 'browser-3']) {
      expect((await call('start_browser')).structuredContent).not.toHaveProperty('notices');
      expect((await call('browser_snapshot'))._meta).toMatchObject({ sessionId });
    }
  });
});

it('a call that fails tells its session too, when the caller named none [003-metadata-01, 003-metadata-02]', async () => {
  await using server = await startFake({});
  server.driver.onStart = (browser) =>
    browser.calling.fail(new PwpoolError('CALL_TIMEOUT', 'It took too long.'));
  const call = await server.connect('agent');
  const unnamed = await call('browser_snapshot');
  expect(errorOf(unnamed).code).toBe('CALL_TIMEOUT');
  expect(textOf(unnamed)).toContain('Session: browser-1');
  expect(unnamed._meta).toEqual({ sessionId: 'browser-1', sessionType: 'browser' });
  expect((await call('browser_snapshot', { sessionId: 'browser-1' }))._meta).toBeUndefined();
});

it('a crash in a call tells that the session goes on', async () => {
  await using server = await startFake({});
  server.driver.onStart = (browser) => browser.calling.hold();
  const call = await server.connect('agent');
  await call('start_browser', { sessionId: 'alice' });
  const running = call('browser_snapshot', { sessionId: 'alice' });
  await expect.poll(() => server.driver.calls).toHaveLength(1);
  server.driver.browser('0').crash();
  expect(errorOf(await running)).toMatchObject({
    code: 'INSTANCE_CRASHED',
    hint: expect.stringMatching(/^Call again: session 'alice' goes on in a new browser/),
    details: { sessionId: 'alice' },
  });
  server.driver.releaseAll();
});

describe('list_sessions', () => {
  it('tells of each session where it runs, what it does and when it would expire [003-list-01]', async () => {
    await using server = await StdioServer.start({
      ...pool('DEFAULT', 1),
      ...pool('SIDE', 1, { IS_DEFAULT: 'false' }),
      PW_MCP_PROXY_SESSION_IDLE_TIMEOUT: '600000',
    });
    await server.text('start_browser', { sessionId: 'alice' });
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
  it('ends all sessions; with detach the browsers stay as they are, until a session needs one [003-close-02, 003-close-03, arch-target-02]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start(packedPool('DEFAULT', 2));
    const url = `${site.origin}/page/shop`;
    const both = async () => {
      const visit = async (sessionId: string) => {
        await server.text('start_browser', { sessionId, navigationUrl: url });
        await server.text('browser_evaluate', { sessionId, ...LOG_IN });
      };
      await Promise.all([visit('alice'), visit('bob')]);
    };
    const closeAll = async (args: Record<string, unknown> = {}) => {
      const answer = await server.call('close_all_sessions', args);
      expect(answer.structuredContent).toEqual({
        success: true,
        closed: expect.arrayContaining(['alice', 'bob']),
      });
      expect(await list(server)).toEqual({ sessions: [], currentSession: null });
      expect((await poolsOf(server))[0]).toMatchObject({ leased_instances: 0, available_instances: 2 });
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

  it('with a state that cannot be saved leaves the session open, and one that cannot be brought in starts none', async () => {
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
  it('is told in the next answer when it ran, and never runs when it waited in line or for a browser [003-parallel-02, arch-lease-03]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start(pool('DEFAULT', 1));
    const sessionId = 'alice';
    const visit = (path: string, signal?: AbortSignal) =>
      server.call('browser_navigate', { sessionId, url: `${site.origin}/${path}` }, signal);
    await server.text('start_browser', { sessionId });
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
    const bob = server.call('start_browser', { sessionId: 'bob' }, leaving.signal);
    expect(await server.error('start_browser', { sessionId: 'bob' })).toMatchObject({
      code: 'SESSION_EXISTS',
    });
    leaving.abort();
    await expect(bob).rejects.toThrow();
    await server.text('close_session', { sessionId });
    expect((await poolsOf(server))[0]).toMatchObject({ leased_instances: 0, available_instances: 1 });
    await server.text('start_browser', { sessionId: 'bob' });
  });
});

describe('start_browser', () => {
  it('tells where its page is, and keeps the session when the page does not open [003-start-02]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...packedPool('DEFAULT', 2),
      PW_MCP_PROXY_TIMEOUT_NAVIGATION: '4000',
    });
    const start = async (sessionId: string, navigationUrl: string) => {
      const answer = await server.call('start_browser', { sessionId, navigationUrl });
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
    expect(await start('carol', `${site.origin}/hang`)).toMatchObject(
      failed({ code: 'NAVIGATION_TIMEOUT', hint: expect.any(String) }),
    );
    for (const sessionId of ['bob', 'carol']) {
      const answer = await server.text('browser_navigate', { sessionId, url });
      expect(titleOf(answer)).toBe('alice');
    }
  });

  it('says where a pool keeps profiles, and only there that sessions see nothing of each other’s logins', async () => {
    const kept = { instances: 2, isolated: false, profileDir: '/nowhere' };
    const clean = { instances: 2, isolated: true };
    const told = async (pools: ConfigInput['pools']) => {
      await using server = await startFake({ pools });
      const answer = await (await server.connect('agent'))('start_browser');
      return { instructions: server.instructions(), notices: answer.structuredContent?.['notices'] };
    };
    const isolated = await told({ DEFAULT: { ...clean, isDefault: true } });
    expect(isolated.notices).toBeUndefined();
    expect(isolated.instructions).toContain("Sessions never see each other's pages or logins.");
    const mixed = await told({ DEFAULT: { ...kept, isDefault: true }, CLEAN: clean });
    expect(mixed.notices).toEqual([
      "Pool 'DEFAULT' keeps profiles (ISOLATED=false): sessions of its instance '0' share logins over time.",
    ]);
    expect(mixed.instructions).toContain('Pools that keep profiles (DEFAULT) keep logins');
    expect(mixed.instructions).not.toContain('or logins');
    for (const { instructions } of [isolated, mixed]) expect(instructions.length).toBeLessThan(1_500);
  });

  it('is start_session too, for the provider that there is [003-provider-02]', async () => {
    await using server = await startFake({
      pools: { DEFAULT: { instances: 2, isDefault: true, lazy: true } },
    });
    const call = await server.connect('agent');
    for (const args of [{ sessionId: 'alice', provider: 'local' }, { sessionId: 'bob' }]) {
      expect((await call('start_session', args)).structuredContent).toMatchObject({
        sessionId: args.sessionId,
        type: 'browser',
      });
    }
    expect(errorOf(await call('start_session', { provider: 'browserstack' }))).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: "There is no provider 'browserstack', only 'local'.",
      hint: expect.stringContaining('browser_pool DEFAULT'),
    });
    expect(errorOf(await call('start_session', { platform: 'ios' })).code).toBe('INVALID_ARGUMENTS');
  });

  it('warns from the fifth session on and refuses none, unless told otherwise [003-limit-01]', async () => {
    await using server = await startFake({
      pools: { DEFAULT: { instances: 7, isDefault: true, lazy: true } },
    });
    const call = await server.connect('agent');
    const warnings: unknown[] = [];
    for (let number = 1; number <= 6; number++) {
      const answer = await call('start_browser');
      expect(answer.isError).toBeUndefined();
      warnings.push(answer.structuredContent?.['warning']);
    }
    expect(warnings.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
    expect(warnings[4]).toBe(
      'You have 5 sessions open, each with a browser of its own. Close those that you no longer need: browser-1, browser-2, browser-3, browser-4, browser-5.',
    );
    expect(warnings[5]).toContain('You have 6 sessions open');
  });

  it('refuses a session over a limit of the client or of the server, before it takes a browser [003-limit-01]', async () => {
    await using server = await startFake({
      sessionWarnAt: 2,
      sessionLimit: 3,
      sessionLimitPerClient: 2,
      pools: { DEFAULT: { instances: 4, isDefault: true, lazy: true } },
    });
    const [first, second] = [await server.connect('first'), await server.connect('second')];
    await first('start_browser', { sessionId: 'one' });
    expect((await first('start_browser', { sessionId: 'two' })).structuredContent?.['warning']).toContain(
      '2',
    );
    expect(errorOf(await first('start_browser', { sessionId: 'three' }))).toMatchObject({
      code: 'SESSION_LIMIT',
      message: 'There are 2 sessions of this client already, which is the limit.',
      hint: expect.stringContaining('one, two'),
    });
    await second('start_browser', { sessionId: 'one' });
    expect(errorOf(await second('start_browser', { sessionId: 'two' }))).toMatchObject({
      code: 'SESSION_LIMIT',
      message: 'There are 3 sessions in all already, which is the limit.',
      details: { limit: 3, open: ['one'] },
    });
    expect(server.driver.starting.count).toBe(3);
    await first('close_session', { sessionId: 'one' });
    expect((await second('start_browser', { sessionId: 'two' })).isError).toBeUndefined();
  });

  it('takes an instance with or without a window, as asked, relaunches one for it, and says so when it cannot [003-start-03]', async () => {
    await using server = await startFake({
      pools: {
        DEFAULT: { instances: 2, isDefault: true, lazy: true, instance: { 1: { headless: false } } },
        HIDDEN: { instances: 1, lazy: true },
        OTHERS: { instances: 1, lazy: true, cdpPortBase: 9222 },
      },
    });
    const call = await server.connect('agent');
    const start = async (args: object) => (await call('start_browser', { ...args })).structuredContent;
    expect(await start({ headless: false })).toMatchObject({
      browser_instance: '1',
      capabilities: { headless: false },
    });
    expect(await start({ headless: true })).toMatchObject({
      browser_instance: '0',
      capabilities: { headless: true },
    });
    await call('close_all_sessions');
    expect(await start({ browser_instance: '1', headless: true })).toMatchObject({
      capabilities: { headless: true },
    });
    expect(await start({ browser_pool: 'HIDDEN', headless: false })).toMatchObject({
      browser_pool: 'HIDDEN',
      capabilities: { headless: false },
    });
    const refused = errorOf(await call('start_browser', { browser_pool: 'OTHERS', headless: false }));
    expect(refused).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining("'OTHERS'"),
    });
  });

  it('with a window and no display tells Playwright’s own reason, and costs the pool nothing [003-start-03]', async () => {
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

  it('makes a session that no other client sees or uses, and one may have the same name [arch-target-06]', async () => {
    await using server = await startFake({
      pools: { DEFAULT: { instances: 2, isDefault: true, lazy: true } },
    });
    const [first, second] = [await server.connect('first'), await server.connect('second')];
    await first('start_browser', { sessionId: 'alice' });
    expect((await second('list_sessions')).structuredContent).toEqual({ sessions: [], currentSession: null });
    for (const tool of ['browser_snapshot', 'set_current_session', 'close_session']) {
      expect(errorOf(await second(tool, { sessionId: 'alice' }))).toMatchObject({
        code: 'SESSION_NOT_FOUND',
        hint: 'Start it with start_browser({ sessionId: "alice" }).',
      });
    }
    expect(errorOf(await second('start_browser', { from: 'alice' })).code).toBe('SESSION_NOT_FOUND');
    expect((await second('start_browser', { sessionId: 'alice' })).isError).toBeUndefined();
    await second('close_all_sessions');
    expect(textOf(await first('browser_snapshot', { sessionId: 'alice' }))).toContain('on DEFAULT/0');
  });

  it('tells what it takes when it is given something else', async () => {
    await using server = await startFake({});
    const call = await server.connect('agent');
    for (const args of [{ sessionId: '' }, { sessionId: 'x'.repeat(65) }, { headless: 'no' }]) {
      expect(errorOf(await call('start_browser', args))).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        hint: expect.stringContaining('navigationUrl'),
      });
    }
    expect(errorOf(await call('close_session')).code).toBe('INVALID_ARGUMENTS');
    expect(server.driver.starting.count).toBe(0);
  });
});
