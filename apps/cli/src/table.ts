/** A cell longer than this does not widen its column: the rest of its own row moves right. */
const MAX_COLUMN = 40;
const GAP = '  ';

/** Text in columns, left-aligned, without trailing blanks. */
export function formatTable(rows: readonly (readonly string[])[], indent = ''): string {
  const shown = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of shown) {
    for (const [column, { length }] of row.entries()) {
      if (length <= MAX_COLUMN) widths[column] = Math.max(widths[column] ?? 0, length);
    }
  }
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(GAP);
  return shown.map((row) => `${indent}${line(row)}`.trimEnd()).join('\n');
}

/** The text with its control characters escaped: a name that an agent chose must not steer the terminal. */
export function printable(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
