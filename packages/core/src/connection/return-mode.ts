import { PwpoolError } from '../errors.js';
import type { ToolResult } from './tool-connection.js';

/** What a call gives back, by return mode [001-extension-02]. */
export interface ReturnedByMode {
  /** The first text; an empty string when there is none. [001-call-01] */
  first: string;
  /** The last text; an empty string when there is none. */
  last: string;
  /** All texts, joined by newlines. */
  text: string;
  /** Every content item: texts, images, audio, resources. */
  full: ToolResult['content'];
  /** The result as the server sent it, with `_meta`, `structuredContent` and `isError`. */
  raw: ToolResult;
}

export type ReturnMode = keyof ReturnedByMode;

/** An embedded resource counts as a text when it holds one. */
function textsOf(result: ToolResult): string[] {
  return result.content.flatMap((item) => {
    if (item.type === 'text') return [item.text];
    return item.type === 'resource' && 'text' in item.resource ? [item.resource.text] : [];
  });
}

const SELECT: { [Mode in ReturnMode]: (result: ToolResult) => ReturnedByMode[Mode] } = {
  first: (result) => textsOf(result).at(0) ?? '',
  last: (result) => textsOf(result).at(-1) ?? '',
  text: (result) => textsOf(result).join('\n'),
  full: (result) => result.content,
  raw: (result) => result,
};

/** @throws PwpoolError `INVALID_ARGUMENTS` for a mode that does not exist */
export function checkReturnMode(mode: string): void {
  if (Object.hasOwn(SELECT, mode)) return;
  throw new PwpoolError('INVALID_ARGUMENTS', `returnMode: there is no mode "${mode}".`, {
    hint: `Use one of ${Object.keys(SELECT).join(', ')}.`,
  });
}

/**
 * The part of a tool's result that the mode asks for.
 * @throws PwpoolError `EXECUTION_ERROR` with the tool's text, when the result reports a fault and the mode is not `raw`
 */
export function selectResult<Mode extends ReturnMode>(
  tool: string,
  result: ToolResult,
  mode: Mode,
): ReturnedByMode[Mode] {
  if (result.isError && mode !== 'raw') {
    const text = SELECT.text(result);
    throw new PwpoolError('EXECUTION_ERROR', text === '' ? `Tool "${tool}" reported a fault.` : text, {
      details: { tool },
    });
  }
  return SELECT[mode](result);
}
