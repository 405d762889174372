import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PlaywrightSession } from '../../src/connection/playwright-session.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { answering, ScriptedTransport } from './fixtures/scripted-transport.js';

describe('the calls of a session', () => {
  let clock: FakeClock;
  let transports: ScriptedTransport[];
  let session: PlaywrightSession;
  let nextTransport: () => ScriptedTransport | Promise<ScriptedTransport>;

  // What connects is loaded with the first connection, which takes longer than the fake clock waits.
  beforeAll(async () => {
    await using first = new PlaywrightSession({ transport: () => new ScriptedTransport(answering('done')) });
    await first.connect();
  });

  beforeEach(() => {
    clock = new FakeClock();
    transports = [];
    nextTransport = () => new ScriptedTransport(answering('done'));
    const transport = async () => {
      const made = await nextTransport();
      transports.push(made);
      return made;
    };
    session = new PlaywrightSession({ transport }, { clock, connectTimeout: 10_000, callTimeout: 40_000 });
  });

  afterEach(async () => {
    await session.close();
    expect(clock.pendingTimers).toBe(0);
    expect(transports.every(({ closed }) => closed > 0)).toBe(true);
  });

  const whileWaiting = async (call: Promise<unknown>, during: () => Promise<void>) => {
    const outcome = call.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await settle();
    await during();
    return await outcome;
  };

  it('[001-life-03] gives up connecting after connectTimeout, and tries again with the next call', async () => {
    nextTransport = () => new ScriptedTransport({ initialize: () => 'nothing' });
    const outcome = await whileWaiting(session.callTool('any'), () => clock.advance(10_000));
    expect(outcome).toMatchObject({
      error: { code: 'BROWSER_NOT_READY', message: expect.stringContaining('10000 ms') },
    });
    await settle();
    expect(transports[0]?.closed).toBeGreaterThan(0);
    nextTransport = () => new ScriptedTransport(answering('connected'));
    expect(await session.callTool('any')).toBe('connected');
    expect(session.metrics).toMatchObject({ connects: 1, reconnects: 0, calls: 2, failures: 1 });
  });

  it('[001-life-03] reports why a transport could not be made', async () => {
    nextTransport = () => Promise.reject(new Error('no free port.'));
    await expect(session.callTool('any')).rejects.toMatchObject({
      code: 'BROWSER_NOT_READY',
      message: expect.stringContaining('no free port'),
    });
  });

  it('closes a transport that arrives after the session was closed', async () => {
    let arrive: (transport: ScriptedTransport) => void = () => undefined;
    nextTransport = () => new Promise((resolve) => (arrive = resolve));
    const outcome = await whileWaiting(session.callTool('any'), () => session.close());
    expect(outcome).toMatchObject({ error: { code: 'SHUTTING_DOWN' } });
    arrive(new ScriptedTransport());
    await settle();
    expect(transports[0]).toMatchObject({ closed: 1, sent: [] });
  });

  it('ends a call that passed its time, tells the server, and keeps a server that answers pings', async () => {
    nextTransport = () => new ScriptedTransport();
    const call = session.callTool('slow', {}, { timeout: 5_000 });
    expect(await whileWaiting(call, () => clock.advance(5_000))).toMatchObject({
      error: { code: 'CALL_TIMEOUT', message: expect.stringContaining('"slow"') },
    });
    await settle();
    expect(transports[0]?.methods().slice(-3).sort()).toEqual([
      'notifications/cancelled',
      'ping',
      'tools/call',
    ]);
    expect(session.connected).toBe(true);
    expect(await whileWaiting(session.callTool('slow'), () => clock.advance(40_000))).toMatchObject({
      error: { code: 'CALL_TIMEOUT' },
    });
  });

  it('[001-weakness-02] takes a server that hangs in a call for lost, and reconnects with the next', async () => {
    nextTransport = () => new ScriptedTransport({ ping: () => 'nothing' });
    const call = session.callTool('hang', {}, { timeout: 5_000 });
    expect(await whileWaiting(call, () => clock.advance(5_000))).toMatchObject({
      error: { code: 'CALL_TIMEOUT' },
    });
    expect(session.connected).toBe(true);
    await clock.advance(5_000);
    expect(session.connected).toBe(false);
    expect(transports[0]?.closed).toBeGreaterThan(0);
    nextTransport = () => new ScriptedTransport(answering('new'));
    expect(await session.callTool('any')).toBe('new');
  });

  it('sends no call whose caller left while the session connected', async () => {
    const controller = new AbortController();
    let arrive: (transport: ScriptedTransport) => void = () => undefined;
    nextTransport = () => new Promise((resolve) => (arrive = resolve));
    const call = session.callTool('write', {}, { signal: controller.signal });
    expect(await whileWaiting(call, async () => controller.abort())).toMatchObject({
      error: { code: 'CANCELLED' },
    });
    arrive(new ScriptedTransport(answering('done')));
    await settle();
    expect(session.connected).toBe(true);
    expect(transports[0]?.methods()).toEqual(['initialize', 'notifications/initialized']);
  });

  it('cancels a call at the server when its caller leaves, and keeps the connection', async () => {
    nextTransport = () => new ScriptedTransport();
    const controller = new AbortController();
    const call = session.callTool('slow', {}, { signal: controller.signal });
    expect(await whileWaiting(call, async () => controller.abort())).toMatchObject({
      error: { code: 'CANCELLED' },
    });
    expect(transports[0]?.methods().at(-1)).toBe('notifications/cancelled');
    expect(await session.ping()).toBe(true);
    expect(session.metrics).toMatchObject({ calls: 1, failures: 1, connects: 1 });
  });

  it('rejects the calls that run when it is closed', async () => {
    nextTransport = () => new ScriptedTransport();
    const outcome = await whileWaiting(session.callTool('slow'), () => session.close());
    expect(outcome).toMatchObject({ error: { code: 'SHUTTING_DOWN' } });
  });

  it('[001-extension-01] tells by ping whether the connection is healthy, without connecting', async () => {
    expect(await session.ping()).toBe(false);
    expect(transports).toEqual([]);
    let healthy = true;
    nextTransport = () =>
      new ScriptedTransport({ ...answering('done'), ping: () => (healthy ? { result: {} } : 'nothing') });
    await session.callTool('any');
    expect(await session.ping()).toBe(true);
    healthy = false;
    expect(await whileWaiting(session.ping(), () => clock.advance(5_000))).toEqual({ value: false });
    expect(session.connected).toBe(false);
  });

  it('counts an answer that is an error as an answer to a ping', async () => {
    nextTransport = () =>
      new ScriptedTransport({ ping: () => ({ error: { code: -32601, message: 'Method not found' } }) });
    await session.connect();
    expect(await session.ping()).toBe(true);
  });

  it('[001-extension-03] counts connects, calls, failures and their times', async () => {
    expect(session.metrics).toEqual({
      connects: 0,
      reconnects: 0,
      calls: 0,
      failures: 0,
      connectMsTotal: 0,
      connectMsLast: null,
      callMsTotal: 0,
    });
    nextTransport = async () => {
      await new Promise<void>((resolve) => void clock.after(300, resolve));
      return new ScriptedTransport();
    };
    await whileWaiting(session.callTool('slow', {}, { timeout: 1_000 }), () => clock.advance(1_000));
    transports[0]?.onclose?.();
    expect(session.connected).toBe(false);
    nextTransport = async () => {
      await new Promise<void>((resolve) => void clock.after(50, resolve));
      return new ScriptedTransport(answering('done'));
    };
    await whileWaiting(session.callTool('fast'), () => clock.advance(50));
    expect(session.metrics).toEqual({
      connects: 2,
      reconnects: 1,
      calls: 2,
      failures: 1,
      connectMsTotal: 350,
      connectMsLast: 50,
      callMsTotal: 700,
    });
  });

  it('reports an answer that is no tool result, and keeps the connection', async () => {
    nextTransport = () => new ScriptedTransport({ 'tools/call': () => ({ result: { content: 'no list' } }) });
    await expect(session.callTool('any')).rejects.toMatchObject({ code: 'EXECUTION_ERROR' });
    expect(session.connected).toBe(true);
  });

  it.each([
    [-32602, 'INVALID_ARGUMENTS'],
    [-32603, 'EXECUTION_ERROR'],
    [-32000, 'EXECUTION_ERROR'],
  ])('reports the protocol error %i as %s, and keeps the connection', async (code, expected) => {
    nextTransport = () =>
      new ScriptedTransport({ 'tools/call': () => ({ error: { code, message: 'no such key' } }) });
    await expect(session.callTool('any')).rejects.toMatchObject({
      code: expected,
      message: expect.stringContaining('no such key'),
    });
    expect(session.connected).toBe(true);
  });

  it('lists the tools of every page', async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
    nextTransport = () =>
      new ScriptedTransport({
        'tools/list': ({ params }) => ({
          result: params?.['cursor'] ? { tools: [tool('b')] } : { tools: [tool('a')], nextCursor: 'next' },
        }),
      });
    expect((await session.listTools()).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('says of a lost transport object that it cannot be used again', async () => {
    const transport = new ScriptedTransport(answering('done'));
    const single = new PlaywrightSession(transport, { clock });
    expect(await single.callTool('any')).toBe('done');
    transport.onclose?.();
    await expect(single.callTool('any')).rejects.toMatchObject({
      code: 'BROWSER_NOT_READY',
      message: expect.stringContaining('only once'),
      hint: expect.stringContaining('{ transport: () =>'),
    });
    await single.close();
  });
});
