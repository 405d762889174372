import type { IncomingMessage, ServerResponse } from 'node:http';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlaywrightSession } from '../../src/connection/playwright-session.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { freePorts } from '../driver/fixtures/browsers.js';
import {
  refuse,
  serve,
  sseHandler,
  streamableHandler,
  type ToolCalls,
  toolCalls,
} from './fixtures/http-tool-server.js';

describe('a session over HTTP', () => {
  let calls: ToolCalls;
  let disposables: AsyncDisposable[];

  beforeEach(() => {
    calls = toolCalls();
    disposables = [];
  });
  afterEach(async () => {
    for (const disposable of disposables.reverse()) await disposable[Symbol.asyncDispose]();
  });

  const use = <Resource extends AsyncDisposable>(resource: Resource): Resource => {
    disposables.push(resource);
    return resource;
  };

  /** A server and a session on it; the session is closed first. */
  const start = async (
    handle: Parameters<typeof serve>[0],
    options: { sse?: boolean; headers?: object } = {},
  ) => {
    const server = use(await serve(handle));
    const headers = { ...options.headers };
    const session = use(
      new PlaywrightSession(options.sse ? { sse: server.url, headers } : { url: server.url, headers }),
    );
    return { server, session };
  };

  it('[001-transport-02] [001-weakness-01] talks Streamable HTTP, in one session for any number of first calls', async () => {
    const { handle, sessions } = streamableHandler(calls);
    const { session } = await start(handle);
    const texts = await Promise.all(Array.from({ length: 10 }, () => session.callTool('write')));
    expect(texts).toEqual(Array.from({ length: 10 }, () => 'write'));
    expect(sessions.size).toBe(1);
    expect(session).toMatchObject({ connected: true, processId: null });
  });

  it('[001-life-04] ends its session at the server when it is closed', async () => {
    const { handle, sessions } = streamableHandler(calls);
    const { session } = await start(handle);
    await session.connect();
    expect(sessions.size).toBe(1);
    await session.close();
    expect(sessions.size).toBe(0);
  });

  it('[001-transport-02] falls back to SSE for a server that refuses the first POST', async () => {
    const { handle, sessions } = sseHandler(calls);
    const { session } = await start(handle);
    expect(await session.callTool('write')).toBe('write');
    expect(sessions.size).toBe(1);
    expect(session.metrics.connects).toBe(1);
    await session.close();
    await expect.poll(() => sessions.size).toBe(0);
  });

  it('does not fall back when the server fails otherwise', async () => {
    const methods: (string | undefined)[] = [];
    const { session } = await start(async (request, response) => {
      methods.push(request.method);
      refuse(response, 503);
    });
    await expect(session.callTool('write')).rejects.toMatchObject({
      code: 'BROWSER_NOT_READY',
      message: expect.stringContaining('HTTP 503'),
    });
    expect(methods).toEqual(['POST']);
  });

  it('tells what both transports were answered when neither is let in, and no secret', async () => {
    const { session } = await start(async (_, response) => refuse(response, 401), {
      headers: { authorization: 'Bearer secret' },
    });
    await expect(session.callTool('write')).rejects.toMatchObject({
      code: 'BROWSER_NOT_READY',
      message: expect.stringMatching(/^(?!.*secret).*HTTP 401.*as an SSE server: .*401/s),
    });
  });

  it.each([
    { sse: false, methods: ['DELETE', 'GET', 'POST'] },
    { sse: true, methods: ['GET', 'POST'] },
  ])('sends its headers with every request (sse: $sse)', async ({ sse, methods }) => {
    const { handle } = sse ? sseHandler(calls) : streamableHandler(calls);
    const seen: IncomingMessage[] = [];
    const { session } = await start(
      async (request, response) => {
        seen.push(request);
        await handle(request, response);
      },
      { sse, headers: { authorization: 'Bearer secret' } },
    );
    await session.callTool('write');
    await expect.poll(() => seen.some(({ method }) => method === 'GET')).toBe(true);
    await session.close();
    expect([...new Set(seen.map(({ method }) => method))].sort()).toEqual(methods);
    expect(seen.every((request) => request.headers.authorization === 'Bearer secret')).toBe(true);
  });

  it('[001-weakness-02] starts a new session when the server has forgotten its own, and carries the call out once', async () => {
    const { handle, sessions } = streamableHandler(calls);
    const { session } = await start(handle);
    await session.callTool('write');
    for (const transport of sessions.values()) use({ [Symbol.asyncDispose]: () => transport.close() });
    sessions.clear();
    expect(await session.callTool('write')).toBe('write');
    expect(calls.names).toEqual(['write', 'write']);
    expect(session.metrics).toMatchObject({ connects: 2, reconnects: 1, failures: 0 });
  });

  it.each([
    { status: 429, sse: false },
    { status: 503, sse: false },
    { status: 429, sse: true },
  ])(
    'reports a call that is refused with $status, and keeps the session (sse: $sse)',
    async ({ status, sse }) => {
      const { handle } = sse ? sseHandler(calls) : streamableHandler(calls);
      let refused = 0;
      let refusing = false;
      const refuseSome: Parameters<typeof serve>[0] = async (request, response) => {
        if (!refusing || request.method !== 'POST') return await handle(request, response);
        refused++;
        refuse(response, status);
      };
      const { session } = await start(refuseSome, { sse });
      await session.connect();
      refusing = true;
      await expect(session.callTool('write')).rejects.toMatchObject({
        code: 'EXECUTION_ERROR',
        details: { status },
      });
      refusing = false;
      expect(await session.callTool('write')).toBe('write');
      expect(calls.names).toEqual(['write']);
      expect(refused).toBeGreaterThan(0);
      expect(session.metrics.connects).toBe(1);
    },
  );

  it.each([false, true])(
    '[001-weakness-02] notices a server that ended between calls, and reconnects when it is back (sse: %s)',
    async (sse) => {
      const make = () => (sse ? sseHandler(calls) : streamableHandler(calls)).handle;
      const first = await serve(make(), await freePorts());
      const session = use(new PlaywrightSession(sse ? { sse: first.url } : first.url));
      await session.callTool('write');
      await first[Symbol.asyncDispose]();
      await expect.poll(() => session.connected).toBe(false);
      await expect(session.callTool('write')).rejects.toMatchObject({ code: 'BROWSER_NOT_READY' });
      await using _second = await serve(make(), first.port);
      expect(await session.callTool('write')).toBe('write');
      expect(calls.names).toEqual(['write', 'write']);
      expect(session.metrics).toMatchObject({ connects: 2, reconnects: 1, calls: 3, failures: 1 });
      await session.close();
    },
  );

  it.each([false, true])(
    '[001-weakness-02] fails a call whose server ends within it (sse: %s)',
    async (sse) => {
      const { server, session } = await start((sse ? sseHandler(calls) : streamableHandler(calls)).handle, {
        sse,
      });
      const call = session.callTool('wait');
      const failed = expect(call).rejects.toMatchObject({
        code: 'INSTANCE_CRASHED',
        details: { taken: 'unknown' },
      });
      await expect.poll(() => calls.names).toEqual(['wait']);
      await server[Symbol.asyncDispose]();
      await failed;
    },
  );

  /** A session with a call under way, whose answer is to come over `stream`: its beginning is on the way. */
  const startWaiting = async (handle: Parameters<typeof serve>[0]) => {
    let stream: ServerResponse | undefined;
    let sentBefore = 0;
    const { session } = await start(async (request, response) => {
      if (request.method === 'POST') {
        stream = response;
        sentBefore = request.socket.bytesWritten;
      }
      await handle(request, response);
    });
    await session.connect();
    const call = session.callTool('wait');
    await expect.poll(() => calls.names).toEqual(['wait']);
    // The tool runs before its answer has begun. Cut then, the request itself has failed, and nothing can be resumed.
    const begun = () => stream?.socket?.writableLength === 0 && stream.socket.bytesWritten > sentBefore;
    await expect.poll(begun).toBe(true);
    return { session, call, stream };
  };

  it('[001-weakness-02] fails a call at once whose answer is cut off on its way, and keeps the session', async () => {
    const { session, call, stream } = await startWaiting(streamableHandler(calls).handle);
    const failed = expect(call).rejects.toMatchObject({
      code: 'EXECUTION_ERROR',
      message: expect.stringContaining('cut'),
      hint: expect.stringContaining('look at the page'),
    });
    stream?.destroy();
    await failed;
    await expect.poll(() => calls.cancelled).toBe(1);
    expect(await session.callTool('write')).toBe('write');
    expect(session.metrics.connects).toBe(1);
  });

  it('has the answer of a call over another stream when the server can resume the one that was cut', async () => {
    const { handle } = streamableHandler(calls, new InMemoryEventStore());
    const { session, call, stream } = await startWaiting(handle);
    stream?.destroy();
    calls.answer();
    expect(await call).toBe('wait');
    expect(calls).toMatchObject({ names: ['wait'], cancelled: 0 });
    expect(session.metrics).toMatchObject({ connects: 1, failures: 0 });
  });

  it.each([false, true])('cancels a call at the server (sse: %s)', async (sse) => {
    const { session } = await start((sse ? sseHandler(calls) : streamableHandler(calls)).handle, { sse });
    const controller = new AbortController();
    const call = session.callTool('wait', {}, { signal: controller.signal });
    const failed = expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect.poll(() => calls.names).toEqual(['wait']);
    controller.abort();
    await failed;
    await expect.poll(() => calls.cancelled).toBe(1);
    expect(await session.ping()).toBe(true);
  });

  it('[001-weakness-02] takes an SSE stream that was cut for lost, so that the next call shakes hands anew', async () => {
    const { handle } = sseHandler(calls);
    let stream: ServerResponse | undefined;
    const { session } = await start(
      async (request, response) => {
        if (request.method === 'GET') stream = response;
        await handle(request, response);
      },
      { sse: true },
    );
    await session.connect();
    stream?.destroy();
    await expect.poll(() => session.connected).toBe(false);
    expect(await session.callTool('write')).toBe('write');
    expect(session.metrics).toMatchObject({ connects: 2, failures: 0 });
  });

  it('[001-life-03] leaves no stream open when it gives up connecting', async () => {
    const clock = new FakeClock();
    let ended = false;
    const server = use(
      await serve(async (_, response) => {
        response.on('close', () => {
          ended = true;
        });
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      }),
    );
    const session = use(new PlaywrightSession({ sse: server.url }, { clock }));
    const failed = expect(session.connect()).rejects.toMatchObject({ code: 'BROWSER_NOT_READY' });
    await server.reached;
    await clock.advance(30_000);
    await failed;
    await expect.poll(() => ended).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('[001-weakness-02] fails the running calls at once when a server that hangs is given up', async () => {
    const clock = new FakeClock();
    const { handle } = streamableHandler(calls);
    let hanging = false;
    let ignored = 0;
    const server = use(
      await serve(async (request, response) => {
        if (!hanging) return await handle(request, response);
        ignored++;
      }),
    );
    const session = new PlaywrightSession(server.url, { clock });
    await session.listTools();
    const call = session.callTool('wait');
    const failed = expect(call).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    await expect.poll(() => calls.names).toEqual(['wait']);
    hanging = true;
    const healthy = session.ping();
    await expect.poll(() => ignored).toBe(1);
    await clock.advance(5_000);
    expect(await healthy).toBe(false);
    await failed;
    const closed = session.close();
    await clock.advance(2_000);
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });
});
