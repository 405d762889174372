import { describe, expect, it } from 'vitest';
import { cancelledWait } from '../fixtures/cancelled-wait.js';
import { connectNew, connectOld, ERAS, startSession } from './fixtures/clients.js';
import { startFakeHttpServer } from './fixtures/fake-http-server.js';
import { initialize, messageIn, modern, send } from './fixtures/raw.js';

describe.each(ERAS)('a client of %s over HTTP', (_, connect) => {
  it('lists, calls, is told of progress, and its cancel reaches the call [arch-era-02]', async () => {
    const { address, driver, server } = await startFakeHttpServer({
      pools: { DEFAULT: { instances: 1, isDefault: true, lazy: true } },
    });
    await using client = await connect(address);
    expect(client.instructions).toContain('start_browser');
    expect(await client.listTools()).toEqual(expect.arrayContaining(['start_browser', 'browser_navigate']));
    const sessionId = await startSession(client, 'first');
    expect(await client.text('browser_snapshot', { sessionId })).toContain('browser_snapshot on DEFAULT/0');

    await cancelledWait(client);
    await expect.poll(() => server.pool.pools.waiting()).toEqual([]);

    const running = new AbortController();
    driver.browser('0').calling.hold();
    const call = client.call('browser_snapshot', { sessionId }, { signal: running.signal });
    await expect.poll(() => driver.calls.length).toBe(2);
    running.abort();
    await expect(call).rejects.toThrow();
    driver.releaseAll();
    // The browser is free for the session's next call as soon as the cancelled one is out of it.
    expect(await client.text('browser_snapshot', { sessionId })).toContain('browser_snapshot');
  });

  it('sees nothing of the sessions and artifacts of others [arch-target-06]', async () => {
    const { address } = await startFakeHttpServer();
    await using owner = await connect(address);
    const sessionId = await startSession(owner, 'alice');
    for (const [, other] of ERAS) {
      await using stranger = await other(address);
      expect((await stranger.call('list_sessions')).structuredContent).toMatchObject({ sessions: [] });
      for (const guess of ['alice', 'browser-1', 'alice-AAAAAAAAAAAAAAAAAAAAAA']) {
        for (const tool of ['browser_snapshot', 'close_session']) {
          const { structuredContent } = await stranger.call(tool, { sessionId: guess });
          expect(structuredContent).toMatchObject({ error: { code: 'SESSION_NOT_FOUND' } });
        }
      }
      expect((await stranger.call('close_all_sessions')).structuredContent).toMatchObject({ closed: [] });
    }
    expect(await owner.text('browser_snapshot', { sessionId })).toContain('browser_snapshot on DEFAULT/0');
  });
});

describe('the new era without a token', () => {
  it('has a session for whoever knows its name, which nobody guesses [arch-target-08]', async () => {
    const { address, server } = await startFakeHttpServer({
      pools: { DEFAULT: { instances: 1, isDefault: true, lazy: true, leaseTimeout: 1_000 } },
    });
    await using client = await connectNew(address);
    const sessionId = await startSession(client, 'alice');
    expect(sessionId).toMatch(/^alice-[\w-]{22}$/);
    await using another = await connectNew(address);
    expect(await another.text('browser_snapshot', { sessionId })).toContain('DEFAULT/0');
    // Who waits for the browser is told who has it, and not by what name it is used.
    const messages: (string | undefined)[] = [];
    const left = new AbortController();
    const waiting = another.call(
      'start_browser',
      {},
      {
        signal: left.signal,
        onprogress: ({ message }) => {
          messages.push(message);
          left.abort();
        },
      },
    );
    await expect(waiting).rejects.toThrow();
    expect(messages[0]).toContain('0 by another client');
    expect(messages[0]).not.toContain(sessionId);
    expect(server.pool.sessions.all()).toMatchObject([
      { client: expect.not.stringContaining(sessionId.slice(6)) },
    ]);
    expect((await client.call('close_session', { sessionId })).isError).toBeUndefined();
    expect((await client.call('browser_snapshot', { sessionId })).isError).toBe(true);
  });

  it('whoever runs the server sees the beginning of a secret name, in status and log, and closes the session by that', async () => {
    const { address, server } = await startFakeHttpServer();
    await using client = await connectNew(address);
    const sessionId = await startSession(client, 'alice');
    await client.text('browser_snapshot', { sessionId });
    const secret = sessionId.slice('alice-'.length);
    const shown = `alice-${secret.slice(0, 8)}…`;
    expect(server.pool.sessions.all()).toMatchObject([{ sessionId: shown }]);
    const calls = server.pool.log.latest(10).filter(({ msg }) => msg === 'call');
    expect(calls).toMatchObject([
      { tool: 'start_browser', session: 'alice' },
      { tool: 'browser_snapshot', session: shown },
    ]);
    const close = async (given: string) =>
      await server.pool.operations['sessions/close']?.run(
        { sessionId: given },
        { tell: () => {}, left: new AbortController().signal },
      );
    await expect(close('alice-')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await close(shown)).toMatchObject({ session: { sessionId: shown } });
    expect((await client.call('browser_snapshot', { sessionId })).isError).toBe(true);
    const status = JSON.stringify([
      server.pool.sessions.all(),
      server.pool.pools.waiting(),
      server.pool.log.latest(100),
    ]);
    expect(status).not.toContain(secret);
  });

  it('a call that names no session has a browser for itself alone, and is told so [arch-target-08]', async () => {
    const { address, server } = await startFakeHttpServer();
    await using client = await connectNew(address);
    expect(await client.text('browser_snapshot')).toContain('a browser for itself alone');
    expect(server.pool.sessions.all()).toEqual([]);
    expect(server.pool.pools.status().summary).toMatchObject({ leased_instances: 0 });
    expect(await client.call('set_current_session', { sessionId: 'a' })).toMatchObject({
      structuredContent: { error: { code: 'INVALID_ARGUMENTS' } },
    });
  });

  it('many names that are none leave nothing behind', async () => {
    const { address, server } = await startFakeHttpServer();
    for (let n = 0; n < 30; n++) {
      const name = `forged-${String(n).padStart(22, '0')}`;
      const call = { name: 'browser_snapshot', arguments: { sessionId: name } };
      expect(messageIn(await send(address, modern('tools/call', call)))).toMatchObject({
        result: { isError: true },
      });
    }
    expect(server.pool.sessions.all()).toEqual([]);
  });
});

