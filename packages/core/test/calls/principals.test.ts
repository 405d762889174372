import { describe, expect, it } from 'vitest';
import type { Call, Client } from '../../src/calls/call.js';
import type { PwpoolError } from '../../src/errors.js';
import type { LeaseWait } from '../../src/pool/lease-options.js';
import type { Principal } from '../../src/principals/principal.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf } from '../pool/pool-fixture.js';
import { type CallsFixture, callsOver, reached } from './calls-fixture.js';

/** A connection of a principal. */
function clientOf(name: string, rest: Partial<Principal> = {}, connection = '1'): Client {
  return {
    id: `${name}/${connection}`,
    principal: { name, pools: 'all', limits: {}, folder: name, ...rest },
  };
}

const ALICE = clientOf('alice');
const BOB = clientOf('bob');
const CAROL = clientOf('carol', { pools: ['SIDE'] });
const IN_WEB = { target: { pool: 'WEB' } };

async function failureOf({ call }: CallsFixture, options: Partial<Call>): Promise<PwpoolError> {
  const answer = await call(options);
  if (answer.success) throw new Error('It did not fail.');
  return answer.error;
}

const startFor = async ({ calls }: CallsFixture, client: Client, sessionId: string, pool = 'WEB') =>
  (await calls.startSession({ client, sessionId, pool })).session;

