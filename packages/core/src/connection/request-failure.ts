import { ProtocolError, ProtocolErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { PwpoolError, reasonOf } from '../errors.js';
import { UNKNOWN_EFFECT } from './connection-lost.js';

/** Node's codes for a connection that was never made, so that no byte of a request left. */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** An HTTP error may bring a whole page along. */
const MAX_REASON_CHARS = 500;

/** The HTTP status that a server refused a request with. */
export function httpStatusOf(error: unknown): number | undefined {
  return error instanceof SdkHttpError ? error.status : undefined;
}

/** True when a request that failed so was certainly not carried out: it never arrived, or was turned away. */
export function neverTaken(error: unknown): boolean {
  const status = httpStatusOf(error);
  if (status !== undefined) return status >= 400 && status < 500;
  return error instanceof Error && NEVER_CONNECTED.has(Reflect.get(Object(error.cause), 'code'));
}

/**
 * True when an error still proves that the server has this connection: it answered in JSON-RPC, or with an HTTP status
 * other than those for a session that it does not know (MCP, Streamable HTTP: 404; some servers say 400 or 410).
 */
export function provesAlive(error: unknown): boolean {
  const status = httpStatusOf(error);
  if (status !== undefined) return status !== 400 && status !== 404 && status !== 410;
  return error instanceof ProtocolError;
}

/** The reason text, without a full stop, and that of the cause: fetch hides everything behind "fetch failed". */
export function fullReasonOf(error: unknown): string {
  const reason = reasonOf(error).slice(0, MAX_REASON_CHARS).replace(/\.$/, '');
  const status = httpStatusOf(error);
  if (status !== undefined) return `HTTP ${status} (${reason})`;
  return error instanceof Error && error.cause instanceof Error
    ? `${reason} (${error.cause.message || Reflect.get(error.cause, 'code')})`
    : reason;
}

/** A request that failed although the connection lives. */
export function requestFailure(error: unknown): PwpoolError {
  const invalid = error instanceof ProtocolError && error.code === ProtocolErrorCode.InvalidParams;
  const status = httpStatusOf(error);
  const answered = error instanceof ProtocolError || status !== undefined;
  return new PwpoolError(invalid ? 'INVALID_ARGUMENTS' : 'EXECUTION_ERROR', fullReasonOf(error), {
    hint: answered ? undefined : UNKNOWN_EFFECT,
    details: status === undefined ? undefined : { status },
    cause: error,
  });
}
