/**
 * What is done with one kind of page, as data: the pages, and the calls in their order. The same calls go through
 * upstream's server and through pwpool.
 *
 * Arguments hold three kinds of placeholders: `{site}` is the origin of the pages, `{root}` the directory that the
 * client offers as its root, and `{ref:…}` the reference of the first element whose line in the latest snapshot
 * contains the text; see `ref`.
 */
export interface Scenario {
  readonly name: string;
  /** Pages by their path, without the leading slash: the inside of an HTML document. */
  readonly pages?: Readonly<Record<string, string>>;
  readonly calls: readonly ScenarioCall[];
  /** It leaves more behind than one tab, as cookies or a second tab, so that the next one is to have a new browser. */
  readonly leavesTraces?: true;
  /** The two sessions make its calls one after the other: the traces of one page at one moment share a file (decision 0040). */
  readonly inTurn?: true;
}

/** A tool, its arguments, and the code of pwpool's error for a call that both servers are to refuse or fail. */
export type ScenarioCall = readonly [
  tool: string,
  args?: Readonly<Record<string, unknown>> | undefined,
  code?: string | undefined,
  timing?: Timing,
];

/**
 * For a call that sets off what comes by itself, a tab or a download: what its answer shows of that depends on which
 * of the two is first. It is compared without the sections in which that would stand; see `withoutLateSections`.
 *
 * `until` makes the call again until it, or the call before it, has shown the text, which is then compared as well, and
 * then once more: of the answer that shows the text first, a section may be older than it.
 */
export type Timing = 'sets off' | { readonly until: string };

/** A placeholder for an element by what its line in the snapshot says: `ref('button "Save"')`. */
export function ref(line: string): string {
  return `{ref:${line}}`;
}

/** What placeholders stand for when a call is made. */
export interface Places {
  site: string;
  root: string;
  /** The latest text that held references. */
  snapshot: string;
}

/** Arguments with their placeholders filled in. Throws for a reference that no line has. */
export function fillIn(args: Readonly<Record<string, unknown>>, places: Places): Record<string, unknown> {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return fillText(value, places);
    if (Array.isArray(value)) return value.map(fill);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
  };
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, fill(value)]));
}

function fillText(text: string, { site, root, snapshot }: Places): string {
  return text
    .replaceAll('{site}', site)
    .replaceAll('{root}', root)
    .replace(/\{ref:([^}]*)\}/g, (placeholder, wanted: string) => {
      const line = snapshot.split('\n').find((each) => each.includes(wanted) && each.includes('[ref=')) ?? '';
      const found = /\[ref=(\w+)\]/.exec(line)?.[1];
      if (found === undefined)
        throw new Error(`No element for ${placeholder} in the latest snapshot:\n${snapshot}`);
      return found;
    });
}
