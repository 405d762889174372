import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/config-input.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, stateOf } from '../pool/pool-fixture.js';
import { temporaryDirectory } from '../session-state/state-fixture.js';
import { giveContexts } from './fake-context.js';
import { sessionsOver } from './session-fixture.js';

describe('a session whose browser is lost, with SESSION_RESTORE=false', () => {
  it('tells the call in flight of the crash, and the next that the session is over', async () => {
    const { driver, start } = await sessionsOver({ instances: 1 }, { sessionRestore: false });
    const alice = await start('alice');
    driver.browser('0').calling.hold();
    const running = errorOf(alice.callTool('browser_click', {}));
    const waiting = errorOf(alice.callTool('browser_snapshot', {}));
    await settle();
    driver.browser('0').crash('The browser ended.');
    expect((await running).code).toBe('INSTANCE_CRASHED');
    for (const error of [await waiting, await errorOf(alice.callTool('browser_snapshot', {}))]) {
      expect(error.code).toBe('SESSION_EXPIRED');
      expect(error.message).toBe("Session 'alice' ended: The browser ended. Its pages and logins are gone.");
      expect(error.details).toEqual({ sessionId: 'alice', cause: 'INSTANCE_CRASHED' });
    }
  });

  it('is told by its name too, once as the current session, and frees the name', async () => {
    const { driver, sessions, start } = await sessionsOver({ instances: 1 }, { sessionRestore: false });
    await start('alice');
    driver.browser('0').crash();
    await settle();
    expect(sessions.list('a')).toEqual({ sessions: [], currentSession: null });
    expect(() => sessions.get('a', 'alice')).toThrow("Session 'alice' ended");
    expect(() => sessions.current('a')).toThrow("Session 'alice' ended");
    expect(sessions.current('a')).toBeUndefined();

    const again = await start('alice');
    expect(sessions.get('a', 'alice')).toBe(again);
    await again.callTool('browser_click', {});
  });
});

describe('a session whose browser is lost', () => {
  it('goes on in a new one, and the next answer tells what is gone', async () => {
    const { driver, sessions, start } = await sessionsOver({ instances: 1 });
    const alice = await start('alice');
    driver.browser('0').calling.hold();
    const running = errorOf(alice.callTool('browser_click', {}));
    await settle();
    driver.browser('0').crash();
    // Behind this driver there is no state to read.
    expect(await running).toMatchObject({
      code: 'INSTANCE_CRASHED',
      hint: "Call again: session 'alice' goes on in a new browser, without its cookies, storage and URL.",
    });
    expect(sessions.list('a').sessions[0]).toMatchObject({ status: 'crashed', browser_instance: null });

    const answer = await alice.callTool('browser_snapshot', {});
    expect(answer.restored).toMatchObject({ after: 'crashed', asOf: null, restoredUrl: null });
    expect(answer.restored?.notRestored).not.toEqual([]);
    expect(driver.browsers).toHaveLength(2);
    expect(sessions.list('a').sessions[0]).toMatchObject({ status: 'active', browser_instance: '0' });
    expect((await alice.callTool('browser_snapshot', {})).restored).toBeUndefined();
  });

  it('waits for a browser as everybody does, and may be closed meanwhile', async () => {
    const { driver, pools, sessions, start } = await sessionsOver({ instances: 1 });
    const alice = await start('alice');
    driver.browser('0').crash();
    const other = await pools.lease();
    const call = errorOf(alice.callTool('browser_snapshot', {}));
    expect(await stateOf(call)).toBe('pending');
    await sessions.close('a', 'alice');
    expect((await call).code).toBe('SESSION_NOT_FOUND');
    await other.release();
    expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 1 });
  });
});

describe('a session whose browser is taken back', () => {
  it('says so, and goes on in another browser of its pool, whichever pool is the default by then', async () => {
    const { clock, pools, sessions, start } = await sessionsOver({ instances: 1, leaseMax: 5_000 });
    const alice = await start('alice');
    await clock.advance(5_000);
    expect(sessions.list('a').sessions[0]).toMatchObject({ status: 'revoked', browser_instance: null });
    const WEB = { instances: 1, isolated: true, leaseMax: 5_000 };
    await pools.reload(resolveConfig({ pools: { WEB, NEW: { instances: 1, isDefault: true } } }));
    const answer = await alice.callTool('browser_snapshot', {});
    expect(answer.restored).toMatchObject({ after: 'revoked' });
    expect(alice.config.pool).toBe('WEB');
  });
});

