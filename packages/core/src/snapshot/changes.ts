import { createRequire } from 'node:module';

/** Lines that may differ: beyond that the page is another one, and to compare it would take long. */
const MAX_CHANGED_LINES = 1_000;

const INDENT = /^ */;
const REFERENCE = / \[ref=[^\]]*\]/;
const ACTIVE = ' [active]';

/**
 * What changed from one snapshot of a document to another: lines that came begin with `+`, those that went with `-` and
 * have no reference, since nothing is there to be referred to. Over each group stands, behind `@`, the element it is in.
 * That another element has the focus is told in one line, with `*`.
 *
 * @returns an empty text when nothing did; `undefined` when too much did
 */
export function changesBetween(before: string, after: string): string | undefined {
  const require = createRequire(import.meta.url);
  const { diffArrays } = require('diff') as typeof import('diff');
  const lines = after.split('\n');
  const parts = diffArrays(before.split('\n'), lines, {
    comparator: (one, other) => one === other || withoutFocus(one) === withoutFocus(other),
    maxEditLength: MAX_CHANGED_LINES,
  });
  if (!parts) return undefined;
  const changes: string[] = [];
  let at = 0;
  for (const { value, added, removed } of parts) {
    // What is less deep than the first line is in another element than that.
    let depth = Number.POSITIVE_INFINITY;
    for (const line of value) {
      if ((added || removed) && indentOf(line) < depth) {
        depth = indentOf(line);
        const parent = parentOf(lines, at, depth);
        if (parent !== undefined && changes.findLast((each) => each.startsWith('@')) !== `@ ${parent}`)
          changes.push(`@ ${parent}`);
      }
      if (added) changes.push(`+ ${line.slice(depth)}`);
      if (removed) changes.push(`- ${withoutFocus(line).slice(depth).replace(REFERENCE, '')}`);
      else at++;
    }
  }
  const focus = lines.find((line) => line.includes(ACTIVE));
  if (focus !== undefined && !before.includes(focus) && !changes.some((line) => line.includes(ACTIVE)))
    changes.push(`* ${headOf(focus)}`);
  return changes.join('\n');
}

function withoutFocus(line: string): string {
  return line.replace(ACTIVE, '');
}

/** The line of the element that a line of that indentation is in, when it stands at that place. */
function parentOf(lines: readonly string[], at: number, indent: number): string | undefined {
  for (let index = at - 1; index >= 0 && indent > 0; index--) {
    const line = lines[index] ?? '';
    if (indentOf(line) < indent) return headOf(line);
  }
  return undefined;
}

function headOf(line: string): string {
  return line.trim().replace(/^- /, '').replace(/:$/, '');
}

function indentOf(line: string): number {
  return INDENT.exec(line)?.[0].length ?? 0;
}
