import type { LEVELS_OF_SCOPE, Scope, SettableLevel } from './key-definition.js';
import type { KEYS, KeyName } from './keys.js';
import type { ConfigSource } from './place.js';

type Definition<K extends KeyName> = (typeof KEYS)[K];

type ObjectOf<D> = Readonly<Record<string, D extends { of: 'text' } ? string : unknown>>;

type ValueOf<D> = D extends { type: 'boolean' }
  ? boolean
  : D extends { type: 'integer' | 'milliseconds' }
    ? number
    : D extends { type: 'object' }
      ? ObjectOf<D>
      : D extends { type: 'list' }
        ? D extends { choices: readonly (infer Choice)[] }
          ? readonly Choice[]
          : readonly string[]
        : D extends { choices: readonly (infer Choice)[] }
          ? Choice
          : string;

type UndefinedUnlessGiven<D> = D extends { default: unknown } | { fallback: unknown } | { required: true }
  ? never
  : undefined;

/** The resolved settings of one scope, as the table of keys defines them. */
export type SettingsOf<S extends Scope> = {
  readonly [K in KeyName as Definition<K>['scope'] extends S ? Definition<K>['setting'] : never]:
    | ValueOf<Definition<K>>
    | UndefinedUnlessGiven<Definition<K>>;
};

/** What may be set at one level by a program. `undefined` means not set. */
export type SettingsInput<L extends SettableLevel> = {
  readonly [K in KeyName as L extends (typeof LEVELS_OF_SCOPE)[Definition<K>['scope']][number]
    ? Definition<K>['setting']
    : never]?: ValueOf<Definition<K>> | undefined;
};

/** Settings of one instance. Times are in milliseconds. */
export interface InstanceSettings extends SettingsOf<'instance'> {}

/** Settings of a pool as a whole. Times are in milliseconds. */
export interface PoolSettings extends SettingsOf<'pool'> {}

/** Settings of the server. Times are in milliseconds. */
export interface ServerSettings extends SettingsOf<'server'> {}

/** The level that decided a value. */
export type ConfigLevel = 'instance' | 'pool' | 'global' | 'built-in';

/** Where a resolved value comes from. */
export interface Origin {
  level: ConfigLevel;
  source: ConfigSource | 'built-in' | 'built-in pool';
  /** The variable or path that set it; '' for a built-in default. */
  name: string;
  /** Where in which file that is, as `file:line:column` (of `.env`, `file:line`), if it is in one. */
  location?: string | undefined;
}

/** One instance with its effective settings. */
export interface InstanceConfig {
  pool: string;
  /** "0", "1", and so on. */
  id: string;
  alias: string | null;
  settings: InstanceSettings;
  origins: Readonly<Record<keyof InstanceSettings | 'alias', Origin>>;
}

/** One pool with its effective settings, its instances in order of their ids. */
export interface PoolConfig {
  name: string;
  description: string;
  isDefault: boolean;
  settings: PoolSettings;
  instances: readonly InstanceConfig[];
  /** An instance without settings of its own: what scaling up adds. Its id means nothing. */
  template: InstanceConfig;
  origins: Readonly<Record<keyof PoolSettings | keyof SettingsOf<'pool-only'>, Origin>>;
}

/** A valid configuration: every setting has a value, and each value knows where it came from. */
export interface PwpoolConfig {
  server: ServerSettings;
  /** At least one; exactly one has `isDefault`. */
  pools: readonly PoolConfig[];
  origins: Readonly<Record<keyof ServerSettings, Origin>>;
}
