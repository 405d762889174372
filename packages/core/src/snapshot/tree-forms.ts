import type { AriaNode, AriaRow } from '../upstream/snapshots/parse-tree.js';

export type Json = null | string | number | boolean | Json[] | { [key: string]: Json };

/** A node as data, flat: what queries are asked over, and what `json` shows. */
export function dataOf({ role, name, attributes, properties, text }: AriaNode): Record<string, Json> {
  const { box, ...others } = attributes;
  return {
    role,
    ...(name === undefined ? {} : { name }),
    ...others,
    ...(typeof box === 'string' ? { box: boxOf(box) } : {}),
    ...properties,
    ...(text === undefined ? {} : { text }),
  };
}

function boxOf(box: string): Json {
  const [x = 0, y = 0, width = 0, height = 0] = box.split(',').map(Number);
  return { x, y, width, height };
}

/** The rows as nested data: each node with its `children`. */
export function nested(rows: readonly AriaRow[]): Record<string, Json>[] {
  const roots: Record<string, Json>[] = [];
  const open: { depth: number; children: () => Json[] }[] = [];
  for (const { depth, node } of rows) {
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    const data = dataOf(node);
    const siblings = open.at(-1)?.children();
    if (siblings) siblings.push(data);
    else roots.push(data);
    const children = () => {
      const own = data['children'];
      if (Array.isArray(own)) return own;
      const none: Json[] = [];
      data['children'] = none;
      return none;
    };
    open.push({ depth, children });
  }
  return roots;
}

/** The rows as a list: each node with its `depth`, and in `path` the roles that it stands in, but for generic ones. */
export function flattened(rows: readonly AriaRow[]): AriaRow[] {
  const open: { depth: number; path: string }[] = [];
  return rows.map(({ depth, node }) => {
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    const path = open.at(-1)?.path ?? '';
    const inside = path === '' ? node.role : `${path}/${node.role}`;
    open.push({ depth, path: node.role === 'generic' ? path : inside });
    const place = { depth, ...(path === '' ? {} : { path }) };
    return { depth: 0, node: { ...node, attributes: { ...node.attributes, ...place } } };
  });
}

/** The rows that a row stands in, outermost first. */
export function ancestorsOf(rows: readonly AriaRow[], index: number): AriaRow[] {
  const found: AriaRow[] = [];
  let depth = rows[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0 && depth > 0; at--) {
    const row = rows[at];
    if (row === undefined || row.depth >= depth) continue;
    depth = row.depth;
    found.push(row);
  }
  return found.reverse();
}
