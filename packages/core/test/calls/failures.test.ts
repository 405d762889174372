import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/calls/call.js';
import type { CallAnswer } from '../../src/calls/call-answer.js';
import { type ConfigInput, resolveConfig } from '../../src/config/config-input.js';
import { textOf } from '../../src/connection/answer-text.js';
import { asPwpoolError, ERROR_CODES, type ErrorCode, MEANINGS, PwpoolError } from '../../src/errors.js';
import { checkExpectations } from '../../src/script/row-work.js';
import { settle } from '../../src/testing/fake-clock.js';
import { toolNotFound } from '../../src/toolset/tool-not-found.js';
import { failureResult } from '../../src/upstream/failure.js';
import { type CallsFixture, CLIENT, callsOver } from './calls-fixture.js';

interface Way {
  server?: Omit<ConfigInput, 'pools'>;
  /** Ends in the failure, as what is thrown or as the answer. */
  go: (fixture: CallsFixture) => Promise<CallAnswer | undefined>;
  /** All that the caller reads, where that is not an example of docs/errors.md. */
  reads?: string;
}

/** What callers of real servers read: `packages/mcp/test/error-codes` leads to it, and the page is made of that. */
const PAGE = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

/** The examples of the page, without the page's URL, which no fake browser has. */
const EXAMPLES = [...PAGE.matchAll(/^```text\n([\s\S]*?)\n```$/gm)].map(([, text = '']) =>
  plain(text.replace(/\nPage URL: .*/, '')),
);

const IN_WEB: Partial<Call> = { target: { pool: 'WEB' } };

const start = async ({ sessions }: CallsFixture, sessionId: string) =>
  void (await sessions.start({ client: CLIENT.id, sessionId, instance: '0' }));

/** Both browsers of WEB are held. */
const holdAll = async ({ sessions }: CallsFixture) => {
  await sessions.start({ client: CLIENT.id, sessionId: 'alice', instance: '0' });
  await sessions.start({ client: CLIENT.id, sessionId: 'bob', instance: '1' });
};

const NO_BROWSER = new PwpoolError(
  'BROWSER_NOT_READY',
  'EXECUTABLE_PATH names no executable file: /opt/browser',
  { hint: 'Correct EXECUTABLE_PATH, or remove it to let pwpool look for a browser.' },
);

