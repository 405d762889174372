import { shortened } from './shortened.js';

/** A node of the answer: `role`, `name`, states, `children`. */
export interface AriaNode {
  role: string;
  name?: string;
  ref?: string;
  children?: AriaNode[];
  [state: string]: unknown;
}

export interface AriaTreeOptions {
  /** Stands in front of each reference. */
  stamp: string;
  /** Nodes to answer, in the order of the page, and how many of those before to leave out. */
  limit: number;
  offset: number;
}

/** Characters of one text. */
const MAX_TEXT = 300;

/** Characters of all nodes: an answer has to be small, whatever its nodes are. */
const MAX_SIZE = 24_000;

/** What one acts on; of other nodes a reference is of no use. */
const INTERACTIVE =
  /^(?:button|link|textbox|searchbox|checkbox|radio|combobox|listbox|option|slider|spinbutton|switch|tab|treeitem|menuitem\w*|iframe)$/;

/** Fields whose text is their value, and told when it is empty. */
const VALUED = /^(?:textbox|searchbox|spinbutton)$/;

/**
 * The nodes of Playwright's JSON snapshot in the form that the compact toolset answers: without the elements that only
 * group others, and bounded. A node that is left out, but holds some that are not, is there without its own facts.
 */
export function ariaTree(
  nodes: unknown,
  { stamp, limit, offset }: AriaTreeOptions,
): { tree: AriaNode[]; nextOffset: number | undefined } {
  let count = 0;
  let size = 0;
  let nextOffset: number | undefined;
  const visit = (source: unknown): AriaNode[] => {
    if (Array.isArray(source)) return source.flatMap(visit);
    const node = nodeOf(source, stamp);
    if (!node) return [];
    const { shown, inner } = node;
    if (!shown) return visit(inner);
    const own = count++;
    const isDue = own >= offset && nextOffset === undefined;
    const fits = isDue && own < offset + limit && size < MAX_SIZE;
    if (isDue && !fits) nextOffset = own;
    if (fits) size += JSON.stringify(shown).length;
    const children = visit(inner);
    if (fits) return [children.length > 0 ? { ...shown, children } : shown];
    return children.length > 0 ? [{ role: shown.role, children }] : [];
  };
  const tree = visit(nodes);
  return { tree, nextOffset };
}

/** One node without its children; `shown` is undefined for one that only groups them. */
function nodeOf(source: unknown, stamp: string): { shown: AriaNode | undefined; inner: unknown } | undefined {
  if (typeof source === 'string') return { shown: textNode(source), inner: [] };
  if (!isRecord(source)) return undefined;
  const { role, name, text, ref, cursor, children: inner = [], ...states } = source;
  const isClickable = cursor === 'pointer';
  if (role === 'generic' && name === undefined && !isClickable) {
    return { shown: typeof text === 'string' ? textNode(text) : undefined, inner };
  }
  const isUsable = typeof role === 'string' && (INTERACTIVE.test(role) || isClickable);
  const shown: AriaNode = {
    role: String(role),
    ...(typeof name === 'string' ? { name: shortened(name, MAX_TEXT) } : {}),
    ...withoutLongTexts(states),
    ...contentOf(String(role), text),
    ...(isUsable && typeof ref === 'string' ? { ref: stamp + ref } : {}),
  };
  return { shown, inner };
}

function textNode(text: string): AriaNode {
  return { role: 'text', name: shortened(text, MAX_TEXT) };
}

function contentOf(role: string, text: unknown): { value?: string; text?: string } {
  const content = typeof text === 'string' ? shortened(text, MAX_TEXT) : undefined;
  if (VALUED.test(role) || (role === 'combobox' && content !== undefined)) return { value: content ?? '' };
  return content === undefined ? {} : { text: content };
}

function withoutLongTexts(states: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(states).map(([key, value]) => [
      key,
      typeof value === 'string' ? shortened(value, MAX_TEXT) : value,
    ]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
