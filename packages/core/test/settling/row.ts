import type { ToolArguments } from '../../src/connection/tool-connection.js';

/** A tool and its arguments; an address among them is one below the row's own. */
export type Action = readonly [tool: string, args: ToolArguments];

/** One page of the corpus, an action on it, and what the answer of that action has to tell. */
export interface Row {
  readonly name: string;
  /** Elements of the page beside its button `#go` and its outlet `#out`. */
  readonly html?: string;
  /** Runs as the page loads, with what `prelude.ts` declares. */
  readonly script?: string;
  /** What else lies beside the page, by file name. Any other name answers `done`; `corpus-site.ts` has the parameters. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Headers of the page and its files. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Calls that lead up to the action. */
  readonly first?: readonly Action[];
  /** Default: a click on `#go`. */
  readonly action?: Action;
  /** The page's renderer ends as soon as the action has had it ask for something. */
  readonly crashes?: true;
  /** What the state has to tell once the action has come to rest. Default: `done`. */
  readonly shows?: string;
  /** What comes after upstream's answer, so that nobody waits for it, or has passed by then. */
  readonly lacks?: string;
  /** A delay that leaves no trace outside of the page's own scripts: an answer may come before it is over (decision 0210). */
  readonly untraceable?: true;
  /** The page never rests: it counts its events in `pulses`, and the answer is to come no more of them later than upstream's. */
  readonly endless?: true;
}
