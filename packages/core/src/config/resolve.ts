import { checkDevices } from './devices.js';
import {
  type Hierarchy,
  isOnlyPoolOfProgram,
  mergeLayers,
  type PoolNode,
  type Setting,
  type Settings,
} from './hierarchy.js';
import { checkHttp } from './http-rules.js';
import type { Scope } from './key-definition.js';
import { definitionOf, isKeyName, KEY_NAMES, KEYS, type KeyName } from './keys.js';
import type { LayerBuilder } from './layer.js';
import type { InstanceConfig, Origin, PoolConfig, PwpoolConfig, SettingsOf } from './model.js';
import { checkFiles } from './named-files.js';
import { checkResolvedRules } from './resolved-rules.js';
import { checkRules } from './rules.js';
import { checkToolset } from './toolset-rules.js';
import type { SettingValue } from './values.js';
import { type ConfigWarning, configInvalid, located, type Violation } from './violations.js';

const BUILT_IN: Origin = { level: 'built-in', source: 'built-in', name: '' };

/** The pool that is there when nobody defines one, and works with no set-up [arch-config-09]. */
const BUILT_IN_POOL = 'DEFAULT';

/** Its values, as the table of keys has them, as far as they go with what is set globally. */
function builtInPool(global: Settings): Settings {
  const settings: Settings = new Map();
  const origin: Origin = { level: 'built-in', source: 'built-in pool', name: '' };
  for (const key of KEY_NAMES) {
    const value = definitionOf(key).builtInPool;
    if (value !== undefined) settings.set(key, { value, origin });
  }
  if (isOneProfile(global)) settings.set('INSTANCES', { value: 1, origin });
  if (!launchesIsolated(global)) settings.delete('CONTEXTS_PER_BROWSER');
  return settings;
}

/** What a pool is by being the only one of a program. */
const ONLY_POOL: Settings = new Map([['IS_DEFAULT', { value: true, origin: BUILT_IN }]]);

/** Somebody's own profile, or the one of a browser that runs already, is used by one browser at a time. */
function isOneProfile(global: Settings): boolean {
  return global.get('ISOLATED')?.value === false && (global.has('USER_DATA_DIR') || global.has('ENDPOINT'));
}

/** Whether its browsers are such as instances can share. */
function launchesIsolated(global: Settings): boolean {
  const is = (key: KeyName, value: SettingValue) => global.get(key)?.value === value;
  const launchedElsewhere = is('DRIVER', 'process') || is('WSL_WINDOWS', true);
  return (
    !is('ISOLATED', false) && !launchedElsewhere && !global.has('ENDPOINT') && !global.has('CDP_PORT_BASE')
  );
}

/** Settings to look a key up in, narrowest first. */
type Chain = readonly (Settings | undefined)[];

/** A configuration, or everything that is wrong with it. */
export interface ConfigInspection {
  /** Undefined if there is a violation. */
  config: PwpoolConfig | undefined;
  violations: readonly Violation[];
  /** What has no effect and was probably meant to have one. */
  warnings: readonly ConfigWarning[];
  /** Absolute paths of the files that were read. */
  files: readonly string[];
}

/** What came with the layers: from the files that hold them. */
export interface Findings {
  violations?: readonly Violation[];
  warnings?: readonly ConfigWarning[];
  files?: readonly string[];
}

/** Merges what was read, strongest first, resolves it, and checks the rules. */
export function resolveLayers(readers: readonly LayerBuilder[], found: Findings = {}): ConfigInspection {
  const hierarchy = mergeLayers(readers.map((reader) => reader.layer()));
  const config = resolveHierarchy(hierarchy);
  const locationOf = (name: string) =>
    readers.map((reader) => reader.locationOf(name)).find((location) => location !== undefined);
  const violations = [
    ...(found.violations ?? []),
    ...readers.flatMap((reader) => reader.violations),
    ...checkRules(hierarchy),
    ...checkResolvedRules(config.pools),
    ...checkFiles(config.pools),
    ...checkDevices(config.pools),
    ...checkToolset(config),
    ...checkHttp(config),
  ].map((violation) => located(violation, locationOf));
  return {
    config: violations.length === 0 ? config : undefined,
    violations,
    warnings: [...(found.warnings ?? []), ...readers.flatMap((reader) => reader.warnings)],
    files: found.files ?? [],
  };
}