describe('the old era', () => {
  it('keeps the sessions of a client that comes back within SESSION_GRACE, and no longer [arch-session-04]', async () => {
    const { address, server, clock } = await startFakeHttpServer({ sessionGrace: 60_000 });
    const headers = await initialize(address);
    const call = (tool: string) =>
      send(address, {
        headers,
        body: { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: tool, arguments: {} } },
      });
    expect((await call('browser_snapshot')).body).toContain('browser_snapshot on DEFAULT/0');
    for (const [awayMs, left] of [
      [59_000, 1],
      [59_000, 1],
      [61_000, 0],
    ]) {
      const cut = await listen(address, headers);
      const timers = clock.pendingTimers;
      cut.abort();
      await expect.poll(() => clock.pendingTimers).toBe(timers + 1);
      await clock.advance(awayMs ?? 0);
      await expect.poll(() => server.pool.sessions.all().length).toBe(left);
    }
    expect((await call('browser_snapshot')).status).toBe(404);
  });

  it('ends at once by DELETE, and a client that never listened when its sessions have been idle for too long', async () => {
    const { address, server, clock } = await startFakeHttpServer({
      sessionGrace: 1_000,
      sessionIdleTimeout: 90_000,
    });
    const [first, second] = [await initialize(address), await initialize(address)];
    for (const headers of [first, second]) {
      const params = { name: 'browser_snapshot', arguments: {} };
      await send(address, { headers, body: { jsonrpc: '2.0', id: 2, method: 'tools/call', params } });
    }
    expect(server.pool.sessions.all()).toHaveLength(2);
    expect((await send(address, { method: 'DELETE', headers: first })).status).toBe(200);
    await expect.poll(() => server.pool.sessions.all().length).toBe(1);
    await clock.advance(60_000);
    expect(server.pool.sessions.all()).toHaveLength(1);
    await clock.advance(31_000);
    expect(server.pool.sessions.all()).toHaveLength(0);
    const ping = { jsonrpc: '2.0', id: 3, method: 'ping' };
    await expect.poll(async () => (await send(address, { headers: second, body: ping })).status).toBe(404);
  });

  it('listens anew where the server has not noticed yet that the last stream was cut', async () => {
    const { address } = await startFakeHttpServer();
    const headers = await initialize(address);
    const streams = [await listen(address, headers), await listen(address, headers)];
    for (const stream of streams) stream.abort();
  });

  it('takes a cut stream up where it broke', async () => {
    const { address, driver } = await startFakeHttpServer();
    const headers = { ...(await initialize(address)), 'mcp-protocol-version': '2025-11-25' };
    driver.starting.hold();
    const left = new AbortController();
    const params = { name: 'browser_snapshot', arguments: {} };
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }),
      signal: left.signal,
    });
    const reader = response.body?.getReader();
    const begun = new TextDecoder().decode((await reader?.read())?.value);
    const lastEventId = /^id: (.*)$/m.exec(begun)?.[1] ?? '';
    left.abort();
    await reader?.cancel().catch(() => {});
    driver.releaseAll();
    await expect.poll(() => driver.calls.length).toBe(1);
    const taken = await send(address, {
      method: 'GET',
      headers: { ...headers, 'last-event-id': lastEventId },
    });
    expect(messageIn(taken)).toMatchObject({
      id: 5,
      result: { content: [{ text: expect.stringContaining('DEFAULT/0') }, {}] },
    });
  });
});

/** Opens the stream on which a client of the old era listens. Aborting cuts it. */
async function listen(address: string, headers: Record<string, string>): Promise<AbortController> {
  const controller = new AbortController();
  const { status } = await fetch(address, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: controller.signal,
  });
  expect(status).toBe(200);
  return controller;
}

it('clients of both eras work side by side, each in browsers of its own', async () => {
  const { address } = await startFakeHttpServer();
  await using old = await connectOld(address);
  await using modernClient = await connectNew(address);
  const [ofOld, ofNew] = [await startSession(old, 'same'), await startSession(modernClient, 'same')];
  expect(await old.text('browser_snapshot', { sessionId: ofOld })).toContain('DEFAULT/0');
  expect(await modernClient.text('browser_snapshot', { sessionId: ofNew })).toContain('DEFAULT/1');
});
