import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { BrowserPools, type ConfigInput, PlaywrightToolset, PwpoolError, SessionManager } from '@pwpool/core';
import { FakeClock, FakeDriver } from '@pwpool/core/testing';
import { describe, expect, it } from 'vitest';
import { connectInMemory } from './fixtures/memory-client.js';
import { errorOf, textOf } from './fixtures/stdio-server.js';

/** A server with clients in memory, on browsers that are fakes. */
async function startFake(config: ConfigInput) {
  const driver = new FakeDriver();
  const pools = await BrowserPools.create(config, { driver, clock: new FakeClock() });
  const sessions = new SessionManager(pools);
  const toolset = await PlaywrightToolset.load({ allowUnsafeCode: false });
  let instructions = '';
  const connect = async (name: string) => {
    const client = await connectInMemory(name, { pools, sessions, toolset });
    instructions = client.getInstructions() ?? '';
    return async (tool: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name: tool, arguments: args })) as CallToolResult;
  };
  return { driver, connect, instructions: () => instructions, [Symbol.asyncDispose]: () => pools.close() };
}

it('a call that names no session reaches the session started last, for a client that names none [003-target-02]', async () => {
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

describe('start_browser', () => {
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
