import { onTestFinished } from 'vitest';
import type { ConfigInput } from '../../src/config/config-input.js';
import { SessionManager } from '../../src/session/session-manager.js';
import type { StartSessionOptions } from '../../src/session/session-options.js';
import { type OnePool, type PoolFixture, poolOf } from '../pool/pool-fixture.js';

export interface SessionFixture extends PoolFixture {
  sessions: SessionManager;
  /** Starts a session of client `a`. */
  start: (sessionId?: string, options?: Partial<StartSessionOptions>) => Promise<Session>;
}

type Session = Awaited<ReturnType<SessionManager['start']>>['session'];

/** Sessions over one pool of fake browsers. At the end of the test they are closed, and nothing may be left. */
export async function sessionsOver(
  pool: OnePool,
  server: Omit<ConfigInput, 'pools'> = {},
): Promise<SessionFixture> {
  const fixture = await poolOf(pool, { server });
  const sessions = new SessionManager(fixture.pools);
  onTestFinished(async () => {
    fixture.driver.releaseAll();
    await sessions[Symbol.asyncDispose]();
  });
  return {
    ...fixture,
    sessions,
    start: async (sessionId, options) =>
      (await sessions.start({ client: 'a', sessionId, ...options })).session,
  };
}
