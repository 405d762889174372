import type { ConfigChange } from '../config/config-change.js';
import type { ServerSettings } from '../config/model.js';

/** What a reload came to. */
export interface ReloadReport {
  change: ConfigChange;
  /** Settings of the server that are not those it runs with: they take effect when it is started again. */
  needsRestart: readonly (keyof ServerSettings)[];
}
