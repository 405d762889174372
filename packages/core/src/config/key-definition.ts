/** A level at which a person can set a key. */
export type SettableLevel = 'global' | 'pool' | 'instance';

/**
 * What a key belongs to, and with that the levels at which it may be set [000-env-07, 000-env-08, 000-env-09].
 * A key set at a wider level is the default of the narrower ones.
 */
export const LEVELS_OF_SCOPE = {
  server: ['global'],
  pool: ['global', 'pool'],
  'pool-only': ['pool'],
  instance: ['global', 'pool', 'instance'],
  'instance-only': ['instance'],
} as const satisfies Record<string, readonly SettableLevel[]>;

export type Scope = keyof typeof LEVELS_OF_SCOPE;

type ValueDefinition =
  | { type: 'boolean'; default?: boolean }
  | { type: 'integer'; min: number; max?: number; default?: number }
  | { type: 'milliseconds'; min: number; default?: number }
  | { type: 'choice'; choices: readonly string[]; default: string }
  | { type: 'text'; default?: string }
  /** Texts; in a variable they are separated by commas, or by the separator given. */
  | { type: 'list'; of?: 'path'; choices?: readonly string[]; separator?: string; default: readonly string[] }
  /** A JSON object; in a variable its text. `without`: members that have keys of their own. */
  | {
      type: 'object';
      of?: 'text';
      secret?: true;
      without?: Readonly<Record<string, string>>;
      default: Readonly<Record<string, unknown>>;
    }
  /** `1280x720`, or `window`. */
  | { type: 'size' }
  | { type: 'proxy' }
  | { type: 'path' }
  | { type: 'file-name'; default: string }
  | { type: 'endpoint' }
  | { type: 'headers' }
  | { type: 'secret' }
  | { type: 'alias' };

/**
 * What a changed value costs when a running server takes a new configuration in: nothing; another browser for each
 * instance concerned, as soon as its holder is done; or nothing happens until the server is started again.
 */
export type ChangeCost = 'at-once' | 'new-browser' | 'next-start';

/** One row of the table. A row without `default`, `fallback` and `required` is undefined unless somebody sets it. */
export type KeyDefinition = ValueDefinition & {
  /** The name in settings and in `ConfigInput`. */
  setting: string;
  scope: Scope;
  change: ChangeCost;
  help: string;
  /** The key whose resolved value stands in when this one is set at no level. */
  fallback?: string;
  /** What is there in place of `default` as long as another key has this value, or any ('set'); its origin is then told. */
  defaultWhen?: { key: string; is: boolean | string; default: number | boolean | string };
  /** The default of a key that is undefined unless set, because it depends on where and for whom pwpool runs. */
  defaultIn?: {
    /** What it is, for people. */
    told: string;
    path: (given: never) => string;
  };
  /** The value in the pool that is there as long as nobody defines one, in place of the default. */
  builtInPool?: number | boolean;
  /** Must be set; there is no default. */
  required?: true;
};
