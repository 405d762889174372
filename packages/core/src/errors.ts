/**
 * Every code that pwpool answers with. Callers branch on these, never on message text.
 *
 * Sources: [002-error-02] to [002-error-08] (the first seven), [000-runtime-01] to [000-runtime-04], [arch-error-01] to
 * [arch-error-09]. pwpool's own are `CALL_TIMEOUT`, a call other than a navigation that passed its deadline,
 * `EXPECTATION_FAILED`, of a script, `POOL_BUSY`, a waiting line that is full, `RATE_LIMITED`, too many calls a minute, and
 * `SNAPSHOT_EXPIRED`, a `cache_key` that shows nothing any more.
 */
export const ERROR_CODES = [
  'BROWSER_NOT_READY',
  'NAVIGATION_TIMEOUT',
  'ELEMENT_NOT_FOUND',
  'ELEMENT_NOT_VISIBLE',
  'EXECUTION_ERROR',
  'URL_BLOCKED',
  'SESSION_EXPIRED',
  'CONFIG_INVALID',
  'POOL_NOT_FOUND',
  'INSTANCE_NOT_FOUND',
  'NO_HEALTHY_INSTANCES',
  'LEASE_TIMEOUT',
  'POOL_BUSY',
  'RATE_LIMITED',
  'LEASE_REVOKED',
  'INSTANCE_CRASHED',
  'SESSION_NOT_FOUND',
  'SESSION_AMBIGUOUS',
  'SESSION_EXISTS',
  'SESSION_LIMIT',
  'TARGET_CONFLICT',
  'SNAPSHOT_EXPIRED',
  'TOOL_NOT_FOUND',
  'INVALID_ARGUMENTS',
  'CALL_TIMEOUT',
  'EXPECTATION_FAILED',
  'CANCELLED',
  'SHUTTING_DOWN',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** What a code stands for, as docs/errors.md tells it. */
interface Meaning {
  readonly means: string;
  readonly next: string;
  /** The same request may succeed without the caller changing anything. */
  readonly retryable?: true;
}

export const MEANINGS: Readonly<Record<ErrorCode, Meaning>> = {
  BROWSER_NOT_READY: {
    means: 'A browser did not start, or could not be made ready.',
    next: 'Try again later. Whoever runs pwpool reads why in the message.',
    retryable: true,
  },
  NAVIGATION_TIMEOUT: {
    means: 'A page did not load within `TIMEOUT_NAVIGATION`. The browser can be used.',
    next: 'Check that the server answers; try again.',
    retryable: true,
  },
  ELEMENT_NOT_FOUND: {
    means: 'No element fits the target, or a reference is no longer good.',
    next: 'Use one of the references that the hint names, or take `browser_snapshot`.',
  },
  ELEMENT_NOT_VISIBLE: {
    means: 'The element is there, but hidden, covered or outside the viewport.',
    next: 'Do first what the hint says: close what covers it, open what hides it.',
  },
  EXECUTION_ERROR: {
    means: 'The browser, the page or a script could not do it; the message says why.',
    next: 'Follow the hint.',
  },
  URL_BLOCKED: {
    means: 'The address is not one that may be opened.',
    next: 'Use an `http` or `https` address.',
  },
  SESSION_EXPIRED: {
    means: 'The session ended: it was idle for too long, or its browser crashed and is not restored.',
    next: 'Start it again with `start_browser`, and log in again.',
  },
  CONFIG_INVALID: {
    means: 'The configuration has mistakes; the message lists all of them.',
    next: 'Correct each and start again. `pwpool validate` checks without starting.',
  },
  POOL_NOT_FOUND: {
    means: 'There is no pool of that name.',
    next: 'Use one of the pools in the hint.',
  },
  INSTANCE_NOT_FOUND: {
    means: 'The pool has no instance of that number or alias.',
    next: 'Use one in the hint, or leave `browser_instance` out.',
  },
  NO_HEALTHY_INSTANCES: {
    means: 'Every browser of the pool has failed.',
    next: 'Use another pool. Whoever runs pwpool mends what the hint quotes.',
    retryable: true,
  },
  LEASE_TIMEOUT: {
    means: 'No browser became free within `LEASE_TIMEOUT`; the message says who holds them.',
    next: 'Close a session that is no longer needed, or try again later.',
    retryable: true,
  },
  POOL_BUSY: {
    means:
      'Too many callers wait for the pool (`QUEUE_LIMIT`), or too many calls of yours for a browser: no more are let in.',
    next: 'Try again later, or use another pool.',
    retryable: true,
  },
  RATE_LIMITED: {
    means: 'The token has made as many calls as it may in a minute.',
    next: 'Try again after `retryAfterMs` of the details.',
    retryable: true,
  },
  LEASE_REVOKED: {
    means: 'The browser was released, or taken back from its holder.',
    next: 'Lease again.',
    retryable: true,
  },
  INSTANCE_CRASHED: {
    means: 'The browser ended in the middle of the call.',
    next: 'Call again: a session goes on in a new browser. What the call did may have happened.',
    retryable: true,
  },
  SESSION_NOT_FOUND: {
    means: 'The client has no session of that name.',
    next: 'Start it with `start_browser`, or use the name in the hint.',
  },
  SESSION_AMBIGUOUS: {
    means: 'The call names no session, and several are open.',
    next: 'Pass `sessionId`.',
  },
  SESSION_EXISTS: {
    means: 'A session of that name is open already.',
    next: 'Use it, or take another name.',
  },
  SESSION_LIMIT: {
    means: 'As many sessions are open as may be.',
    next: 'Close one with `close_session`.',
  },
  TARGET_CONFLICT: {
    means: 'The call names a session, and a pool or an instance that the session does not have.',
    next: 'Name the session alone, or leave `sessionId` out.',
  },
  SNAPSHOT_EXPIRED: {
    means: 'The `cache_key` is of a snapshot that is no longer kept, or of another session.',
    next: 'Take `browser_snapshot` again, and page on with the key of its answer.',
  },
  TOOL_NOT_FOUND: {
    means: 'There is no tool of that name, or it is off.',
    next: 'Use the name in the hint.',
  },
  INVALID_ARGUMENTS: {
    means: 'The tool does not take these arguments.',
    next: 'Call it again as the hint says. Nothing was done.',
  },
  CALL_TIMEOUT: {
    means: 'The call did not end within its time. What it did to the page may have happened.',
    next: 'Take `browser_snapshot` before going on.',
    retryable: true,
  },
  EXPECTATION_FAILED: {
    means: 'A script ran to its end, and the page is not as its `expect` says.',
    next: 'Compare with what was found, which the message tells.',
  },
  CANCELLED: {
    means: 'The caller gave the call up.',
    next: 'There is nothing to do.',
  },
  SHUTTING_DOWN: {
    means: 'The server is ending and takes no more calls.',
    next: 'Try again when the hint says: a server that is started again answers then.',
  },
};

export interface PwpoolErrorOptions {
  /** What the caller can do next, in one sentence. */
  hint?: string | undefined;
  /** Facts behind the message, as plain JSON values. */
  details?: Readonly<Record<string, unknown>> | undefined;
  cause?: unknown;
}

/**
 * The one error class of pwpool.
 *
 * `message` says what happened in words a person understands, `hint` what to do next, `details` holds plain JSON.
 */
export class PwpoolError extends Error {
  override readonly name = 'PwpoolError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: PwpoolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
  }

  /** True when the same request may succeed later as it is. */
  get retryable(): boolean {
    return MEANINGS[this.code].retryable ?? false;
  }

  /** The wire form: code, message, and what is set of hint and details. */
  toJSON(): { code: ErrorCode; message: string; hint?: string; details?: Readonly<Record<string, unknown>> } {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

/** The reason text of anything that was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system, such as `ENOENT`; `undefined` for any other. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Anything that was thrown, with a code: what has none is an `EXECUTION_ERROR`. */
export function asPwpoolError(thrown: unknown): PwpoolError {
  if (thrown instanceof PwpoolError) return thrown;
  return new PwpoolError('EXECUTION_ERROR', reasonOf(thrown), { cause: thrown });
}
