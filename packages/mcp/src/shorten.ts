/** An answer without the ends of its lists, and how many entries of each are left out. */
export interface Shortened {
  answer: Record<string, unknown>;
  /** By the place of the list: `pools.0.instances`. */
  omitted: Readonly<Record<string, number>>;
}

/**
 * Shortens the lists in an answer until its JSON has at most `limit` bytes: the innermost first, each to the same length, so that
 * what contains them keeps its figures. Every entry that is left is whole.
 */
export function shorten(answer: Record<string, unknown>, limit: number): Shortened {
  const lengths = lengthsByDepth(answer);
  const caps = new Map<number, number>();
  for (const depth of [...lengths.keys()].sort((a, b) => b - a)) {
    const longest = largestThatFits(lengths.get(depth) ?? 0, (length) => {
      return sizeInJson(cutLists(answer, new Map(caps).set(depth, length)).value) <= limit;
    });
    caps.set(depth, longest ?? 0);
    if (longest !== undefined) break;
  }
  const { value, omitted } = cutLists(answer, caps);
  return { answer: { ...(value as Record<string, unknown>) }, omitted };
}

/** Bytes. */
export function sizeInJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The length of the longest list of objects at each depth. */
function lengthsByDepth(value: unknown, depth = 0, lengths = new Map<number, number>()): Map<number, number> {
  if (Array.isArray(value) && holdsObjects(value))
    lengths.set(depth, Math.max(lengths.get(depth) ?? 0, value.length));
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) lengthsByDepth(member, depth + 1, lengths);
  return lengths;
}

function cutLists(
  value: unknown,
  caps: ReadonlyMap<number, number>,
  path: readonly string[] = [],
  omitted: Record<string, number> = {},
): { value: unknown; omitted: Record<string, number> } {
  if (typeof value !== 'object' || value === null) return { value, omitted };
  const within = ([name, member]: readonly [string, unknown]) =>
    cutLists(member, caps, [...path, name], omitted).value;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map((entry) => [entry[0], within(entry)] as const);
    return { value: Object.fromEntries(members), omitted };
  }
  const cap = holdsObjects(value) ? (caps.get(path.length) ?? value.length) : value.length;
  if (value.length > cap) omitted[path.join('.')] = value.length - cap;
  return { value: value.slice(0, cap).map((entry, index) => within([String(index), entry])), omitted };
}

function holdsObjects(list: readonly unknown[]): boolean {
  return list.some((entry) => typeof entry === 'object' && entry !== null);
}

/** The largest of 0 to `most` that fits, given that a smaller one fits when a larger one does; `undefined` if not even 0 does. */
function largestThatFits(most: number, fits: (length: number) => boolean): number | undefined {
  if (!fits(0)) return undefined;
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
