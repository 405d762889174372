import {
  failureCode,
  failureMessage,
  type Lease,
  PwpoolError,
  type Session,
  type ToolResult,
} from '@pwpool/core';

/** The wire form of every failure (seed 002 section 5, architecture section 10). */
function failure(
  code: string,
  message: string,
  hint: string | undefined,
  pageUrl: string | undefined,
  extra = {},
) {
  return {
    success: false,
    error: {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(pageUrl === undefined ? {} : { pageUrl }),
      ...extra,
    },
  };
}

/** A call that pwpool refused or could not carry out. */
export function errorResult(thrown: unknown): ToolResult {
  const error =
    thrown instanceof PwpoolError
      ? thrown
      : new PwpoolError('EXECUTION_ERROR', thrown instanceof Error ? thrown.message : String(thrown));
  const text = `### Error\n${error.code}: ${error.message}${error.hint === undefined ? '' : `\n${error.hint}`}`;
  return {
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: failure(error.code, error.message, error.hint, undefined, {
      retryable: error.retryable,
      ...(error.details === undefined ? {} : { details: error.details }),
    }),
  };
}

/** A browser tool that failed in the browser: upstream's own text, with the code beside it. */
export function failedResult(tool: string, result: ToolResult, lease: Lease): ToolResult {
  return {
    ...result,
    structuredContent: failure(failureCode(tool, result), failureMessage(result), undefined, lease.pageUrl()),
  };
}

/** Tells which session a call without `sessionId` used (seed 003, "Session Metadata in Responses"). */
export function withSession(result: ToolResult, session: Session): ToolResult {
  const { sessionId, type } = session.info();
  return {
    ...result,
    content: [...result.content, { type: 'text', text: `Session: ${sessionId}` }],
    _meta: { ...result._meta, sessionId, sessionType: type },
  };
}

/** The answer of one of pwpool's own tools. */
export function jsonResult(answer: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}
