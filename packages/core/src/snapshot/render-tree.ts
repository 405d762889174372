import type { AriaNode, AriaRow } from '../upstream/snapshots/parse-tree.js';

/** Characters that Playwright escapes in a text in double quotes. */
const CONTROL = /[\\"\p{Cc}]/gu;
const LETTERS: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** Texts that YAML would take for something else than a text, in parts: as a whole, at the beginning, anywhere. */
const OTHER_THAN_TEXT = [
  /^$|^(?:y|n|yes|no|true|false|on|off|null|~|[-+]?\.(?:inf|nan))$/i,
  /^[\s\-&*\],?!>|@"'#%[]|\s$/,
  /(?!\t)\p{Cc}|[{}`]|:(?:\s|$)|\s#/u,
];

/** The rows in the form that `parseTree` reads: what was read is rendered as it was. */
export function renderTree(rows: readonly AriaRow[]): string {
  return rows
    .map(({ depth, node }, index) => renderNode(node, depth, (rows[index + 1]?.depth ?? 0) > depth))
    .join('\n');
}

/** The line of a node and those of its properties. */
export function renderNode(node: AriaNode, depth: number, hasChildren: boolean): string {
  const { role, name, attributes, properties, text } = node;
  const indent = '  '.repeat(depth);
  const key = [
    role,
    ...(name === undefined ? [] : [JSON.stringify(name)]),
    ...Object.entries(attributes).map(([each, value]) =>
      value === true ? `[${each}]` : `[${each}=${value}]`,
    ),
  ].join(' ');
  const head = `${indent}- ${needsQuotes(key) ? `'${key.replaceAll("'", "''")}'` : key}`;
  const owned = Object.entries(properties).map(([each, value]) => `${indent}  - /${each}: ${quoted(value)}`);
  if (text !== undefined && owned.length === 0) return `${head}: ${quoted(text)}`;
  if (text !== undefined) owned.push(`${indent}  - text: ${quoted(text)}`);
  return [owned.length > 0 || hasChildren ? `${head}:` : head, ...owned].join('\n');
}

function needsQuotes(text: string): boolean {
  return OTHER_THAN_TEXT.some((pattern) => pattern.test(text)) || !Number.isNaN(Number(text));
}

function quoted(text: string): string {
  if (!needsQuotes(text)) return text;
  return `"${text.replace(CONTROL, (it) => LETTERS[it] ?? `\\x${it.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}
