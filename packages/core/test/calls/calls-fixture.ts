import { onTestFinished } from 'vitest';
import type { Call } from '../../src/calls/call.js';
import type { CallAnswer } from '../../src/calls/call-answer.js';
import { Calls } from '../../src/calls/calls.js';
import type { ConfigInput } from '../../src/config/config-input.js';
import { textOf } from '../../src/connection/answer-text.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { SiteLimits } from '../../src/sites/site-limits.js';
import { type PoolFixture, poolsOf } from '../pool/pool-fixture.js';

export interface CallsFixture extends PoolFixture {
  calls: Calls;
  sessions: SessionManager;
  /** Makes a call of client `a`, by default `browser_snapshot` without a target. */
  call: (call?: Partial<Call>) => Promise<CallAnswer>;
}

export const CLIENT = { id: 'a' };

/** A page of the site that the fixture limits: one visitor at once. */
export const SHOP = { tool: 'browser_navigate', args: { url: 'https://shop.example/' } };

/**
 * Calls over fake browsers: a default pool WEB with instances 0 and 1, and SIDE with 0 and 1, which is `main`. At the end of
 * the test nothing may be left.
 */
export async function callsOver(server: Omit<ConfigInput, 'pools'> = {}): Promise<CallsFixture> {
  const fixture = await poolsOf(
    {
      SIDE: { instances: 2, instance: { 1: { alias: 'main' } } },
      WEB: { instances: 2, isDefault: true },
    },
    { server },
  );
  const { clock, driver, pools } = fixture;
  const sessions = new SessionManager(pools);
  onTestFinished(async () => {
    driver.releaseAll();
    await sessions[Symbol.asyncDispose]();
  });
  const shop = { name: 'shop', hosts: ['shop.example'], minIntervalMs: 0, concurrency: 1 };
  const calls = new Calls({ pools, sessions, sites: new SiteLimits([shop], { clock }) });
  const call = (each: Partial<Call> = {}) =>
    calls.run({ client: CLIENT, tool: 'browser_snapshot', args: {}, ...each });
  return { ...fixture, calls, sessions, call };
}

/** What a call reached: `alice on WEB/0` in a session, `WEB/0` with a lease of its own, or the code of its failure. */
export function reached(answer: CallAnswer): string {
  if (!answer.success) return answer.error.code;
  const browser = textOf(answer.result).replace(/^\w+ on /, '');
  return answer.session ? `${answer.session.id} on ${browser}` : browser;
}
