import type { Restored, ToolResult } from '@pwpool/core';
import { asPwpoolError, describeIgnored, NOT_RESTORED, withLine } from '@pwpool/core/first-answers';
import type { CallAnswer, SessionNews } from '@pwpool/core/internal';
import { failureResult } from '@pwpool/core/light';

/** What a caller knows already, and need not be told. */
export interface Known {
  /** It named the session. */
  named: boolean;
  /** It was told what no state brings back. */
  knowsRestoring: boolean;
}

/** A request that was refused or could not be carried out. */
export function errorResult(thrown: unknown): ToolResult {
  return failureResult(asPwpoolError(thrown));
}

/** The answer of a browser tool. */
export function callResult(answer: CallAnswer, known: Known): ToolResult {
  const result = answer.success
    ? answer.result
    : (answer.result ?? failureResult(answer.error, answer.pageUrl));
  return answer.session ? withSession(result, answer.session, known) : result;
}

/** Adds what the caller is to know of the session: its name, unless the caller gave it, and what happened to it. */
function withSession(answer: ToolResult, news: SessionNews, { named, knowsRestoring }: Known): ToolResult {
  const { id, restored, notices } = news;
  const lines = [...notices, ...(restored ? describeRestored(id, restored, knowsRestoring) : [])];
  // Only when the caller did not name the session [003-metadata-01].
  if (!named) lines.push(`Session: ${id}`);
  if (lines.length === 0) return answer;
  return {
    ...answer,
    content: [...answer.content, { type: 'text', text: lines.join('\n') }],
    _meta: { ...answer._meta, ...newsOf(news, named) },
  };
}

/** The same as data. */
export function newsOf({ id, restored, notices }: SessionNews, named: boolean): Record<string, unknown> {
  return {
    ...(named ? {} : { sessionId: id, sessionType: 'browser' }),
    ...(restored ? metaOf(restored) : {}),
    ...(notices.length > 0 ? { notices } : {}),
  };
}

/** Adds the arguments that were left out because the tool does not know them. */
export function withIgnored(answer: ToolResult, tool: string, ignored: readonly string[]): ToolResult {
  if (ignored.length === 0) return answer;
  return withLine(answer, describeIgnored(tool, ignored));
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
  session: string,
  { after, asOf, restoredUrl, failed, notRestored }: Restored,
  known: boolean,
): string[] {
  const own = [...failed, ...notRestored.filter((sentence) => !NOT_RESTORED.includes(sentence))];
  const main =
    `Session '${session}' ${LOSS[after]}. This call ran in a new one (restored: true${after === 'parked' ? ', parked: true' : ''}),` +
    ` ${asOf === null ? 'without its cookies and storage' : `with the cookies and storage of ${asOf}`}, at ${restoredUrl ?? 'an empty page'};` +
    ' typed text, references and other in-page state are gone.';
  return [
    '### Session restored',
    [main, ...own].join(' '),
    ...(known ? [] : [`No state brings back: ${NOT_RESTORED.join(' ')}`]),
  ];
}

/** The answer of one of pwpool's own tools, with what is no JSON behind it. */
export function jsonResult(
  answer: Record<string, unknown>,
  attachments: ToolResult['content'] = [],
): ToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }, ...attachments],
    structuredContent: answer,
  };
}
