import { nearest } from '../config/suggest.js';
import { PwpoolError } from '../errors.js';

/** The browser under a session is gone and the session ends with it (`SESSION_RESTORE=false`). */
export function sessionLost(id: string, cause: PwpoolError): PwpoolError {
  return new PwpoolError(
    'SESSION_EXPIRED',
    `Session '${id}' ended: ${cause.message} Its pages and logins are gone.`,
    {
      hint: startAgain(id),
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
  if (cause.details?.['lastOfPool'] === true) {
    const hint = `${cause.hint} Session '${id}' goes on once its pool has a browser again.`;
    return new PwpoolError(cause.code, cause.message, {
      hint,
      details: { ...cause.details, sessionId: id },
      cause,
    });
  }
  const state = saved ? 'with its last cookies, storage and URL' : 'without its cookies, storage and URL';
  return new PwpoolError(cause.code, cause.message, {
    hint: `Call again: session '${id}' goes on in a new browser, ${state}.`,
    details: { ...cause.details, sessionId: id },
    cause,
  });
}

/** `SESSION_EXPIRED` of a session that had no call for `idleTimeoutMs` milliseconds [003-idle-01]. */
export function sessionIdle(id: string, now: number, idleTimeoutMs: number): PwpoolError {
  const at = new Date(now).toISOString();
  return new PwpoolError(
    'SESSION_EXPIRED',
    `Session '${id}' ended at ${at}: it had no call for ${idleTimeoutMs} ms.`,
    {
      hint: `${startAgain(id)} Whoever runs pwpool can change SESSION_IDLE_TIMEOUT.`,
      details: { sessionId: id, expiredAt: at, idleTimeoutMs },
    },
  );
}

/** `SESSION_EXPIRED` of a session that the person who runs the server has ended. */
export function sessionEndedByOperator(id: string, now: number): PwpoolError {
  const at = new Date(now).toISOString();
  return new PwpoolError('SESSION_EXPIRED', `Session '${id}' was ended at ${at} by whoever runs pwpool.`, {
    hint: startAgain(id),
    details: { sessionId: id, expiredAt: at },
  });
}

export function sessionClosed(id: string): PwpoolError {
  return new PwpoolError('SESSION_NOT_FOUND', `Session '${id}' was closed.`, {
    hint: startAgain(id),
    details: { sessionId: id },
  });
}

/**
 * There is no session of that name: it was closed, or never was.
 * @param own the names of the client's sessions, which may be other agents': only one that was evidently meant is told
 */
export function sessionNotFound(id: string, own: readonly string[]): PwpoolError {
  const meant = evidentlyMeant(id, own);
  const start = `start_browser({ sessionId: ${JSON.stringify(id)} })`;
  return new PwpoolError('SESSION_NOT_FOUND', `Session '${id}' not found.`, {
    hint:
      meant === undefined
        ? `Start it with ${start}.`
        : `Did you mean '${meant}'? If not, start it with ${start}.`,
    details: { sessionId: id, ...(meant === undefined ? {} : { meant }) },
  });
}

/** A call names no session and several are open: the one it would reach may be another agent's. */
export function sessionAmbiguous(open: readonly string[]): PwpoolError {
  return new PwpoolError(
    'SESSION_AMBIGUOUS',
    `The call names no session, and ${open.length} are open: ${open.join(', ')}.`,
    {
      hint: 'Pass the sessionId of the session that you started; if you have none, call start_browser. set_current_session chooses one for all calls that name none.',
      details: { open },
    },
  );
}

/** A misspelt name is a letter or two off. `user-b` is none of `user-a`, and `browser-2` none of `browser-1`. */
function evidentlyMeant(id: string, own: readonly string[]): string | undefined {
  const stem = (name: string) => name.replace(/(?:[-_. ]?\d+|[-_. ][a-z])$/i, '');
  const candidate = nearest(
    id,
    own.filter((name) => stem(name) !== stem(id)),
  );
  const tolerated = id.length < 5 ? 0 : id.length < 8 ? 1 : 2;
  return candidate && candidate.distance <= tolerated ? candidate.name : undefined;
}

/** `SESSION_EXISTS`; the wording is a contract [003-exists-01]. */
export function sessionExists(id: string): PwpoolError {
  return new PwpoolError('SESSION_EXISTS', `Session '${id}' already exists`, {
    hint: 'Use it, close it with close_session, or choose another sessionId.',
    details: { sessionId: id },
  });
}

/** @param retryAfterMs milliseconds until the first of them ends if none is used, where that is known */
export function sessionLimit(
  scope: string,
  limit: number,
  open: readonly string[],
  retryAfterMs?: number,
): PwpoolError {
  return new PwpoolError(
    'SESSION_LIMIT',
    `There are ${limit} sessions ${scope} already, which is the limit.`,
    {
      hint: [
        open.length > 0
          ? `Close one of yours that is no longer needed: ${open.join(', ')}.`
          : 'Try again when another client has closed one.',
        ...(retryAfterMs === undefined
          ? []
          : [`Unused, the first of them ends in ${Math.ceil(retryAfterMs / 1000)} s.`]),
      ].join(' '),
      details: { limit, open, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    },
  );
}

function startAgain(id: string): string {
  return `Start it again with start_browser({ sessionId: ${JSON.stringify(id)} }): the name is free.`;
}
