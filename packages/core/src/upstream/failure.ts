import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { type ErrorCode, PwpoolError } from '../errors.js';
import { type FailureKind, failureKind } from './failure-code.js';
import { cleanMessage } from './failure-message.js';

/** What a failed call tells [002-error-01, arch-failure-01]. What is not known is left out. */
export interface Failure {
  code: ErrorCode;
  message: string;
  hint?: string;
  pageUrl?: string;
  retryable: boolean;
  details?: Readonly<Record<string, unknown>>;
}

/** Sections of upstream's answers that may stand behind an error. */
const SECTION =
  /\n(?=### (?:Result|Ran Playwright code|Open tabs|Page|Modal state|Snapshot|Events|Paused)\n)/;

/** The answer of a call that failed: the same facts as text and as structured content. */
export function failureResult(
  error: PwpoolError,
  pageUrl?: string,
  sections: readonly string[] = [],
): ToolResult {
  const { code, message, hint, details, retryable } = error;
  const lines = ['### Error', `${code}: ${message}`];
  if (hint !== undefined) lines.push(hint);
  if (pageUrl !== undefined && !sections.some((section) => section.startsWith('### Page\n')))
    lines.push(`Page URL: ${pageUrl}`);
  const failure: Failure = {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(pageUrl === undefined ? {} : { pageUrl }),
    retryable,
    ...(details === undefined ? {} : { details }),
  };
  return {
    isError: true,
    content: [{ type: 'text', text: [...lines, ...sections].join('\n') }],
    structuredContent: { success: false, error: failure },
  };
}

/** A failed answer of one of upstream's tools, taken apart. */
export interface ReadFailure {
  readonly kind: FailureKind;
  /** What stands beside the error, such as the dialog that is open. */
  readonly sections: readonly string[];
}

/**
 * What a failed answer of one of upstream's tools tells, without the insides of upstream and the code that was to run.
 */
export function readFailure(tool: string, args: ToolArguments, result: ToolResult): ReadFailure {
  const told = failureOf(result);
  // A failure of pwpool's own has its code.
  if (told) {
    const { hint = 'Take browser_snapshot to see where the page is.' } = told;
    return { kind: { ...told, hint }, sections: [] };
  }
  const [head = '', ...sections] = (firstText(result)?.text ?? '').split(SECTION);
  const message = cleanMessage(head.replace(/^### Error\n/, ''), args);
  const modal = sections.filter((section) => section.startsWith('### Modal state'));
  const kind = failureKind(
    tool,
    args,
    message.includes('modal state') ? [message, ...modal].join('\n') : message,
  );
  return { kind, sections: sections.filter((section) => !section.startsWith('### Ran Playwright code')) };
}

/** A failed answer of one of upstream's tools in the form of every failure: with a code and what to do next. */
export function presentFailure(
  result: ToolResult,
  { kind, sections }: ReadFailure,
  pageUrl: string | undefined,
): ToolResult {
  const { code, message, hint, details } = kind;
  const error = new PwpoolError(code, message, { hint, details });
  const presented = failureResult(error, pageUrl, sections);
  const told = firstText(result);
  return {
    ...result,
    ...presented,
    content: [...presented.content, ...result.content.filter((part) => part !== told)],
  };
}

function firstText({ content }: ToolResult) {
  return content.find((part) => part.type === 'text');
}

/** What a failed call tells; `undefined` for a call that did not fail, or that some other server answered. */
export function failureOf({ isError, structuredContent: facts }: ToolResult): Failure | undefined {
  const error = typeof facts === 'object' && facts !== null && 'error' in facts ? facts.error : undefined;
  return isError && isFailure(error) ? error : undefined;
}

function isFailure(error: unknown): error is Failure {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}
