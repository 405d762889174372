import { type AriaRow, parseTree } from './parse-tree.js';

/** An element as a snapshot tells of it. */
export interface SeenElement {
  role: string;
  /** Its accessible name; without one, the text that it holds itself. Empty when it has neither. */
  name: string;
  ref: string;
}

/** The elements of a snapshot that have a reference, in its order. */
export function elementsIn(snapshot: string): SeenElement[] {
  return parseTree(snapshot).flatMap((row) => elementOf(row) ?? []);
}

function elementOf({ node: { role, name, text, attributes } }: AriaRow): SeenElement | undefined {
  const { ref } = attributes;
  return typeof ref === 'string' ? { role, name: name ?? text ?? '', ref } : undefined;
}
