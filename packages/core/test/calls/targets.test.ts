import { describe, expect, it } from 'vitest';
import type { Target } from '../../src/calls/call.js';
import type { ConfigInput } from '../../src/config/config-input.js';
import { type CallsFixture, CLIENT, callsOver, reached } from './calls-fixture.js';

/** What was done before the call. */
type Before = (fixture: CallsFixture) => Promise<unknown>;
type Row = [what: string, before: Before, target: Target, reaches: string];

/** Starts sessions of client `a`; `undefined` leaves the name to pwpool. */
const start =
  (...names: (string | undefined)[]): Before =>
  async ({ sessions }) => {
    for (const sessionId of names) await sessions.start({ client: CLIENT.id, sessionId });
  };
const nothing: Before = async () => {};
const close =
  (id: string): Before =>
  async ({ sessions }) =>
    await sessions.close(CLIENT.id, id);
const choose =
  (id: string): Before =>
  async ({ sessions }) =>
    sessions.setCurrent(CLIENT.id, id);
const anotherClient: Before = async ({ sessions }) =>
  await sessions.start({ client: 'b', sessionId: 'alice' });
const idleForLong: Before = async ({ clock }) => await clock.advance(60_000);
const aCall: Before = async ({ call }) => await call();
const all =
  (...steps: Before[]): Before =>
  async (fixture) => {
    for (const step of steps) await step(fixture);
  };

async function expectReached([, before, target, reaches]: Row, server: Omit<ConfigInput, 'pools'> = {}) {
  const fixture = await callsOver({ sessionIdleTimeout: 60_000, ...server });
  await before(fixture);
  expect(reached(await fixture.call({ target }))).toBe(reaches);
}

const bySession: Row[] = [
  ['reaches it', start('alice', 'bob'), { sessionId: 'alice' }, 'alice on WEB/0'],
  [
    'may have its pool and instance beside it',
    start('alice', 'bob'),
    { sessionId: 'bob', pool: 'WEB', instance: '1' },
    'bob on WEB/1',
  ],
  [
    'and another pool beside it is a conflict',
    start('alice'),
    { sessionId: 'alice', pool: 'SIDE' },
    'TARGET_CONFLICT',
  ],
  [
    'and another instance beside it is a conflict',
    start('alice'),
    { sessionId: 'alice', instance: '1' },
    'TARGET_CONFLICT',
  ],
  ['that nobody started is not found', nothing, { sessionId: 'alice' }, 'SESSION_NOT_FOUND'],
  ['of another client is not found', anotherClient, { sessionId: 'alice' }, 'SESSION_NOT_FOUND'],
  [
    'that was idle for too long has expired',
    all(start('alice'), idleForLong),
    { sessionId: 'alice' },
    'SESSION_EXPIRED',
  ],
];

const byPool: Row[] = [
  ['a pool leases any of its instances', start(undefined), { pool: 'SIDE' }, 'SIDE/0'],
  ['an instance leases that of the default pool', start(undefined), { instance: '1' }, 'WEB/1'],
  ['both lease that instance there', nothing, { pool: 'SIDE', instance: '1' }, 'SIDE/1'],
  ['an alias is its instance', nothing, { pool: 'SIDE', instance: 'main' }, 'SIDE/1'],
  ['a pool that does not exist is refused', nothing, { pool: 'NONE' }, 'POOL_NOT_FOUND'],
  ['so is an instance', nothing, { instance: 'main' }, 'INSTANCE_NOT_FOUND'],
];

const byNothing: Row[] = [
  ['the session started last', start(undefined, undefined), {}, 'browser-2 on WEB/1'],
  ['the only one, though it was named', start('alice'), {}, 'alice on WEB/0'],
  ['none of two of which one was named', start(undefined, 'alice'), {}, 'SESSION_AMBIGUOUS'],
  ['the chosen one of those', all(start('alice', 'bob'), choose('alice')), {}, 'alice on WEB/0'],
  ['one of its own when there is none', nothing, {}, 'browser-1 on WEB/0'],
  ['that one again', aCall, {}, 'browser-1 on WEB/0'],
  [
    'that one again when the session started after it is closed',
    all(aCall, start(undefined), close('browser-2')),
    {},
    'browser-1 on WEB/0',
  ],
  [
    'a new one of its own when the other is closed',
    all(start(undefined), close('browser-1')),
    {},
    'browser-1 on WEB/1',
  ],
  ['none once, after the current one expired', all(start('alice'), idleForLong), {}, 'SESSION_EXPIRED'],
  ['and then one of its own', all(start('alice'), idleForLong, aCall), {}, 'browser-1 on WEB/1'],
];

describe('a call', () => {
  it.each(bySession)('with a session %s [003-target-01, arch-target-01]', async (...row) => {
    await expectReached(row);
  });

  it.each(byPool)(
    'with a pool or an instance takes a lease for itself: %s [arch-target-02]',
    async (...row) => {
      await expectReached(row);
    },
  );

  it.each(byNothing)('with nothing reaches %s [arch-target-03, arch-target-07]', async (...row) => {
    await expectReached(row);
  });

  it('with nothing reaches the session started last with SESSION_DEFAULT=last [arch-target-07]', async () => {
    await expectReached(['', start('alice', 'bob'), {}, 'bob on WEB/1'], { sessionDefault: 'last' });
  });

  it('with nothing takes a lease for itself with AFFINITY=call, unless a session is current [arch-target-04]', async () => {
    await expectReached(['', nothing, {}, 'WEB/0'], { affinity: 'call' });
    await expectReached(['', start('alice'), {}, 'alice on WEB/0'], { affinity: 'call' });
  });

  it('that starts the client’s own session shares it with those that come meanwhile', async () => {
    const { driver, call } = await callsOver();
    const answers = await Promise.all([call(), call(), call()]);
    expect(answers.map(reached)).toEqual(Array(3).fill('browser-1 on WEB/0'));
    expect(driver.calls).toHaveLength(3);
  });

  it('asks the client where it works only when a browser is leased for it', async () => {
    const { calls, driver } = await callsOver();
    let asked = 0;
    const root = {
      read: async () => {
        asked += 1;
        return '/project';
      },
    };
    const call = { client: { id: 'a', root }, tool: 'browser_snapshot', args: {} };
    await calls.run(call);
    await calls.run(call);
    expect(asked).toBe(1);
    await calls.run({ ...call, target: { pool: 'SIDE' } });
    expect(asked).toBe(2);
    expect(driver.browser('0', 'WEB').folders).toMatchObject({ root: '/project' });
  });
});
