import { definitionOf, KEY_NAMES, KEYS, type KeyName } from './keys.js';
import type { Origin, PwpoolConfig } from './model.js';
import { type SettingValue, shownValue } from './values.js';

/** One effective value and where it came from. */
export interface ExplainedSetting {
  key: KeyName;
  /** Null if it is not set and has no default; a secret is masked. */
  value: SettingValue | null;
  origin: Origin;
}

export interface ExplainedInstance {
  pool: string;
  id: string;
  alias: string | null;
  settings: readonly ExplainedSetting[];
}

export interface ExplainedPool {
  pool: string;
  settings: readonly ExplainedSetting[];
  instances: readonly ExplainedInstance[];
}

export interface ConfigExplanation {
  server: readonly ExplainedSetting[];
  pools: readonly ExplainedPool[];
}

/** Every effective value with its origin, in the order of the table of keys, as plain JSON [arch-config-07]. */
export function explainConfig(config: PwpoolConfig): ConfigExplanation {
  return {
    server: explain(config.server, config.origins),
    pools: config.pools.map(({ name, isDefault, settings, instances, origins }) => ({
      pool: name,
      settings: explain({ ...settings, instances: instances.length, isDefault }, origins),
      instances: instances.map((instance) => ({
        pool: instance.pool,
        id: instance.id,
        alias: instance.alias,
        settings: explain({ ...instance.settings, alias: instance.alias }, instance.origins),
      })),
    })),
  };
}

function explain(
  values: Readonly<Record<string, SettingValue | null | undefined>>,
  origins: Readonly<Record<string, Origin>>,
): ExplainedSetting[] {
  return KEY_NAMES.flatMap((key) => {
    const { setting } = KEYS[key];
    const origin = origins[setting];
    const value = values[setting] ?? null;
    const shown = value === null ? null : shownValue(definitionOf(key), value);
    return origin ? [{ key, value: shown, origin }] : [];
  });
}
