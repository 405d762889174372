import { isDeepStrictEqual } from 'node:util';
import type { ConfigChange } from '../config/config-change.js';
import type { ServerSettings } from '../config/model.js';

/** What a reload came to. */
export interface ReloadReport {
  change: ConfigChange;
  /** Settings of the server that are not those it runs with: they take effect when it is started again. */
  needsRestart: readonly (keyof ServerSettings)[];
}

/** Those that are looked up whenever they are needed; every other is used once, when the server starts. */
const HOLD_AT_ONCE: ReadonlySet<keyof ServerSettings> = new Set([
  'affinity',
  'sessionIdleTimeout',
  'sessionGrace',
  'sessionWarnAt',
  'sessionLimit',
  'sessionLimitPerClient',
  'sessionRestore',
]);

/** The settings that differ from those the server was started with, and do not hold before it is started again. */
export function serverSettingsToCome(started: ServerSettings, now: ServerSettings): (keyof ServerSettings)[] {
  const names = Object.keys(now) as (keyof ServerSettings)[];
  return names.filter((name) => !isDeepStrictEqual(started[name], now[name]) && !HOLD_AT_ONCE.has(name));
}
