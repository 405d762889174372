import { CommandFailed } from '../run.mjs';

const WIDTH = 118;

/** The page with that body between the marks of a section. */
export function fillSection(path, page, name, body) {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new CommandFailed(`${path} has lost its marks ${start} and ${end}.`);
  return `${page.slice(0, from + start.length)}\n\n${body}\n\n${page.slice(to)}`;
}

/** Padded as the formatter does it, so that the page passes the check of either. */
export function markdownTable(head, rows) {
  const cells = [head, ...rows].map((row) => row.map((cell) => String(cell).replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [first, ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}

/** A list with an item a text, in lines of at most 118 characters. */
export function markdownList(texts) {
  return texts.map((text) => wrap(`- ${text}`)).join('\n');
}

function wrap(text) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}