const WAYS: Partial<Record<ErrorCode, Way>> = {
  BROWSER_NOT_READY: {
    server: { lazy: true, autoRestart: false },
    async go({ driver, call }) {
      driver.starting.fail(NO_BROWSER);
      return await call(IN_WEB);
    },
  },
  SESSION_EXPIRED: {
    server: { sessionIdleTimeout: 60_000 },
    async go(fixture) {
      await start(fixture, 'alice');
      await fixture.clock.advance(61_000);
      return await fixture.call({ target: { sessionId: 'alice' } });
    },
  },
  CONFIG_INVALID: {
    async go() {
      throw failureIn(() => resolveConfig({ pools: { WEB: { instances: 0 } } }));
    },
  },
  POOL_NOT_FOUND: { go: ({ call }) => call({ target: { pool: 'WEBB' } }) },
  INSTANCE_NOT_FOUND: { go: ({ call }) => call({ target: { pool: 'SIDE', instance: '7' } }) },
  NO_HEALTHY_INSTANCES: {
    server: { lazy: true, autoRestart: false },
    async go({ driver, call }) {
      driver.starting.fail(NO_BROWSER);
      await call({ target: { pool: 'WEB', instance: '0' } });
      await call({ target: { pool: 'WEB', instance: '1' } });
      return await call(IN_WEB);
    },
  },
  LEASE_TIMEOUT: {
    server: { leaseTimeout: 5_000 },
    async go(fixture) {
      await holdAll(fixture);
      const waiting = fixture.call(IN_WEB);
      await settle();
      await fixture.clock.advance(5_000);
      return await waiting;
    },
  },
  POOL_BUSY: {
    server: { queueLimit: 2 },
    async go(fixture) {
      await holdAll(fixture);
      const leaving = new AbortController();
      const wait = async () => await fixture.call({ ...IN_WEB, signal: leaving.signal });
      const waiting = [wait(), wait()];
      await settle();
      const refused = await fixture.call(IN_WEB);
      leaving.abort();
      await Promise.all(waiting);
      return refused;
    },
  },
  LEASE_REVOKED: {
    async go({ pools }) {
      const lease = await pools.lease();
      await lease.release();
      await lease.callTool('browser_snapshot');
      return undefined;
    },
  },
  INSTANCE_CRASHED: {
    async go(fixture) {
      await start(fixture, 'alice');
      const browser = fixture.driver.browser('0', 'WEB');
      browser.calling.hold();
      const call = fixture.call({ target: { sessionId: 'alice' } });
      await settle();
      browser.crash("The browser of instance '0' of pool 'WEB' ended unexpectedly.");
      return await call;
    },
    // A fake browser has no state to bring back.
    reads: `INSTANCE_CRASHED: The browser of instance '0' of pool 'WEB' ended unexpectedly.
Call again: session 'alice' goes on in a new browser, without its cookies, storage and URL.`,
  },
  SESSION_NOT_FOUND: {
    async go(fixture) {
      await start(fixture, 'checkout');
      return await fixture.call({ target: { sessionId: 'chekout' } });
    },
  },
  SESSION_AMBIGUOUS: {
    async go(fixture) {
      await holdAll(fixture);
      return await fixture.call();
    },
  },
  SESSION_EXISTS: {
    async go(fixture) {
      await start(fixture, 'alice');
      await start(fixture, 'alice');
      return undefined;
    },
  },
  SESSION_LIMIT: {
    server: { sessionLimit: 2, sessionLimitPerClient: 2 },
    async go(fixture) {
      await holdAll(fixture);
      await start(fixture, 'carol');
      return undefined;
    },
  },
  RATE_LIMITED: {
    async go({ calls }) {
      const principal = { name: 'alice', pools: 'all', limits: { callsPerMinute: 2 } } as const;
      for (let call = 0; call < 3; call++) calls.admit({ id: 'alice', principal });
      return undefined;
    },
  },
  TARGET_CONFLICT: {
    async go(fixture) {
      await start(fixture, 'alice');
      return await fixture.call({ target: { sessionId: 'alice', pool: 'SIDE' } });
    },
  },
  SNAPSHOT_EXPIRED: {
    async go(fixture) {
      await start(fixture, 'alice');
      return await fixture.call({ target: { sessionId: 'alice' }, args: { cache_key: 'k7wq2' } });
    },
  },
  TOOL_NOT_FOUND: {
    async go() {
      throw toolNotFound('browser_clik', ['browser_click', 'browser_close']);
    },
  },
  EXPECTATION_FAILED: {
    async go() {
      const names = { row: {}, steps: { page: { title: 'Shop' } } };
      checkExpectations({ expect: [{ that: "steps.page.title == 'Checkout'" }] }, { names, answers: [] });
      return undefined;
    },
  },
  CANCELLED: { go: ({ call }) => call({ ...IN_WEB, signal: AbortSignal.abort() }) },
  SHUTTING_DOWN: {
    async go({ pools, call }) {
      await pools.close();
      return await call(IN_WEB);
    },
    // A server refuses the call before that.
    reads: `SHUTTING_DOWN: Pool 'WEB' is shutting down.
Use another pool if there is one, or try again when the server has been started again. Start your session anew.`,
  },
};

function failureIn(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Figures of time differ from one run to the next. */
function plain(text: string): string {
  return text.replace(/\b\d+ (ms|s)\b/g, 'N $1').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'THEN');
}

describe('a failure in which no page has a part [arch-error-01, arch-error-11]', () => {
  it.each(Object.entries(WAYS))(
    '%s reads as docs/errors.md has it, or as its way says',
    async (code, way) => {
      const fixture = await callsOver(way.server);
      const answer = await way.go(fixture).catch((error: unknown) => asPwpoolError(error));
      const error = answer instanceof PwpoolError || !answer || answer.success ? answer : answer.error;
      if (!(error instanceof PwpoolError)) throw new Error('It did not fail.');
      const text = plain(textOf(failureResult(error)).replace('### Error\n', ''));
      const examples = EXAMPLES.filter((example) => example.startsWith(`${code}:`));
      expect(way.reads === undefined ? examples : [plain(way.reads)]).toContain(text);
      expect(error.code).toBe(code);
    },
  );
});

it('each code has a meaning, and an example in docs/errors.md [arch-error-11]', () => {
  expect(Object.keys(MEANINGS).sort()).toEqual([...ERROR_CODES].sort());
  const shown = EXAMPLES.map((text) => text.split(':')[0]);
  expect([...new Set(shown)].sort()).toEqual([...ERROR_CODES].sort());
});
