import { PwpoolError } from '../errors.js';

/** The browser under a session is gone and the session ends with it (`SESSION_RESTORE=false`). */
export function sessionLost(id: string, cause: PwpoolError): PwpoolError {
  return new PwpoolError(
    'SESSION_EXPIRED',
    `Session '${id}' ended: ${cause.message} Its pages and logins are gone.`,
    {
      hint: NEXT,
      details: { sessionId: id, cause: cause.code },
      cause,
    },
  );
}

/**
 * The browser under a session is gone in a call; the session goes on in a new one (`SESSION_RESTORE=true`).
 * @param saved whether there is a state to go on with: there is none before the first call is over, and never behind a
 *   remote tool server
 */
export function sessionGoesOn(id: string, cause: PwpoolError, saved: boolean): PwpoolError {
  const state = saved ? 'with its last cookies, storage and URL' : 'without its cookies, storage and URL';
  return new PwpoolError(cause.code, cause.message, {
    hint: `Call again: session '${id}' goes on in a new browser, ${state}.`,
    details: { ...cause.details, sessionId: id },
    cause,
  });
}

/** Seed 003, "Session Timeout/Cleanup". */
export function sessionIdle(id: string, now: number, idleTimeoutMs: number): PwpoolError {
  const at = new Date(now).toISOString();
  return new PwpoolError(
    'SESSION_EXPIRED',
    `Session '${id}' ended at ${at}: it had no call for ${idleTimeoutMs} ms.`,
    {
      hint: `${NEXT} SESSION_IDLE_TIMEOUT sets the time.`,
      details: { sessionId: id, expiredAt: at, idleTimeoutMs },
    },
  );
}

export function sessionClosed(id: string): PwpoolError {
  return new PwpoolError('SESSION_NOT_FOUND', `Session '${id}' was closed.`, {
    hint: NEXT,
    details: { sessionId: id },
  });
}

export function sessionNotFound(id: string, valid: readonly string[]): PwpoolError {
  return new PwpoolError('SESSION_NOT_FOUND', `Session '${id}' not found.`, {
    hint: valid.length > 0 ? `Use one of: ${valid.join(', ')}.` : 'Start one with start_browser.',
    details: { sessionId: id, valid },
  });
}

/** Seed 003, "Session Naming Conflicts": the wording is a contract. */
export function sessionExists(id: string): PwpoolError {
  return new PwpoolError('SESSION_EXISTS', `Session '${id}' already exists`, {
    hint: 'Use it, close it with close_session, or choose another sessionId.',
    details: { sessionId: id },
  });
}

export function sessionLimit(scope: string, limit: number, open: readonly string[]): PwpoolError {
  return new PwpoolError(
    'SESSION_LIMIT',
    `There are ${limit} sessions ${scope} already, which is the limit.`,
    {
      hint:
        open.length > 0
          ? `Close one that is no longer needed: ${open.join(', ')}.`
          : 'Try again when another client has closed one.',
      details: { limit, open },
    },
  );
}

const NEXT =
  'Start a new session with start_browser (the name is free again), or call without a sessionId for a new browser.';
