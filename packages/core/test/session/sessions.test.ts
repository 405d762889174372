import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { errorIn, errorOf, stateOf } from '../pool/pool-fixture.js';
import { type SessionFixture, sessionsOver } from './session-fixture.js';

describe('names', () => {
  it('are browser-1, browser-2 and so on unless given, and not reused while alive [003-id-01]', async () => {
    const { sessions, start } = await sessionsOver({ instances: 4 });
    expect((await start()).id).toBe('browser-1');
    expect((await start('browser-3')).id).toBe('browser-3');
    expect((await start()).id).toBe('browser-2');
    expect((await start()).id).toBe('browser-4');
    await sessions.close('a', 'browser-2');
    expect((await start()).id).toBe('browser-2');
  });

  it('given by number are not given twice to two that start together', async () => {
    const { start } = await sessionsOver({ instances: 2, lazy: true });
    const started = await Promise.all([start(), start()]);
    expect(started.map(({ id }) => id)).toEqual(['browser-1', 'browser-2']);
  });

  it('are refused a second time, also while the first is being started [003-exists-01]', async () => {
    const { driver, start } = await sessionsOver({ instances: 2, lazy: true });
    driver.starting.hold();
    const first = start('alice');
    const early = await errorOf(start('alice'));
    driver.starting.release();
    await first;
    for (const error of [early, await errorOf(start('alice'))]) {
      expect(error.code).toBe('SESSION_EXISTS');
      expect(error.message).toBe("Session 'alice' already exists");
    }
  });

  it('are free again after a start that failed', async () => {
    const { start } = await sessionsOver({ instances: 1 });
    expect((await errorOf(start('alice', { instance: '9' }))).code).toBe('INSTANCE_NOT_FOUND');
    expect((await start('alice')).id).toBe('alice');
  });

  it('that do not exist are answered with how to start them; another one only when it was evidently meant [003-target-03]', async () => {
    const { sessions, start } = await sessionsOver({ instances: 4 });
    await start('checkout');
    await start('user-a');
    await start('browser-1');
    await start('bob');
    const hint = (id: string) => {
      const error = errorIn(() => sessions.get('a', id));
      expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND', message: `Session '${id}' not found.` });
      return error.hint;
    };
    const start_ = (id: string) => `tart it with start_browser({ sessionId: "${id}" }).`;
    for (const id of ['carol', 'user-b', 'browser-2', 'bob2', 'rob', 'check'])
      expect(hint(id)).toBe(`S${start_(id)}`);
    for (const id of ['checkuot', 'chekout', 'Checkout'])
      expect(hint(id)).toBe(`Did you mean 'checkout'? If not, s${start_(id)}`);
    await sessions.close('a', 'checkout');
    expect(hint('checkout')).toBe(`S${start_('checkout')}`);
  });
});

describe('a session', () => {
  it('keeps its browser from everybody else until it is closed', async () => {
    const { pools, sessions, start } = await sessionsOver({ instances: 1 });
    const session = await start('alice');
    await session.callTool('browser_click', {});
    const lease = pools.lease();
    expect(await stateOf(lease)).toBe('pending');
    await sessions.close('a', 'alice');
    expect((await lease).instance).toBe('0');
    expect((await errorOf(session.callTool('browser_click', {}))).code).toBe('SESSION_NOT_FOUND');
  });

  it('is named to those who wait for its browser', async () => {
    const { clock, pools, start } = await sessionsOver({ instances: 1 });
    await start('alice');
    const waiting = errorOf(pools.lease({ timeoutMs: 10 }));
    await clock.advance(10);
    expect((await waiting).message).toContain('0 by session alice for 10 ms');
  });

  it('runs its calls in order, while another runs its own [003-parallel-01, 003-parallel-02]', async () => {
    const { driver, start } = await sessionsOver({ instances: 2 });
    const [alice, bob] = [await start('alice'), await start('bob')];
    driver.browser('0').calling.hold();
    const calls = [alice.callTool('browser_click', {}), alice.callTool('browser_snapshot', {})];
    await bob.callTool('browser_navigate', {});
    expect(driver.calls.map(({ instance, tool }) => `${instance} ${tool}`)).toEqual([
      '0 browser_click',
      '1 browser_navigate',
    ]);
    driver.browser('0').calling.release();
    await Promise.all(calls);
    expect(driver.calls.at(-1)).toMatchObject({ instance: '0', tool: 'browser_snapshot' });
  });

  it('lets a call leave the line, and the rest go on', async () => {
    const { driver, start } = await sessionsOver({ instances: 1 });
    const alice = await start('alice');
    const controller = new AbortController();
    driver.browser('0').calling.hold();
    const first = alice.callTool('browser_click', {});
    const second = alice.callTool('browser_type', {}, { signal: controller.signal });
    const third = alice.callTool('browser_snapshot', {});
    controller.abort();
    expect(await stateOf(second)).toBe('CANCELLED');
    driver.browser('0').calling.release();
    await Promise.all([first, third]);
    expect(driver.calls.map(({ tool }) => tool)).toEqual(['browser_click', 'browser_snapshot']);
  });

  it('ends with the calls that run and wait when it is closed', async () => {
    const { driver, sessions, start } = await sessionsOver({ instances: 1 });
    const alice = await start('alice');
    driver.browser('0').calling.hold();
    const running = errorOf(alice.callTool('browser_click', {}));
    const waiting = errorOf(alice.callTool('browser_snapshot', {}));
    await settle();
    await sessions.close('a', 'alice');
    expect((await running).code).toBe('SESSION_NOT_FOUND');
    expect((await waiting).code).toBe('SESSION_NOT_FOUND');
    expect(driver.calls).toHaveLength(1);
  });

  it('leaves the page as it is when it is detached, and a clean one else', async () => {
    const { driver, sessions, start } = await sessionsOver({ instances: 2 });
    await start('alice', { instance: '0' });
    await start('bob', { instance: '1' });
    await sessions.close('a', 'alice', { detach: true });
    await sessions.close('a', 'bob');
    expect(driver.browsers.map(({ resetting }) => resetting.count)).toEqual([0, 1]);
  });
});

