import type { KeyName } from '../keys.js';

/** The groups in which options are shown, in order. */
export const OPTION_GROUPS = ['Browser', 'Pages', 'Running browser', 'Tools', 'Files', 'Server'] as const;

/** What a flag or variable takes as text, and a field of the file as JSON. */
export type OptionForm =
  | 'boolean'
  | 'text'
  | 'number'
  /** Separated by commas in a text. */
  | 'list'
  /** Separated by semicolons in a text. */
  | 'origins'
  /** `Name: value` in a text; an object in JSON. */
  | 'headers'
  /** `1280x720` or `1280,720` in a text; `{ width, height }` or null in JSON. */
  | 'size'
  /** Seen from the working directory, as upstream has it. */
  | 'path'
  /** One a text; in JSON a list, seen from the directory of the file. */
  | 'paths'
  /** A file of `NAME=value` lines in a text; an object in JSON. */
  | 'secrets'
  | 'object';

/** The keys that a value sets. What does not fit the key is found out there. */
export type Keys = Partial<Record<KeyName, unknown>>;

/** One option of playwright-mcp, wherever it can be given, and what it is here. */
export interface UpstreamOption {
  readonly group: (typeof OPTION_GROUPS)[number];
  /** With its argument; three dots: more values may follow. */
  readonly flag?: string;
  /** Without `PLAYWRIGHT_MCP_`. */
  readonly variable?: string;
  /** Paths in the JSON file; `a.*` is every member of `a` that has no row of its own. */
  readonly fields?: readonly string[];
  readonly form: OptionForm;
  /** Undefined for what has no help upstream either. */
  readonly help?: string;
  /**
   * The key of the same form; or the keys that a function sets; or what to use instead, when the option is refused (it may be given as
   * false); or why there is nothing to do.
   */
  readonly to:
    | KeyName
    | { readonly keys: readonly KeyName[]; readonly set: (value: unknown) => Keys }
    | { readonly refused: string }
    | { readonly already: string };
  /** What goes with it unless somebody sets that, in whatever way. */
  readonly implies?: (value: unknown) => Keys;
}
