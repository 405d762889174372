/** A cell longer than this does not widen its column, where there is room without end: the rest of its own row moves right. */
const MAX_COLUMN = 40;
/** What is left of a column at the least, where there is not enough room. */
const MIN_COLUMN = 5;
const GAP = '  ';

/** Changes how a cell looks, and not its width. */
export type Paint = (text: string, cell: string) => string;

/**
 * Text in columns, left-aligned, without trailing blanks.
 * @param width the columns of the terminal: the widest ones give way, and cells that are cut end in an ellipsis
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  indent = '',
  width = Number.POSITIVE_INFINITY,
  paint: Paint = (text) => text,
): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = Number.isFinite(width) ? fittingWidths(shown, width - indent.length) : naturalWidths(shown);
  const cellText = (cell: string, column: number) => {
    const columnWidth = widths[column] ?? 0;
    const text = Number.isFinite(width) ? cut(cell, columnWidth) : cell;
    return paint(text, cell) + ' '.repeat(Math.max(0, columnWidth - text.length));
  };
  return shown.map((row) => `${indent}${row.map(cellText).join(GAP)}`.trimEnd()).join('\n');
}

/** Columns of the terminal; no end where stdout is none. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
}

/** The text with at most so many characters. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}

/** The text with its control characters escaped: a name that an agent chose must not steer the terminal. */
export function printable(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, { length }] of row.entries()) {
      if (length <= MAX_COLUMN) widths[column] = Math.max(widths[column] ?? 0, length);
    }
  }
  return widths;
}

function fittingWidths(rows: readonly (readonly string[])[], room: number): number[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  let over = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (count - 1) - room;
  while (over > 0) {
    const widest = Math.max(...widths);
    if (widest <= MIN_COLUMN) break;
    widths[widths.indexOf(widest)] = widest - 1;
    over -= 1;
  }
  return widths;
}
