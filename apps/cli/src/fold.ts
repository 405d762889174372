import { stripVTControlCharacters } from 'node:util';

/** What is left beside a column at the least for the text in it to be folded there. */
const MIN_ROOM = 20;
/** How far a line goes on to the right of its beginning, where it has no column to be folded in. */
const CONTINUED = 4;

/**
 * Text for a terminal of that width: lines that are too long go on in further ones, broken between words, below the last
 * column of a line that has columns (two blanks or more). Words longer than a line are left to the terminal.
 */
export function fold(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (stripVTControlCharacters(line).length <= width ? line : foldLine(line, width)))
    .join('\n');
}

function foldLine(line: string, width: number): string {
  const indent = ' '.repeat(hangingIndent(line, width));
  const lines: string[] = [];
  let current = /^ */.exec(line)?.[0] ?? '';
  let isEmpty = true;
  for (const [, blanks = '', word = ''] of line.trimStart().matchAll(/( *)([^ ]+)/g)) {
    if (isEmpty || current.length + blanks.length + word.length <= width) {
      current += isEmpty ? word : blanks + word;
    } else {
      lines.push(current);
      current = indent + word;
    }
    isEmpty = false;
  }
  return [...lines, current].join('\n');
}

function hangingIndent(line: string, width: number): number {
  const start = line.length - line.trimStart().length;
  const column = start + (/^.*\S {2,}(?=\S)/.exec(line.trimStart())?.[0].length ?? 0);
  const longest = Math.max(
    ...line
      .slice(column)
      .split(' ')
      .map(({ length }) => length),
  );
  if (column > start && width - column >= Math.max(MIN_ROOM, longest)) return column;
  return start === 0 ? 0 : start + CONTINUED;
}
