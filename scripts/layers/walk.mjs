import { visitorKeys } from 'oxc-parser';

/** Calls `visit(node, parent)` for a syntax tree's nodes, each before its children. */
export function walk(node, visit, parent) {
  visit(node, parent);
  for (const key of visitorKeys[node.type] ?? []) {
    for (const child of [node[key]].flat()) if (child) walk(child, visit, node);
  }
}
