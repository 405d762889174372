import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { ErrorCode } from '../errors.js';
import { navigates } from './tool-table.js';

/** Upstream tells what went wrong in words only, so this table is the one place where words become codes. */
const PATTERNS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^Invalid arguments for tool/, 'INVALID_ARGUMENTS'],
  [
    /does not match any elements|is not a valid target|not found in the current page snapshot/,
    'ELEMENT_NOT_FOUND',
  ],
  [/element is not visible|element is outside of the viewport/, 'ELEMENT_NOT_VISIBLE'],
  [/protocol is blocked/, 'URL_BLOCKED'],
];

/** The code for a result with `isError` of one of upstream's tools; `EXECUTION_ERROR` if nothing more is known. */
export function failureCode(tool: string, args: ToolArguments, result: ToolResult): ErrorCode {
  const message = failureMessage(result);
  if (navigates(tool, args) && message.startsWith('TimeoutError')) return 'NAVIGATION_TIMEOUT';
  return PATTERNS.find(([pattern]) => pattern.test(message))?.[1] ?? 'EXECUTION_ERROR';
}

/** The error's own text, without upstream's headings. */
export function failureMessage(result: ToolResult): string {
  const text = result.content.find((part) => part.type === 'text')?.text ?? '';
  const section = text.replace(/^### Error\n/, '').split(/\n### /)[0] ?? '';
  return section.replace(/^Error: /, '').trim();
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  ELEMENT_NOT_FOUND:
    'Take browser_snapshot and use a reference from it, or a selector that matches an element.',
  ELEMENT_NOT_VISIBLE: 'Scroll it into view, or open what hides it, and take browser_snapshot again.',
  NAVIGATION_TIMEOUT: 'Check that the server answers. TIMEOUT_NAVIGATION sets the limit.',
  URL_BLOCKED: 'Use an http or https address.',
  EXECUTION_ERROR:
    'The message is what the browser told. Take browser_snapshot to see where the page is now.',
};

/** What the caller can do next, for failures that upstream reports without a word on that. */
export function failureHint(code: ErrorCode): string | undefined {
  return HINTS[code];
}