describe('pools of a principal', () => {
  it('are all that there are for it [arch-principal-06]', async () => {
    const fixture = await callsOver();
    const { calls, call, pools } = fixture;
    expect(reached(await call({ client: CAROL }))).toMatch(/^browser-1 on SIDE\//);
    expect(reached(await call({ client: CAROL, target: { pool: 'SIDE', instance: '1' } }))).toBe('SIDE/1');
    const refused = [
      await failureOf(fixture, { client: CAROL, ...IN_WEB }),
      await errorOf(calls.startSession({ client: CAROL, pool: 'WEB' })),
      await errorOf(
        calls.runAll({ client: CAROL, ...IN_WEB, commands: [], stopOnError: true, what: 'bulk' }),
      ),
      await errorOf(pools.checkedStatus('WEB', CAROL.principal)),
    ];
    for (const error of refused) {
      expect(error).toMatchObject({ code: 'POOL_NOT_FOUND', details: { pool: 'WEB', valid: ['SIDE'] } });
    }
    const unknown = await failureOf(fixture, { client: CAROL, target: { pool: 'NONE' } });
    expect(refused[0]?.message.replace('WEB', 'NONE')).toBe(unknown.message);
    const { pools: seen, summary } = await pools.checkedStatus(undefined, CAROL.principal);
    expect(seen.map(({ name }) => name)).toEqual(['SIDE']);
    expect(summary.total_pools).toBe(1);
  });

  it('are told as the only ones when they are busy, and none at all when it may use none', async () => {
    const fixture = await callsOver({ sessionPreempt: 0 });
    for (const id of ['a', 'b']) await startFor(fixture, BOB, id, 'SIDE');
    const waiting = failureOf(fixture, { client: CAROL, target: { pool: 'SIDE' } });
    await fixture.clock.advance(60_000);
    const error = await waiting;
    expect(error.code).toBe('LEASE_TIMEOUT');
    expect(JSON.stringify([error.toJSON(), error.hint])).not.toContain('WEB');
    const nobody = clientOf('dan', { pools: [] });
    expect((await failureOf(fixture, { client: nobody })).hint).toContain('No pool is open to you');
  });

  it('that it may use no more are gone for its sessions there, too', async () => {
    const fixture = await callsOver();
    const pools: string[] = ['WEB', 'SIDE'];
    const client = clientOf('eve', { pools });
    await startFor(fixture, client, 's');
    pools.shift();
    const error = await failureOf(fixture, { client, target: { sessionId: 's' } });
    expect(error).toMatchObject({ code: 'POOL_NOT_FOUND', details: { valid: ['SIDE'] } });
  });
});

describe('limits of a principal', () => {
  it('hold for the sessions of all its connections, and for nobody else [arch-principal-07]', async () => {
    const limits = { sessions: 2 };
    const fixture = await callsOver();
    const [one, two] = [clientOf('alice', { limits }), clientOf('alice', { limits }, '2')];
    await startFor(fixture, one, 'a');
    await fixture.clock.advance(60_000);
    await startFor(fixture, two, 'b', 'SIDE');
    const error = await errorOf(startFor(fixture, two, 'c'));
    expect(error).toMatchObject({
      code: 'SESSION_LIMIT',
      message: "There are 2 sessions of 'alice' already, which is the limit.",
      details: { limit: 2, open: ['a', 'b'], retryAfterMs: 1_740_000 },
    });
    expect(error.hint).toContain('in 1740 s');
    expect((await startFor(fixture, BOB, 'c')).isOpen).toBe(true);
    await fixture.sessions.close(one.id, 'a');
    expect((await startFor(fixture, two, 'c')).isOpen).toBe(true);
  });

  it('hold for its calls that wait for a browser, or behind a call of a session [arch-principal-07]', async () => {
    const fixture = await callsOver({ sessionPreempt: 0 });
    const { call, driver, clock } = fixture;
    const client = clientOf('alice', { limits: { waitingCalls: 2 } });
    for (const id of ['a', 'b']) await startFor(fixture, BOB, id);
    await startFor(fixture, client, 's', 'SIDE');
    const busy = driver.browsers.find(({ config }) => config.pool === 'SIDE' && config.id === '0');
    busy?.calling.hold();
    const waiting = [
      call({ client, ...IN_WEB }),
      call({ client, target: { sessionId: 's' } }),
      call({ client, target: { sessionId: 's' } }),
    ];
    await settle();
    for (const target of [{ pool: 'WEB' }, { sessionId: 's' }]) {
      expect(await failureOf(fixture, { client, target })).toMatchObject({
        code: 'POOL_BUSY',
        message: "2 calls of 'alice' wait for a browser already, which is its limit.",
        details: { limit: 2, retryAfterMs: 1_000 },
      });
    }
    const other = call({ client: BOB, target: { pool: 'WEB' } });
    await settle();
    expect(fixture.pools.waiting().map(({ principal }) => principal)).toEqual(['alice', 'bob']);
    busy?.calling.release();
    await settle();
    expect(reached(await call({ client, target: { sessionId: 's' } }))).toBe('s on SIDE/0');
    await clock.advance(60_000);
    expect((await Promise.all([...waiting, other])).map((answer) => answer.success)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(
      (await failureOf(fixture, { client: clientOf('eve', { limits: { waitingCalls: 0 } }), ...IN_WEB }))
        .code,
    ).toBe('POOL_BUSY');
  });

  it('hold for its calls a minute, which come back evenly [arch-principal-07]', async () => {
    const { calls, clock } = await callsOver();
    const client = clientOf('alice', { limits: { callsPerMinute: 6 } });
    const admitted = (who = client) => {
      try {
        calls.admit(who);
        return true;
      } catch (error) {
        return (error as PwpoolError).toJSON();
      }
    };
    for (let call = 0; call < 6; call++) expect(admitted()).toBe(true);
    expect(admitted()).toMatchObject({ code: 'RATE_LIMITED', details: { limit: 6, retryAfterMs: 10_000 } });
    expect(admitted(clientOf('alice', { limits: { callsPerMinute: 6 } }, '2'))).not.toBe(true);
    expect(admitted(BOB)).toBe(true);
    await clock.advance(9_999);
    expect(admitted()).toMatchObject({ details: { retryAfterMs: 1 } });
    await clock.advance(1);
    expect([admitted(), admitted()]).toEqual([true, expect.anything()]);
    await clock.advance(600_000);
    for (let call = 0; call < 6; call++) expect(admitted()).toBe(true);
    expect(admitted()).not.toBe(true);
  });
});

describe('what is a principal’s own', () => {
  it('is nobody else’s to see or use, also with the same names [arch-principal-08]', async () => {
    const fixture = await callsOver();
    const { sessions, call } = fixture;
    await startFor(fixture, ALICE, 's');
    await startFor(fixture, BOB, 's', 'SIDE');
    expect(sessions.list(BOB.id).sessions).toMatchObject([{ sessionId: 's', browser_pool: 'SIDE' }]);
    expect(reached(await call({ client: BOB, target: { sessionId: 's' } }))).toBe('s on SIDE/0');
    await sessions.close(BOB.id, 's');
    const gone = await failureOf(fixture, { client: BOB, target: { sessionId: 's' } });
    const never = await failureOf(fixture, { client: BOB, target: { sessionId: 't' } });
    expect(gone.message).toBe(never.message.replace("'t'", "'s'"));
    expect(gone.hint).toBe(never.hint?.replace('"t"', '"s"'));
    expect(sessions.all()).toMatchObject([{ sessionId: 's', client: 'alice/1', principal: 'alice' }]);
  });

  it('is not named to those who wait for it [arch-principal-08]', async () => {
    const fixture = await callsOver({ sessionPreempt: 0 });
    await startFor(fixture, ALICE, 'secret-project');
    await startFor(fixture, BOB, 'mine');
    let wait: LeaseWait | undefined;
    const onWait = (each: LeaseWait) => {
      wait = each;
    };
    const waiting = failureOf(fixture, { client: BOB, ...IN_WEB, onWait });
    await settle();
    expect(wait?.holders().map(({ holder }) => holder)).toEqual(['another client', 'session mine']);
    await fixture.clock.advance(60_000);
    const error = await waiting;
    expect(error.message).toContain('0 by another client');
    expect(JSON.stringify(error.toJSON())).not.toMatch(/secret|alice|"principal"/);
  });

  it('is cleaned out of a browser before another one has it, whatever RESET says [arch-principal-09]', async () => {
    for (const reset of ['session', 'never'] as const) {
      const { call, driver } = await callsOver({ reset });
      const target = { pool: 'WEB', instance: '0' };
      const browser = driver.browsers.find(({ config }) => config.pool === 'WEB' && config.id === '0');
      const resets = async (client: Client) => {
        const before = browser?.resetting.count ?? 0;
        await call({ client, target });
        await settle();
        return (browser?.resetting.count ?? 0) - before;
      };
      expect([await resets(ALICE), await resets(ALICE)]).toEqual([0, 0]);
      expect([await resets(BOB), await resets(BOB), await resets(ALICE)]).toEqual([1, 0, 1]);
    }
  });

  it('lies in folders of its own, which are all that it can name [arch-principal-09]', async () => {
    const fixture = await callsOver({ outputDir: '/srv/out' });
    const { driver, call } = fixture;
    const foldersOf = (pool: string) =>
      driver.browsers.find(({ config }) => config.pool === pool && config.id === '0')?.folders;
    await startFor(fixture, ALICE, 's');
    expect(foldersOf('WEB')).toMatchObject({ root: '/srv/out/@/alice/s', outputDir: '/srv/out/@/alice/s' });
    await call({ client: BOB, target: { pool: 'SIDE', instance: '0' } });
    expect(foldersOf('SIDE')).toMatchObject({ root: '/srv/out/@/bob/SIDE-0' });
  });
});
