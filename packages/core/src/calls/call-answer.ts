import type { ToolResult } from '../connection/tool-connection.js';
import { asPwpoolError, PwpoolError } from '../errors.js';
import type { SessionAnswer } from '../session/session-report.js';
import { failureOf } from '../upstream/failure.js';

/** What came of a call: the tool's answer, or a failure with its code. */
export type CallAnswer = (Success | CallFailure) & {
  /** The session that the call reached, and what its caller is to know of it; absent when it reached none. */
  session?: SessionNews;
};

interface Success {
  success: true;
  result: ToolResult;
}

interface CallFailure {
  success: false;
  error: PwpoolError;
  /** What the tool answered, if it was the tool that failed. */
  result?: ToolResult;
  /** Where the page is, when there is just one. */
  pageUrl?: string | undefined;
}

/** What came of several calls in one browser: an answer for each that was begun. */
export interface BulkAnswer {
  answers: readonly CallAnswer[];
  /** The pool of that browser. */
  pool: string;
  session?: SessionNews;
}

export interface SessionNews extends Omit<SessionAnswer, 'result'> {
  id: string;
}

/** The answer of a tool, which may say that it failed. */
export function answered(result: ToolResult): CallAnswer {
  const failure = failureOf(result);
  if (!failure) return { success: true, result };
  const { code, message, hint, details } = failure;
  return { success: false, error: new PwpoolError(code, message, { hint, details }), result };
}

/** A call that was refused, or ended without an answer. */
export function failed(thrown: unknown, pageUrl?: string): CallAnswer {
  return { success: false, error: asPwpoolError(thrown), pageUrl };
}
