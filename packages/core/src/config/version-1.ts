import type { KeyName } from './keys.js';
import { VARIABLE_PREFIX } from './place.js';
import type { ConfigWarning } from './violations.js';

/** What an old variable is now: a key, its opposite, or nothing, and what to do instead. */
export type Successor = KeyName | { readonly not: KeyName } | { readonly gone: string };

const TRACING = 'Leave it out: CAPS=devtools offers the tools that record.';

/** The variables of version 1, all global, and their keys of today [000-migration-02, 000-migration-03]. */
export const VERSION_1: Readonly<Record<string, Successor>> = {
  PLAYWRIGHT_BROWSER: 'BROWSER',
  PLAYWRIGHT_HEADLESS: 'HEADLESS',
  PLAYWRIGHT_ISOLATED: 'ISOLATED',
  PLAYWRIGHT_WSL_WINDOWS: 'WSL_WINDOWS',
  PLAYWRIGHT_NO_SANDBOX: { not: 'SANDBOX' },
  PLAYWRIGHT_DEVICE: 'DEVICE',
  PLAYWRIGHT_VIEWPORT_SIZE: 'VIEWPORT',
  PLAYWRIGHT_USER_AGENT: 'USER_AGENT',
  PLAYWRIGHT_USER_DATA_DIR: 'USER_DATA_DIR',
  PLAYWRIGHT_STORAGE_STATE: 'STORAGE_STATE',
  PLAYWRIGHT_INIT_SCRIPT: 'INIT_SCRIPT',
  PLAYWRIGHT_IGNORE_HTTPS_ERRORS: 'IGNORE_HTTPS_ERRORS',
  PLAYWRIGHT_ALLOWED_ORIGINS: 'ALLOWED_ORIGINS',
  PLAYWRIGHT_BLOCKED_ORIGINS: 'BLOCKED_ORIGINS',
  PLAYWRIGHT_PROXY_SERVER: 'PROXY_SERVER',
  PLAYWRIGHT_TIMEOUT: 'TIMEOUT',
  PLAYWRIGHT_TIMEOUT_ACTION: 'TIMEOUT_ACTION',
  PLAYWRIGHT_TIMEOUT_NAVIGATION: 'TIMEOUT_NAVIGATION',
  PLAYWRIGHT_IMAGE_RESPONSES: 'IMAGE_RESPONSES',
  PLAYWRIGHT_CAPS: 'CAPS',
  PLAYWRIGHT_OUTPUT_DIR: 'OUTPUT_DIR',
  PLAYWRIGHT_SAVE_SESSION: 'SAVE_SESSION',
  PLAYWRIGHT_SAVE_TRACE: { gone: TRACING },
  PLAYWRIGHT_SAVE_VIDEO: { gone: TRACING },
  PLAYWRIGHT_STEALTH_MODE: { gone: 'Leave it out: INIT_SCRIPT takes a script of your own.' },
  BLOB_STORAGE_ROOT: 'BLOB_STORAGE_ROOT',
  BLOB_MAX_SIZE_MB: 'BLOB_MAX_SIZE_MB',
  BLOB_TTL_HOURS: 'BLOB_TTL_HOURS',
  BLOB_SIZE_THRESHOLD_KB: 'BLOB_SIZE_THRESHOLD_KB',
};

/** The warning of a variable of version 1, which nobody reads any more; undefined for any other. */
export function renamedVariable(
  name: string,
  variables: Readonly<Record<string, string | undefined>>,
): ConfigWarning | undefined {
  const successor = name.startsWith('PLAYWRIGHT_') ? VERSION_1[name] : undefined;
  if (successor === undefined) return undefined;
  const message = `${name} is not read: it is a name of version 1`;
  if (typeof successor === 'object' && 'gone' in successor) {
    return { code: 'RENAMED_VARIABLE', message, variable: name, fix: successor.gone };
  }
  const key = typeof successor === 'string' ? successor : successor.not;
  const today = `${VARIABLE_PREFIX}${key}`;
  // Who has set the new one may have left the old one for something else.
  if (variables[today] !== undefined) return undefined;
  const opposite = typeof successor === 'string' ? '' : ', with the opposite value';
  return {
    code: 'RENAMED_VARIABLE',
    message,
    variable: name,
    fix: `Rename it to ${today}${opposite}; "pwpool migrate" writes all of them.`,
  };
}
