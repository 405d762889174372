import { PwpoolError, type Restored, type Session, type SessionAnswer, type ToolResult } from '@pwpool/core';
import { describeIgnored, failureResult, NOT_RESTORED } from '@pwpool/core/internal';

/** A call that pwpool refused or could not carry out. */
export function errorResult(thrown: unknown, pageUrl?: string): ToolResult {
  const error =
    thrown instanceof PwpoolError
      ? thrown
      : new PwpoolError('EXECUTION_ERROR', thrown instanceof Error ? thrown.message : String(thrown));
  return failureResult(error, pageUrl);
}

/**
 * The answer of a call to a session that was carried out.
 * @param known the client has been told what no state brings back
 */
export function sessionResult(
  { result, ...news }: SessionAnswer,
  session: Session,
  named: boolean,
  known: boolean,
): ToolResult {
  return withSession(result, session, named, news, known);
}

/** Adds what the caller is to know of the session: its name, unless the caller gave it, and what happened to it. */
export function withSession(
  answer: ToolResult,
  session: Session,
  named: boolean,
  { restored, notices }: Omit<SessionAnswer, 'result'> = { notices: [] },
  known = false,
): ToolResult {
  const lines = [...notices, ...(restored ? describeRestored(session, restored, known) : [])];
  // Only when the caller did not name the session [003-metadata-01, 003-metadata-02].
  if (!named) lines.push(`Session: ${session.id}`);
  if (lines.length === 0) return answer;
  return {
    ...answer,
    content: [...answer.content, { type: 'text', text: lines.join('\n') }],
    _meta: {
      ...answer._meta,
      ...(named ? {} : { sessionId: session.id, sessionType: 'browser' }),
      ...(restored ? metaOf(restored) : {}),
      ...(notices.length > 0 ? { notices } : {}),
    },
  };
}

/** Adds the arguments that were left out because the tool does not know them. */
export function withIgnored(answer: ToolResult, tool: string, ignored: readonly string[]): ToolResult {
  if (ignored.length === 0) return answer;
  const line = { type: 'text' as const, text: describeIgnored(tool, ignored) };
  return { ...answer, content: [...answer.content, line] };
}

function metaOf({ after, ...restored }: Restored) {
  return { restored: true, parked: after === 'parked', ...restored };
}

const LOSS: Record<Restored['after'], string> = {
  crashed: 'lost its browser, which crashed',
  parked: 'was parked while others needed its browser',
  revoked: 'had its browser taken back',
};

/** Two lines, and at the first time a third with what no state brings back. All of it is in `_meta`. */
function describeRestored(
  session: Session,
  { after, asOf, restoredUrl, failed, notRestored }: Restored,
  known: boolean,
): string[] {
  const own = [...failed, ...notRestored.filter((sentence) => !NOT_RESTORED.includes(sentence))];
  const main =
    `Session '${session.id}' ${LOSS[after]}. This call ran in a new one (restored: true${after === 'parked' ? ', parked: true' : ''}),` +
    ` ${asOf === null ? 'without its cookies and storage' : `with the cookies and storage of ${asOf}`}, at ${restoredUrl ?? 'an empty page'};` +
    ' typed text, references and other in-page state are gone.';
  return [
    '### Session restored',
    [main, ...own].join(' '),
    ...(known ? [] : [`No state brings back: ${NOT_RESTORED.join(' ')}`]),
  ];
}

/** The answer of one of pwpool's own tools. */
export function jsonResult(answer: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}
