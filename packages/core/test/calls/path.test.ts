import { describe, expect, it } from 'vitest';
import type { Call, Target } from '../../src/calls/call.js';
import type { CallAnswer } from '../../src/calls/call-answer.js';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { type CallsFixture, CLIENT, callsOver, reached, SHOP } from './calls-fixture.js';

const ONE_SHOT: Target = { pool: 'WEB', instance: '0' };
const SESSION: Target = { sessionId: 'alice' };

/** Where a call is held up. */
interface Stage {
  /** Holds the call up; what it returns lets go of what stood in its way. */
  holdUp: (fixture: CallsFixture) => Promise<() => Promise<unknown>>;
  call: Partial<Call>;
  /** Whether its tool has begun by then. */
  ran?: boolean;
}

/** Another caller of the site, on another instance. */
const visitor =
  (instance: string) =>
  async ({ driver, call }: CallsFixture) => {
    const browser = driver.browser(instance, 'SIDE');
    browser.calling.hold();
    const visit = call({ ...SHOP, target: { pool: 'SIDE', instance } });
    await settle();
    return async () => {
      browser.calling.release();
      expect(reached(await visit)).toBe(`SIDE/${instance}`);
    };
  };

const holder = async ({ pools }: CallsFixture) => {
  const leases = [await pools.lease(), await pools.lease()];
  return async () => await Promise.all(leases.map((lease) => lease.release()));
};

const alice = async ({ sessions }: CallsFixture) => {
  await sessions.start({ client: CLIENT.id, sessionId: 'alice', instance: '0' });
};

/** The tool itself, in instance 0 of WEB. */
const running = async ({ driver }: CallsFixture) => {
  const { calling } = driver.browser('0', 'WEB');
  calling.hold();
  return async () => calling.release();
};

const STAGES: Record<string, Stage> = {
  'before the site, without a browser': { holdUp: visitor('0'), call: { ...SHOP, target: ONE_SHOT } },
  'for a lease': { holdUp: holder, call: { ...SHOP, target: ONE_SHOT } },
  'for the session of its own': { holdUp: holder, call: SHOP },
  'in a tool with a lease of its own': {
    holdUp: running,
    call: { ...SHOP, target: ONE_SHOT },
    ran: true,
  },
  'in the line of its session': {
    holdUp: async (fixture) => {
      await alice(fixture);
      const release = await running(fixture);
      const first = fixture.call({ target: SESSION });
      return async () => {
        await release();
        expect(reached(await first)).toBe('alice on WEB/0');
      };
    },
    call: { ...SHOP, target: SESSION },
  },
  'for its turn at the site, with the session’s browser': {
    holdUp: async (fixture) => {
      await alice(fixture);
      return await visitor('0')(fixture);
    },
    call: { ...SHOP, target: SESSION },
  },
  'in a tool of its session': {
    holdUp: async (fixture) => {
      await alice(fixture);
      return await running(fixture);
    },
    call: { ...SHOP, target: SESSION },
    ran: true,
  },
};

/** Nobody holds, waits for or visits anything, but for the session alice. */
async function expectAllGivenBack({ pools, call, sessions }: CallsFixture): Promise<void> {
  await settle();
  const held = sessions.all().filter(({ status }) => status === 'active').length;
  expect(pools.waiting()).toEqual([]);
  expect(pools.status().summary.leased_instances).toBe(held);
  expect(reached(await call({ ...SHOP, target: { pool: 'SIDE' } }))).toMatch(/^SIDE/);
}

describe('a call that is given up', () => {
  it.each(Object.entries(STAGES))('while it waits %s leaves nothing behind', async (_, stage) => {
    const fixture = await callsOver();
    const letGo = await stage.holdUp(fixture);
    await settle();
    const before = fixture.driver.calls.length;
    const leaving = new AbortController();
    const given = fixture.call({ ...stage.call, signal: leaving.signal });
    await settle();
    expect(fixture.driver.calls).toHaveLength(before + (stage.ran ? 1 : 0));
    leaving.abort();
    expect(reached(await given)).toBe('CANCELLED');
    await letGo();
    await expectAllGivenBack(fixture);
    expect(reached(await fixture.call({ ...stage.call }))).toMatch(/WEB\/0$/);
  });

  it.each(Object.entries(STAGES))('before it comes to wait %s does nothing', async (_, stage) => {
    const fixture = await callsOver();
    const letGo = await stage.holdUp(fixture);
    await settle();
    const before = fixture.driver.calls.length;
    const given = fixture.call({ ...stage.call, signal: AbortSignal.abort() });
    await letGo();
    expect(reached(await given)).toBe('CANCELLED');
    await expectAllGivenBack(fixture);
    expect(fixture.driver.calls).toHaveLength(before + 1);
  });

  it('is told to the next call of its session only if its tool had begun', async () => {
    const fixture = await callsOver();
    await alice(fixture);
    const { call } = fixture;
    const giveUp = async (holdUp: Stage['holdUp']) => {
      const letGo = await holdUp(fixture);
      const leaving = new AbortController();
      const given = call({ ...SHOP, target: SESSION, signal: leaving.signal });
      await settle();
      leaving.abort();
      await given;
      await letGo();
      return (await call({ target: SESSION })).session?.notices;
    };
    expect(await giveUp(visitor('0'))).toEqual([]);
    expect(await giveUp(running)).toEqual([
      'The call browser_navigate before this one was cancelled; what it did may have happened.',
    ]);
  });
});

