import { join, resolve } from 'node:path';
import type { LaunchOptions } from 'playwright';
import { dataDirectory } from '../config/data-directory.js';
import type { InstanceConfig } from '../config/model.js';
import { discoverBrowser, engineOf } from './browser-discovery.js';
import { scratchEnvironment } from './scratch-directory.js';

/** Without these a Debian or vendor Chromium tries to reach its maker's hosts at each start. */
const QUIET_CHROMIUM = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/**
 * Playwright's launch options for an instance.
 * @param scratch folder for the browser's own temporary files
 * @throws PwpoolError `BROWSER_NOT_READY` when no executable is found
 */
export function launchOptions(config: InstanceConfig, scratch: string): LaunchOptions {
  const { browser, executablePath, headless, startTimeout } = config.settings;
  const found = discoverBrowser({ browser, executablePath });
  return {
    headless,
    timeout: startTimeout,
    env: { ...process.env, ...scratchEnvironment(scratch) },
    ...(found.executablePath === undefined ? {} : { executablePath: found.executablePath }),
    ...(engineOf(browser) === 'chromium' ? { args: QUIET_CHROMIUM } : {}),
    // Shutdown has one owner, and that is not a signal handler of each browser.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
}

/** The profile directory of an instance with `ISOLATED=false`: one each, so that two instances never share one. */
export function profileDirectory(config: InstanceConfig): string {
  const root = config.settings.profileDir ?? join(dataDirectory(), 'profiles');
  return resolve(root, config.pool, config.id);
}
