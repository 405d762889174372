import { createRequire } from 'node:module';
import { PwpoolError, reasonOf } from '../errors.js';
import { type AriaNode, type AriaRow, parseTree } from '../upstream/snapshots/parse-tree.js';
import { search } from './jmespath.js';
import { renderNode } from './render-tree.js';
import { ancestorsOf, dataOf, flattened, type Json, nested } from './tree-forms.js';
import type { View } from './view-arguments.js';

/** Part of what a view shows. */
export interface SnapshotPage {
  /** In the format of the view. */
  readonly text: string;
  /** Items on this page. */
  readonly count: number;
  /** Items of all pages. */
  readonly total: number;
}

export interface PageOptions {
  /** Items before the first. */
  offset: number;
  /** Bytes that the page has at most. */
  size: number;
}

/** What can be shown one after the other. */
interface Items {
  readonly total: number;
  render(index: number): string;
  /** Puts some that follow each other together. */
  join(rendered: readonly string[], first: number): string;
}

/** Of the bytes of a page, those that a single text may have. */
const SHARE_OF_TEXT = 4;

/**
 * One page of a snapshot: as many items from `offset` on as the view's limit and the size allow, but one at least. Items
 * are the nodes of the page, or what the query finds. Of a text that is long for the page the beginning is shown.
 * @throws PwpoolError `INVALID_ARGUMENTS` for a query that fails, and for a page that cannot be nested data
 */
export function pageOf(snapshot: string, view: View, { offset, size }: PageOptions): SnapshotPage {
  const clip = Math.floor(size / SHARE_OF_TEXT);
  const items = itemsOf(parseTree(snapshot), view, clip);
  const rendered: string[] = [];
  const end = Math.min(items.total, offset + (view.limit ?? items.total));
  for (let index = offset, left = size; index < end; index++) {
    const item = items.render(index);
    left -= Buffer.byteLength(item) + 1;
    if (left < 0 && rendered.length > 0) break;
    rendered.push(left < 0 ? cut(item, size) : item);
  }
  return { text: joined(items, rendered, offset), count: rendered.length, total: items.total };
}

/** Nested data is written by recursion, which ends where the stack does. */
function joined(items: Items, rendered: readonly string[], offset: number): string {
  try {
    return items.join(rendered, offset);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PwpoolError('INVALID_ARGUMENTS', 'The page is nested too deeply for JSON.', {
      hint: 'flatten: true puts all nodes in one list.',
    });
  }
}

function itemsOf(rows: readonly AriaRow[], view: View, clip: number): Items {
  if (view.query !== undefined) return foundItems(rows, view, view.query, clip);
  if (view.flatten) return nodeList(flattened(rows), view, clip);
  return view.format === 'json' ? jsonTree(rows, clip) : yamlTree(rows, clip);
}

/** What the query finds: the entries of a list, or the one thing. */
function foundItems(rows: readonly AriaRow[], { flatten, format }: View, query: string, clip: number): Items {
  const found = find(query, flatten ? flattened(rows).map(({ node }) => dataOf(node)) : nested(rows));
  const list = Array.isArray(found) ? found : found === null ? [] : [found];
  if (format === 'json') {
    const render = (index: number) => JSON.stringify(clipped(list[index] ?? null, clip));
    return { total: list.length, render, join: Array.isArray(found) ? jsonList : ([only = 'null']) => only };
  }
  const yaml = (value: Json) => yamlLibrary().stringify(value, { lineWidth: 0 }).trimEnd();
  const render = (index: number) => yaml([clipped(list[index] ?? null, clip)]);
  return { total: list.length, render, join: (rendered) => rendered.join('\n') };
}

function find(query: string, data: Json): Json {
  try {
    return search(data, query);
  } catch (error) {
    const reason = reasonOf(error).replace(/\.+$/, '');
    throw new PwpoolError('INVALID_ARGUMENTS', `The jmespath_query failed: ${reason}.`, {
      hint: "Make it simpler; a field that a node lacks is null, and nvl(name, '') stands in for it. flatten: true puts all nodes in one list.",
      details: { jmespath_query: query },
    });
  }
}

function nodeList(rows: readonly AriaRow[], { format }: View, clip: number): Items {
  const nodeAt = (index: number) => clippedNode(rows[index]?.node ?? EMPTY, clip);
  return format === 'json'
    ? { total: rows.length, render: (index) => JSON.stringify(dataOf(nodeAt(index))), join: jsonList }
    : {
        total: rows.length,
        render: (index) => renderNode(nodeAt(index), 0, false),
        join: (rendered) => rendered.join('\n'),
      };
}

/** The nodes where they stand in the page, below those that they are in. */
function yamlTree(rows: readonly AriaRow[], clip: number): Items {
  const render = (index: number) => {
    const { depth, node } = rows[index] ?? NO_ROW;
    return renderNode(clippedNode(node, clip), depth, (rows[index + 1]?.depth ?? 0) > depth);
  };
  const join = (rendered: readonly string[], first: number) => {
    const above = ancestorsOf(rows, first).map(({ depth, node }) => renderNode(bare(node), depth, true));
    return [...above, ...rendered].join('\n');
  };
  return { total: rows.length, render, join };
}

function jsonTree(rows: readonly AriaRow[], clip: number): Items {
  const render = (index: number) => JSON.stringify(dataOf(clippedNode(rows[index]?.node ?? EMPTY, clip)));
  const join = (rendered: readonly string[], first: number) => {
    const above = ancestorsOf(rows, first).map(({ depth, node }) => ({ depth, node: bare(node) }));
    const shown = rows.slice(first, first + rendered.length);
    const nodes = shown.map(({ depth, node }) => ({ depth, node: clippedNode(node, clip) }));
    return jsonList(nested([...above, ...nodes]).map((root) => JSON.stringify(root)));
  };
  return { total: rows.length, render, join };
}

const EMPTY: AriaNode = { role: 'text', attributes: {}, properties: {} };
const NO_ROW: AriaRow = { depth: 0, node: EMPTY };

/** What a node is needed for that others stand in. */
function bare({ role, name, attributes }: AriaNode): AriaNode {
  return { role, ...(name === undefined ? {} : { name }), attributes, properties: {} };
}

function jsonList(rendered: readonly string[]): string {
  return `[${rendered.join(',\n')}]`;
}

function yamlLibrary(): typeof import('yaml') {
  const require = createRequire(import.meta.url);
  return require('yaml') as typeof import('yaml');
}

function clippedNode(node: AriaNode, length: number): AriaNode {
  const { name, text, properties } = node;
  return {
    ...node,
    ...(name === undefined ? {} : { name: cut(name, length) }),
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, cut(value, length)]),
    ),
    ...(text === undefined ? {} : { text: cut(text, length) }),
  };
}

function clipped(value: Json, length: number): Json {
  const clip = (_: string, each: unknown) => (typeof each === 'string' ? cut(each, length) : each);
  return JSON.parse(JSON.stringify(value, clip)) as Json;
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Not in the middle of a character of two units.
  const beginning = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  return `${beginning}… (${text.length - beginning.length} more characters)`;
}
