import { describe, expect } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import { packedPool, poolsOf, type StdioServer, textOf, titleOf } from './fixtures/stdio-server.js';

const test = onSharedServer({ ...packedPool('DEFAULT', 3), PW_MCP_PROXY_SESSION_DEFAULT: 'last' });

interface Listed {
  sessions: { sessionId: string }[];
  currentSession: string | null;
}

async function list(server: StdioServer): Promise<Listed> {
  return (await server.call('list_sessions')).structuredContent as unknown as Listed;
}

describe('the sessions of a client', () => {
  test('have names that are free, are listed, and the last one started is current [003-id-01, 003-list-01, 003-start-01, 003-target-02]', async ({
    server,
  }) => {
    await using site = await startSite();
    const start = async (args: object) => {
      const answer = await server.call('start_browser', { ...args });
      return (answer.structuredContent as { sessionId: string }).sessionId;
    };
    expect(await start({})).toBe('browser-1');
    expect(await start({ sessionId: 'browser-2' })).toBe('browser-2');
    const sessionId = await start({});
    expect(sessionId).toBe('browser-3');

    const capabilities = { browserName: 'chromium', headless: true };
    const { sessions, currentSession } = await list(server);
    expect(currentSession).toBe(sessionId);
    expect(sessions).toEqual(
      ['browser-1', 'browser-2', 'browser-3'].map((id) =>
        expect.objectContaining({ sessionId: id, type: 'browser', capabilities }),
      ),
    );

    const unnamed = await server.call('browser_navigate', { url: `${site.origin}/page/current` });
    expect(unnamed._meta).toMatchObject({ sessionId });
    const named = await server.text('browser_snapshot', { sessionId });
    expect(titleOf(named)).toBe('current');
    expect(titleOf(await server.text('browser_snapshot', { sessionId: 'browser-1' }))).not.toBe('current');
  });

  test('end one by one: the instance is free for others, and the other session goes on [003-close-01, 003-exists-01]', async ({
    server,
  }) => {
    await using site = await startSite();
    for (const sessionId of ['alice', 'bob']) {
      await server.text('start_browser', { sessionId, navigationUrl: `${site.origin}/page/${sessionId}` });
    }
    expect(await server.error('start_browser', { sessionId: 'bob' })).toMatchObject({
      code: 'SESSION_EXISTS',
      message: expect.stringContaining("'bob'"),
    });
    await server.text('close_session', { sessionId: 'alice' });
    expect((await poolsOf(server))[0]).toMatchObject({ leased_instances: 1, available_instances: 2 });
    expect(await server.error('browser_snapshot', { sessionId: 'alice' })).toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    expect(titleOf(await server.text('browser_snapshot', { sessionId: 'bob' }))).toBe('bob');
    await server.text('start_browser', { sessionId: 'alice' });
  });
});

describe('calls', () => {
  test('to different sessions run at the same time, to one session one after another [003-parallel-01, 003-parallel-02]', async ({
    server,
  }) => {
    await using site = await startSite();
    await Promise.all(['alice', 'bob'].map((sessionId) => server.text('start_browser', { sessionId })));
    const visit = async (sessionId: string, path: string) =>
      titleOf(textOf(await server.call('browser_navigate', { sessionId, url: `${site.origin}/${path}` })));
    const held = visit('alice', 'held/a1');
    await expect.poll(() => site.requests).toEqual(['/held/a1']);
    const later = [visit('alice', 'page/a2'), visit('alice', 'page/a3')];
    expect(await visit('bob', 'page/b1')).toBe('b1');
    expect(site.requests).toEqual(['/held/a1', '/page/b1']);
    site.release();
    expect(await Promise.all([held, ...later])).toEqual(['a1', 'a2', 'a3']);
    expect(site.requests).toEqual(['/held/a1', '/page/b1', '/page/a2', '/page/a3']);
  });
});
