/**
 * Every code that pwpool answers with. Callers branch on these, never on message text.
 *
 * Sources: [002-error-02] to [002-error-08] (the first seven), [000-runtime-01] to [000-runtime-04], [arch-error-01] to
 * [arch-error-09]. pwpool's own are `CALL_TIMEOUT`, a call other than a navigation that passed its deadline, and
 * `POOL_BUSY`, a waiting line that is full.
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
  'LEASE_REVOKED',
  'INSTANCE_CRASHED',
  'SESSION_NOT_FOUND',
  'SESSION_AMBIGUOUS',
  'SESSION_EXISTS',
  'SESSION_LIMIT',
  'TARGET_CONFLICT',
  'TOOL_NOT_FOUND',
  'INVALID_ARGUMENTS',
  'CALL_TIMEOUT',
  'CANCELLED',
  'SHUTTING_DOWN',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Codes after which the same request may succeed without the caller changing anything. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'BROWSER_NOT_READY',
  'NAVIGATION_TIMEOUT',
  'NO_HEALTHY_INSTANCES',
  'LEASE_TIMEOUT',
  'POOL_BUSY',
  'LEASE_REVOKED',
  'INSTANCE_CRASHED',
  'CALL_TIMEOUT',
]);

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
    return RETRYABLE.has(this.code);
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

/** Anything that was thrown, with a code: what has none is an `EXECUTION_ERROR`. */
export function asPwpoolError(thrown: unknown): PwpoolError {
  if (thrown instanceof PwpoolError) return thrown;
  return new PwpoolError('EXECUTION_ERROR', reasonOf(thrown), { cause: thrown });
}
