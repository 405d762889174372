import { KEYS } from './keys.js';
import { LayerBuilder } from './layer.js';
import type { PwpoolConfig, SettingsInput } from './model.js';
import { configOrThrow, resolveLayers } from './resolve.js';
import { readTree, type TreeForm } from './setting-tree.js';

/** Overrides for one instance of a pool. */
export interface InstanceInput extends SettingsInput<'instance'> {}

/** One pool, and defaults for its instances. */
export interface PoolInput extends SettingsInput<'pool'> {
  /** Overrides by instance id. */
  readonly instance?: Readonly<Record<string, InstanceInput>> | undefined;
}

/**
 * A configuration as a program writes it: the three levels and the rules of the environment variables.
 *
 * @example
 * const input: ConfigInput = {
 *   headless: true,
 *   isolated: true,
 *   pools: { SCRAPE: { instances: 3, browser: 'firefox', instance: { 0: { alias: 'main' } } } },
 * };
 */
export interface ConfigInput extends SettingsInput<'global'> {
  /** Pools by name. */
  readonly pools?: Readonly<Record<string, PoolInput>> | undefined;
}

const PROGRAM: TreeForm = { root: 'ConfigInput', nameOf: (key) => KEYS[key].setting };

/**
 * Resolves a configuration that a program gives, by the same rules, without a look at the environment.
 * @throws PwpoolError `CONFIG_INVALID`, with all violations in its message and in `details.violations`
 */
export function resolveConfig(input: ConfigInput): PwpoolConfig {
  const builder = new LayerBuilder('code');
  readTree(builder, input, PROGRAM);
  return configOrThrow(resolveLayers([builder]));
}