/** Ways in which a tool ends, in instance 0 of WEB. */
const ENDS: Record<
  string,
  { code: string; arrange: (fixture: CallsFixture) => (() => unknown) | undefined }
> = {
  'a failure of the tool': {
    code: 'ELEMENT_NOT_FOUND',
    arrange: ({ driver }) => {
      const text = '### Error\nError: "x" does not match any elements.';
      driver.answer = ({ instance, pool }) =>
        pool === 'WEB'
          ? { isError: true, content: [{ type: 'text', text }] }
          : { content: [{ type: 'text', text: `browser_navigate on ${pool}/${instance}` }] };
      return undefined;
    },
  },
  'an error of its own': {
    code: 'POOL_BUSY',
    arrange: ({ driver }) => {
      driver.browser('0', 'WEB').calling.fail(new PwpoolError('POOL_BUSY', 'Too much.'));
      return undefined;
    },
  },
  'an error without a code': {
    code: 'EXECUTION_ERROR',
    arrange: ({ driver }) => {
      driver.browser('0', 'WEB').calling.fail(new TypeError('Oh.'));
      return undefined;
    },
  },
  'a crash': {
    code: 'INSTANCE_CRASHED',
    arrange: ({ driver }) => {
      const browser = driver.browser('0', 'WEB');
      browser.calling.hold();
      return () => browser.crash();
    },
  },
  'its deadline': {
    code: 'NAVIGATION_TIMEOUT',
    arrange: ({ driver, clock }) => {
      driver.browser('0', 'WEB').calling.hold();
      return async () => await clock.advance(30_000);
    },
  },
};

describe('a call that ends with', () => {
  it.each(
    Object.entries(ENDS).flatMap(([name, end]) =>
      [ONE_SHOT, SESSION].map((target) => ({ name, ...end, target })),
    ),
  )('$name in $target gives back its turn at the site and its lease', async ({ code, arrange, target }) => {
    const fixture = await callsOver();
    await alice(fixture);
    if (target === ONE_SHOT) await fixture.sessions.close(CLIENT.id, 'alice');
    const end = arrange(fixture);
    const call = fixture.call({ ...SHOP, target });
    await settle();
    await end?.();
    expect(reached(await call)).toBe(code);
    fixture.driver.releaseAll();
    await expectAllGivenBack(fixture);
  });
});

describe('an answer', () => {
  it('of a tool that failed has its code and what the tool said', async () => {
    const { driver, call } = await callsOver();
    ENDS['a failure of the tool']?.arrange({ driver } as CallsFixture);
    const answer = await call({ ...SHOP, target: ONE_SHOT });
    expect(answer).toMatchObject({ success: false, error: { code: 'ELEMENT_NOT_FOUND' } });
    expect(answer.result).toMatchObject({ isError: true });
    expect(answer.session).toBeUndefined();
  });

  it('of a call that did not come to its tool has no result', async () => {
    const { call } = await callsOver();
    const answer = await call({ target: { pool: 'NONE' } });
    expect(answer).toEqual({ success: false, error: expect.any(PwpoolError), pageUrl: undefined });
  });

  it('in a session whose browser was lost tells how it came back', async () => {
    const fixture = await callsOver();
    await alice(fixture);
    const { call, driver } = fixture;
    await call({ target: SESSION });
    driver.browser('0', 'WEB').crash();
    await settle();
    const answer: CallAnswer = await call({ target: SESSION });
    expect(answer).toMatchObject({ success: true, session: { id: 'alice', restored: { after: 'crashed' } } });
    expect((await call({ target: SESSION })).session).toEqual({ id: 'alice', notices: [] });
  });
});

describe('a session that is started with a page', () => {
  const url = 'https://shop.example/';

  it('opens it as a call does, and tells where it is', async () => {
    const fixture = await callsOver();
    const letGo = await visitor('0')(fixture);
    const starting = fixture.calls.startSession({ client: CLIENT, sessionId: 'alice', url });
    await settle();
    expect(fixture.driver.calls).toHaveLength(1);
    await letGo();
    expect(await starting).toMatchObject({ session: { id: 'alice' }, opened: { page: { url, title: '' } } });
  });

  it('stays when its page fails [003-start-02]', async () => {
    const fixture = await callsOver();
    ENDS['a failure of the tool']?.arrange(fixture);
    const started = await fixture.calls.startSession({ client: CLIENT, sessionId: 'alice', url });
    expect(started.opened).toMatchObject({ error: { code: 'ELEMENT_NOT_FOUND' } });
    expect(started.session.isOpen).toBe(true);
  });

  it('is closed when its caller leaves before the page is there', async () => {
    const fixture = await callsOver();
    const letGo = await visitor('0')(fixture);
    const leaving = new AbortController();
    const { calls, sessions } = fixture;
    const starting = calls.startSession({ client: CLIENT, sessionId: 'alice', url, signal: leaving.signal });
    await settle();
    leaving.abort();
    await expect(starting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(sessions.all()).toEqual([]);
    await letGo();
    await expectAllGivenBack(fixture);
  });
});
