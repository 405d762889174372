import { withText } from '../../connection/answer-text.js';
import type { ToolArguments, ToolResult } from '../../connection/tool-connection.js';
import { targetsOf } from './element-reference.js';

/** The bare reference that upstream did not find in its last snapshot, of the text of a failed call. */
export function lostReference(text: string): string | undefined {
  return /^### Error\nError: Ref ((?:f\d+)?e\d+) not found in the current page snapshot/.exec(text)?.[1];
}

/**
 * A failed answer in which the references are those that the caller knows.
 *
 * @param passed bare reference to the stamped one, as in the arguments
 * @param stamp of the current page, for examples
 */
export function stampFailure(
  result: ToolResult,
  args: ToolArguments,
  passed: ReadonlyMap<string, string>,
  stamp = 'kqbz',
): ToolResult {
  return withText(result, (text) => withAdvice(stampError(text, passed), args, stamp));
}

function stampError(text: string, passed: ReadonlyMap<string, string>): string {
  let stamped = text;
  for (const [bare, reference] of passed) {
    stamped = stamped.replace(
      new RegExp(`(\\bRef |aria-ref=|\\[ref=|getByRef\\(['"])${bare}(?!\\d)`, 'g'),
      (_, before: string) => before + reference,
    );
  }
  return stamped;
}

/** Upstream's advice for a target like `[ref=e5]` and its example of a reference, with stamps. */
function withAdvice(text: string, args: ToolArguments, stamp: string): string {
  let advised = text.replace('(e.g. "e5")', `(e.g. "${stamp}e5")`);
  for (const target of targetsOf(args)) {
    const reference = /\[ref=([a-z]{4}(?:f\d+)?e\d+)\]/.exec(target)?.[1];
    if (reference === undefined) continue;
    const quoted = `"${target}" does not match any elements.`;
    const advice = ` To use the element with [ref=${reference}] from the page snapshot, pass "${reference}" as the target.`;
    advised = advised.replace(quoted, () => quoted + advice);
  }
  return advised;
}
