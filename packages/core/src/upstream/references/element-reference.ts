import type { ToolArguments } from '../../connection/tool-connection.js';

/**
 * Upstream's element references: `e12`, or `f3e12` with the number of a frame. They start over in every tab and
 * browser, and in a frame that navigates; a main frame gets another number when it navigates, but not the first time.
 * pwpool gives them out with four letters in front: `kqbze12`, `kqbzf3e12`.
 */
const BARE = /^(?:f\d+)?e\d+$/;
const STAMPED = /^([a-z]{4})((?:f\d+)?e\d+)$/;

/** The selector engine and the locator behind upstream's references: a bare one in other clothes. */
const BARE_AS_SELECTOR = /(?:^|[^\w[-])aria-ref\s*=|\bget_?by_?ref\s*\(/i;

/**
 * An element's line in a snapshot, up to its reference. Upstream prints `- role "name" [attribute]… [ref=e12]`, the
 * name as a JSON string and all of it in single quotes where YAML wants that. What the page itself says stands in the
 * name or behind the line's colon, never with a line break, so that it cannot pass for another element's line. What else
 * JavaScript takes for the end of a line (U+2028), a page may say.
 */
const ELEMENT_LINE =
  /((?:^|\n) *- '?[a-z]+(?: "(?:[^"\\\n]|\\.)*")?(?: \[[a-z-]+(?:=[^\]\n]*)?\])*? \[ref=)((?:f\d+)?e\d+)(?=\])/g;

export type TargetKind =
  | { kind: 'stamped'; stamp: string; bare: string }
  /** A reference without a stamp, in whatever form. */
  | { kind: 'bare' }
  /** A selector or a locator. */
  | { kind: 'other' };

/** What an element target in a tool's arguments is. */
export function kindOfTarget(target: string): TargetKind {
  const [, stamp, bare] = STAMPED.exec(target) ?? [];
  if (stamp !== undefined && bare !== undefined) return { kind: 'stamped', stamp, bare };
  return { kind: BARE.test(target) || BARE_AS_SELECTOR.test(target) ? 'bare' : 'other' };
}

/** A stamped reference as upstream knows it. */
export function bareOf(reference: string): string {
  return reference.slice(4);
}

/** The frame part of a bare reference: `f3`, or empty. */
export function frameOf(bare: string): string {
  return bare.slice(0, bare.indexOf('e'));
}

/** A copy of the arguments in which every element target (`target`, `startTarget`, `fields[].target`) is replaced. */
export function mapTargets(args: ToolArguments, replace: (target: string) => string): ToolArguments {
  return mapObject(args, replace);
}

/** The element targets in a tool's arguments, in their order. */
export function targetsOf(args: ToolArguments): string[] {
  const targets: string[] = [];
  mapTargets(args, (target) => {
    targets.push(target);
    return target;
  });
  return targets;
}

function mapObject(value: object, replace: (target: string) => string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && /target$/i.test(key) ? replace(inner) : mapValue(inner, replace),
    ]),
  );
}

function mapValue(value: unknown, replace: (target: string) => string): unknown {
  if (Array.isArray(value)) return value.map((inner) => mapValue(inner, replace));
  return typeof value === 'object' && value !== null ? mapObject(value, replace) : value;
}

/** A snapshot's text with every element's reference replaced. */
export function mapSnapshotText(text: string, replace: (bare: string) => string): string {
  return text.replace(ELEMENT_LINE, (_, head: string, bare: string) => head + replace(bare));
}

/** The same for upstream's JSON form of a snapshot: nodes with `ref` and `children`. */
export function mapSnapshotNodes(nodes: unknown, replace: (bare: string) => string): unknown {
  if (Array.isArray(nodes)) return nodes.map((node) => mapSnapshotNodes(node, replace));
  if (typeof nodes !== 'object' || nodes === null) return nodes;
  return Object.fromEntries(
    Object.entries(nodes).map(([key, value]) => {
      if (key === 'ref' && typeof value === 'string' && BARE.test(value)) return [key, replace(value)];
      return [key, key === 'children' ? mapSnapshotNodes(value, replace) : value];
    }),
  );
}