describe('a session without calls', () => {
  it('ends after SESSION_IDLE_TIMEOUT, gives its browser back, and says when and why [003-idle-01, 002-error-08]', async () => {
    const { clock, pools, sessions, start } = await sessionsOver(
      { instances: 1 },
      { sessionIdleTimeout: 60_000 },
    );
    const alice = await start('alice');
    await clock.advance(40_000);
    await alice.callTool('browser_click', {});
    // What is saved behind a call counts as use until it is done.
    await settle();
    await clock.advance(59_999);
    expect(alice.isOpen).toBe(true);
    await clock.advance(1);
    const error = await errorOf(alice.callTool('browser_click', {}));
    expect(error.code).toBe('SESSION_EXPIRED');
    expect(error.message).toBe(
      "Session 'alice' ended at 2026-01-02T10:17:10.000Z: it had no call for 60000 ms.",
    );
    expect(() => sessions.get('a', 'alice')).toThrow(error.message);
    expect(pools.status().summary.leased_instances).toBe(0);
  });

  it('does not end while a call runs, however long', async () => {
    const { clock, driver, start } = await sessionsOver(
      { instances: 1, timeout: 500_000 },
      { sessionIdleTimeout: 60_000 },
    );
    const alice = await start('alice');
    driver.browser('0').calling.hold();
    const call = alice.callTool('browser_click', {});
    await clock.advance(300_000);
    expect(await stateOf(call)).toBe('pending');
    driver.browser('0').calling.release();
    await call;
    await settle();
    await clock.advance(59_999);
    expect(alice.isOpen).toBe(true);
  });
});

describe('a session that ended while its state was saved under a name', () => {
  it('leaves the next session of its name alone [003-close-01]', async () => {
    await using directory = await temporaryDirectory();
    const { driver, sessions, start } = await sessionsOver({ instances: 2 }, { stateDir: directory.path });
    const reading = giveContexts(driver);
    await start('alice');
    reading('0').hold();
    const saving = sessions.close('a', 'alice', { save: 'alice-login' });
    await settle();
    await sessions.close('a', 'alice');
    const next = await start('alice');
    reading('0').release();
    await saving;
    expect(next.isOpen).toBe(true);
    expect(sessions.get('a', 'alice')).toBe(next);
    expect(sessions.current('a')).toBe(next);
  });
});

describe('limits', () => {
  it('per client refuse one more, and the others go on [003-limit-01]', async () => {
    const { start } = await sessionsOver({ instances: 4 }, { sessionLimitPerClient: 2 });
    await start('alice');
    await start('bob');
    const error = await errorOf(start('carol'));
    expect(error.code).toBe('SESSION_LIMIT');
    expect(error.hint).toContain('alice, bob');
    await start('carol', { client: 'b' });
  });

  it('in all count every client, and a closed session no more', async () => {
    const { sessions, start } = await sessionsOver({ instances: 4 }, { sessionLimit: 2 });
    await start('alice');
    await start('bob', { client: 'b' });
    expect((await errorOf(start('carol', { client: 'c' }))).code).toBe('SESSION_LIMIT');
    await sessions.close('a', 'alice');
    await start('carol', { client: 'c' });
  });

  it('are warned of from SESSION_WARN_AT on [003-limit-01]', async () => {
    const { sessions } = await sessionsOver({ instances: 3 }, { sessionWarnAt: 2 });
    expect((await sessions.start({ client: 'a' })).warning).toBeUndefined();
    expect((await sessions.start({ client: 'a' })).warning).toContain('You have 2 sessions open');
  });
});

describe('the end of the pools', () => {
  it('ends every session with SHUTTING_DOWN, and leaves no timer', async () => {
    const { clock, pools, sessions, start } = await sessionsOver({ instances: 1 });
    const alice = await start('alice');
    await pools.close();
    expect((await errorOf(alice.callTool('browser_click', {}))).code).toBe('SHUTTING_DOWN');
    expect(sessions.all()).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
