import { expect, it } from 'vitest';
import { Parking } from '../../src/session/parking.js';
import type { Session } from '../../src/session/session.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { errorOf, type OnePool, stateOf } from '../pool/pool-fixture.js';
import { giveContexts } from './fake-context.js';
import { sessionsOver } from './session-fixture.js';

/** `SESSION_PREEMPT` of these tests. */
const PREEMPT = 10_000;

/** A session as parking sees it, which was idle for so long. */
function idle(idleMs: number, park: () => Promise<boolean>) {
  return {
    hasBrowser: true,
    config: { pool: 'WEB', id: '0', settings: { isolated: true } },
    idleMs,
    park,
  } as unknown as Session;
}

/** Sessions `s0`, `s1`, … on the instances `0`, `1`, …, the first idle the longest, and all of them long enough. */
async function idleSessions(count: number, pool: Partial<OnePool> = {}) {
  const fixture = await sessionsOver(
    { instances: count, isolated: true, ...pool },
    { sessionPreempt: PREEMPT },
  );
  const reading = giveContexts(fixture.driver);
  for (let number = 0; number < count; number++) {
    await fixture.start(`s${number}`, { instance: String(number) });
    await fixture.clock.advance(1);
  }
  await fixture.clock.advance(PREEMPT);
  const statuses = () => fixture.sessions.list('a').sessions.map(({ status }) => status);
  return { ...fixture, reading, statuses };
}

it('a session whose state cannot be read keeps its browser, and the next one is parked for the waiter', async () => {
  const parked: string[] = [];
  const sessions = [
    idle(60_000, async () => {
      throw new Error('It has no context.');
    }),
    idle(50_000, async () => parked.push('next') > 0),
    idle(40_000, async () => parked.push('last') > 0),
  ];
  const clock = new FakeClock();
  const parking = new Parking({ clock, idleMs: 1_000, sessions: () => sessions });
  const over = new AbortController();
  parking.makeRoom({
    pool: 'WEB',
    instance: undefined,
    over: over.signal,
    position: () => 0,
    throttled: () => undefined,
    holders: () => [],
  });
  await settle();
  expect(parked).toEqual(['next']);
  over.abort();
  expect(clock.pendingTimers).toBe(0);
});

it('a session whose state can be read in part only keeps its browser too', async () => {
  const { reading, sessions, start, statuses } = await idleSessions(2);
  reading('0').fail(new Error('A database is locked.'));
  await start('other');
  expect(statuses()).toEqual(['active', 'parked', 'active']);
  await expect(sessions.get('a', 's0').park()).rejects.toMatchObject({
    code: 'BROWSER_NOT_READY',
    message: expect.stringContaining('IndexedDB'),
  });
});

it('a session that is called while its state is read keeps its browser, and the next one is parked', async () => {
  const { driver, reading, sessions, start, statuses } = await idleSessions(2);
  reading('0').hold();
  const other = start('other');
  await settle();
  const call = sessions.get('a', 's0').callTool('browser_click', {});
  reading('0').release();
  expect((await call).restored).toBeUndefined();
  expect(driver.calls).toMatchObject([{ instance: '0', tool: 'browser_click' }]);
  await other;
  expect(statuses()).toEqual(['active', 'parked', 'active']);
});

it('nobody is parked any more for a waiter whose browser is just being started', async () => {
  const { clock, driver, pools, sessions, start } = await sessionsOver(
    { instances: 3, isolated: true, lazy: true, idleTimeout: 0, startConcurrency: 1 },
    { sessionPreempt: PREEMPT },
  );
  giveContexts(driver);
  await start('idle');
  driver.starting.hold();
  const first = pools.lease();
  // The third browser has to wait until the second has started.
  const second = start('second');
  await settle();
  driver.starting.releaseNext();
  await first;
  expect(driver.starting.waiting).toBe(1);
  await clock.advance(2 * PREEMPT);
  expect(sessions.get('a', 'idle').info().status).toBe('active');
  driver.starting.release();
  await second;
  await (await first).release();
});

it('one session after the other is parked at once while their browsers go to those who came before', async () => {
  const { pools, start, statuses } = await idleSessions(3);
  const first = pools.lease();
  const other = start('other');
  expect(await stateOf(first)).toBe('resolved');
  await other;
  expect(statuses()).toEqual(['parked', 'parked', 'active', 'active']);
  await (await first).release();
});

it('as many sessions are parked as there are waiters, whichever can be saved first', async () => {
  const { reading, start, statuses } = await idleSessions(4);
  for (const instance of ['0', '1', '2']) reading(instance).hold();
  const waiting = [start('a'), start('b'), start('c')];
  await settle();
  for (const instance of ['2', '1', '0']) {
    reading(instance).release();
    await settle();
  }
  await Promise.all(waiting);
  await settle();
  expect(statuses().slice(0, 4)).toEqual(['parked', 'parked', 'parked', 'active']);
});

it('another session is parked when the one that a waiter relied on turns out to be in use', async () => {
  const { reading, sessions, start, statuses } = await idleSessions(3);
  reading('0').hold();
  const waiting = [start('a'), start('b')];
  // The second session was parked for the second waiter, and went to the first.
  expect(await Promise.all(waiting.map(stateOf))).toEqual(['resolved', 'pending']);
  expect(statuses().slice(0, 3)).toEqual(['active', 'parked', 'active']);
  const call = sessions.get('a', 's0').callTool('browser_click', {});
  reading('0').release();
  await Promise.all([call, ...waiting]);
  expect(statuses().slice(0, 3)).toEqual(['active', 'parked', 'parked']);
});

it('a session with a call is not parked, however long the call takes', async () => {
  const { clock, driver, sessions, start } = await idleSessions(1, {
    timeout: 500_000,
    leaseTimeout: 50_000,
  });
  driver.browser('0').calling.hold();
  const call = sessions.get('a', 's0').callTool('browser_click', {});
  const other = errorOf(start('other'));
  await clock.advance(50_000);
  expect((await other).code).toBe('LEASE_TIMEOUT');
  driver.browser('0').calling.release();
  expect((await call).restored).toBeUndefined();
});

it('unless something else is set, a session that has rested for half a minute makes room', async () => {
  const { clock, driver, start } = await sessionsOver({ instances: 1, isolated: true });
  giveContexts(driver);
  const first = await start('first');
  const other = start('other');
  await clock.advance(29_999);
  expect(await stateOf(other)).toBe('pending');
  await clock.advance(1);
  await other;
  expect(first.info().status).toBe('parked');
});

it.each([
  ['with SESSION_PREEMPT=0', { isolated: true }, { sessionPreempt: 0 }],
  ['with its profile on disk', { isolated: false }, {}],
])('%s a session keeps its browser', async (_, pool, server) => {
  const { clock, driver, start } = await sessionsOver(
    { instances: 1, leaseTimeout: 60_000, ...pool },
    server,
  );
  giveContexts(driver);
  const first = await start('first');
  const late = errorOf(start('other'));
  await clock.advance(60_000);
  expect(await late).toMatchObject({ code: 'LEASE_TIMEOUT' });
  expect(first.info().status).toBe('active');
});