/** @throws PwpoolError `CONFIG_INVALID` */
export function configOrThrow({ config, violations }: ConfigInspection): PwpoolConfig {
  if (!config) throw configInvalid(violations);
  return config;
}

/**
 * Works out the value of every setting. As long as the hierarchy has not passed all rules, it is a draft: a value that
 * was refused is undefined, and a pool without a valid INSTANCES has none.
 */
function resolveHierarchy(hierarchy: Hierarchy): PwpoolConfig {
  const { global, pools } = hierarchy;
  const implied = isOnlyPoolOfProgram(hierarchy) ? ONLY_POOL : undefined;
  const server = collect('server', [global]);
  const resolved =
    pools.size > 0
      ? [...pools].map(([name, pool]) => resolvePool(name, pool, [pool.settings, global, implied]))
      : [resolvePool(BUILT_IN_POOL, undefined, [global, builtInPool(global)])];
  return { server: server.settings, pools: resolved, origins: server.origins };
}

function resolvePool(name: string, pool: PoolNode | undefined, chain: Chain): PoolConfig {
  const own = collect('pool-only', chain);
  const shared = collect('pool', chain);
  const { instances: count, isDefault } = own.settings;
  const template = resolveInstance(name, '', chain);
  return {
    name,
    description: template.settings.description,
    isDefault,
    settings: shared.settings,
    instances: Array.from({ length: count }, (_, index) => {
      const id = String(index);
      return resolveInstance(name, id, [pool?.instances.get(id), ...chain]);
    }),
    template,
    origins: { ...own.origins, ...shared.origins },
  };
}

function resolveInstance(pool: string, id: string, chain: Chain): InstanceConfig {
  const own = collect('instance-only', chain);
  const shared = collect('instance', chain);
  return {
    pool,
    id,
    alias: own.settings.alias ?? null,
    settings: shared.settings,
    origins: { ...own.origins, ...shared.origins },
  };
}

function collect<S extends Scope>(
  scope: S,
  chain: Chain,
): { settings: SettingsOf<S>; origins: Readonly<Record<keyof SettingsOf<S>, Origin>> } {
  const settings: Record<string, SettingValue | undefined> = {};
  const origins: Record<string, Origin> = {};
  for (const key of KEY_NAMES) {
    const { setting, scope: scopeOfKey } = KEYS[key];
    if (scopeOfKey !== scope) continue;
    const { value, origin } = lookUp(key, chain);
    settings[setting] = value;
    origins[setting] = origin;
  }
  // Names and values come from the rows that SettingsOf is inferred from.
  return { settings: settings as SettingsOf<S>, origins: origins as Record<keyof SettingsOf<S>, Origin> };
}

function lookUp(key: KeyName, chain: Chain): Setting {
  for (const settings of chain) {
    const found = settings?.get(key);
    if (found) return found;
  }
  const definition = definitionOf(key);
  if (definition.fallback !== undefined && isKeyName(definition.fallback)) {
    return lookUp(definition.fallback, chain);
  }
  const { defaultWhen } = definition;
  if (defaultWhen && isKeyName(defaultWhen.key)) {
    const { value, origin } = lookUp(defaultWhen.key, chain);
    const holds = defaultWhen.is === 'set' ? origin !== BUILT_IN : value === defaultWhen.is;
    if (holds) return { value: defaultWhen.default, origin };
  }
  return { value: 'default' in definition ? definition.default : undefined, origin: BUILT_IN };
}