describe('the session of calls that name none', () => {
  it('is the one last started or chosen while the client names none, and no other takes its place when it is closed [003-target-02, 003-current-01]', async () => {
    const { sessions, start } = await sessionsOver({ instances: 3 });
    expect(sessions.current('a')).toBeUndefined();
    const first = await start();
    const second = await start();
    expect(sessions.current('a')).toBe(second);
    sessions.setCurrent('a', 'browser-1');
    expect(sessions.current('a')).toBe(first);
    expect(() => sessions.setCurrent('a', 'carol')).toThrow("Session 'carol' not found.");
    const third = await start();
    expect(sessions.current('a')).toBe(third);
    await sessions.close('a', 'browser-3');
    expect(sessions.current('a')).toBeUndefined();
  });

  it('is refused from the first name on, in a start or in a call, while two are open [arch-target-07]', async () => {
    for (const name of [
      async ({ start }: SessionFixture) => void (await start('alice')),
      async ({ start, sessions }: SessionFixture) => void sessions.get('a', (await start()).id),
      async ({ start, sessions }: SessionFixture) => {
        await start();
        expect(() => sessions.get('a', 'nobody')).toThrow();
      },
    ]) {
      const fixture = await sessionsOver({ instances: 3 });
      const { sessions, start } = fixture;
      await name(fixture);
      const [only] = sessions.list('a').sessions;
      expect(sessions.current('a')?.id).toBe(only?.sessionId);
      const { id } = await start();
      expect(errorIn(() => sessions.current('a'))).toMatchObject({
        code: 'SESSION_AMBIGUOUS',
        message: `The call names no session, and 2 are open: ${only?.sessionId}, ${id}.`,
        details: { open: [only?.sessionId, id] },
      });
      expect(sessions.list('a').currentSession).toBeNull();
      // Whoever called for the one that is closed does not get the other one's page instead.
      await sessions.close('a', id);
      expect(sessions.current('a')).toBeUndefined();
      await start();
      expect(errorIn(() => sessions.current('a')).code).toBe('SESSION_AMBIGUOUS');
      await sessions.close('a', only?.sessionId ?? '');
      expect(sessions.current('a')?.id).toBe(id);
    }
  });

  it('is the chosen one as long as that is open, whatever is started after it [arch-target-07, 003-current-01]', async () => {
    const { clock, sessions, start } = await sessionsOver({ instances: 3 }, { sessionIdleTimeout: 1_000 });
    const alice = await start('alice');
    const bob = await start('bob');
    sessions.setCurrent('a', 'alice');
    await start('carol');
    expect(sessions.current('a')).toBe(alice);
    expect(sessions.list('a').currentSession).toBe('alice');
    await sessions.close('a', 'alice');
    expect(errorIn(() => sessions.current('a')).code).toBe('SESSION_AMBIGUOUS');

    sessions.setCurrent('a', 'carol');
    await clock.advance(600);
    await bob.callTool('browser_snapshot', {});
    await start('dave');
    await clock.advance(600);
    // It ended of itself, which is told once.
    expect(errorIn(() => sessions.current('a')).message).toContain("Session 'carol' ended");
    expect(errorIn(() => sessions.current('a'))).toMatchObject({ details: { open: ['bob', 'dave'] } });
  });

  it('is the one last started or chosen, with or without names, with SESSION_DEFAULT=last [arch-target-07]', async () => {
    const { sessions, start } = await sessionsOver({ instances: 2 }, { sessionDefault: 'last' });
    const alice = await start('alice');
    const bob = await start('bob');
    expect(sessions.current('a')).toBe(bob);
    sessions.setCurrent('a', 'alice');
    expect(sessions.current('a')).toBe(alice);
    expect(sessions.list('a').currentSession).toBe('alice');
  });
});

describe('list', () => {
  it('has its fields, and pwpool’s own after them [003-list-01]', async () => {
    const { clock, sessions, start } = await sessionsOver(
      { instances: 2, instance: { 1: { browser: 'firefox', headless: false } } },
      { sessionIdleTimeout: 600_000 },
    );
    await start('user-a');
    await clock.advance(2_000);
    const other = await start('user-b');
    await clock.advance(1_000);
    await other.callTool('browser_click', {});
    sessions.setCurrent('a', 'user-b');
    expect(sessions.list('a')).toEqual({
      sessions: [
        {
          sessionId: 'user-a',
          type: 'browser',
          capabilities: { browserName: 'chromium', headless: true },
          browser_pool: 'WEB',
          browser_instance: '0',
          status: 'active',
          createdAt: '2026-01-02T10:15:30.000Z',
          lastUsedAt: '2026-01-02T10:15:30.000Z',
          expiresAt: '2026-01-02T10:25:30.000Z',
        },
        {
          sessionId: 'user-b',
          type: 'browser',
          capabilities: { browserName: 'firefox', headless: false },
          browser_pool: 'WEB',
          browser_instance: '1',
          status: 'active',
          createdAt: '2026-01-02T10:15:32.000Z',
          lastUsedAt: '2026-01-02T10:15:33.000Z',
          expiresAt: '2026-01-02T10:25:33.000Z',
        },
      ],
      currentSession: 'user-b',
    });
  });

  it('is empty for a client without sessions', async () => {
    const { sessions } = await sessionsOver({ instances: 1 });
    expect(sessions.list('a')).toEqual({ sessions: [], currentSession: null });
    expect(sessions.all()).toEqual([]);
  });
});

describe('another client', () => {
  it('neither sees nor uses a session, and may use the same name [arch-target-06]', async () => {
    const { driver, sessions, start } = await sessionsOver({ instances: 2 });
    await start('alice');
    expect(sessions.list('b')).toEqual({ sessions: [], currentSession: null });
    expect(sessions.current('b')).toBeUndefined();
    expect(() => sessions.get('b', 'alice')).toThrow("Session 'alice' not found.");
    await expect(sessions.close('b', 'alice')).rejects.toMatchObject({ details: { sessionId: 'alice' } });

    const own = await start('alice', { client: 'b' });
    await own.callTool('browser_click', {});
    expect(driver.calls).toMatchObject([{ instance: '1' }]);
    expect(sessions.all().map(({ client, sessionId }) => `${client} ${sessionId}`)).toEqual([
      'a alice',
      'b alice',
    ]);
  });
});

describe('closeAll', () => {
  it('ends every session of that client, and tells their names [003-close-02]', async () => {
    const { pools, sessions, start } = await sessionsOver({ instances: 3 });
    await start('alice');
    await start('bob');
    await start('other', { client: 'b' });
    expect(await sessions.closeAll('a')).toEqual(['alice', 'bob']);
    expect(sessions.all().map(({ sessionId }) => sessionId)).toEqual(['other']);
    expect(pools.status().summary.leased_instances).toBe(1);
  });
});

describe('a client that leaves', () => {
  it('gives all its browsers back, with calls in flight', async () => {
    const { driver, pools, sessions, start } = await sessionsOver({ instances: 2 });
    const alice = await start('alice');
    await start('bob');
    driver.browser('0').calling.hold();
    const call = errorOf(alice.callTool('browser_click', {}));
    await settle();
    await sessions.closeClient('a');
    expect((await call).code).toBe('SESSION_NOT_FOUND');
    expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 2 });
    await sessions.closeClient('a');
  });

  it('gives the browser of a session back that is just being started', async () => {
    const { driver, pools, sessions, start } = await sessionsOver({ instances: 1, lazy: true });
    driver.starting.hold();
    const started = errorOf(start('alice'));
    await settle();
    await sessions.closeClient('a');
    expect((await started).code).toBe('CANCELLED');
    driver.starting.release();
    await settle();
    expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 1 });
    expect(sessions.all()).toEqual([]);
  });
});

it('a session that asks for a mode gets an instance of it that is there, and another one later if need be', async () => {
  const { driver, pools, start } = await sessionsOver({
    instances: 3,
    instance: { 0: { headless: false }, 1: { headless: false }, 2: { headless: true } },
  });
  await pools.pool().drain({ instance: '0' });
  const alice = await start('alice', { headless: false });
  expect(alice.config.id).toBe('1');
  driver.browser('1').crash();
  await pools.pool().drain({ instance: '1' });
  await pools.pool().restart({ instance: '0' });
  await alice.callTool('browser_snapshot', {});
  expect(alice.config.id).toBe('0');
});
