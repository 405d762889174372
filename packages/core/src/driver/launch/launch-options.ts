import { resolve } from 'node:path';
import type { LaunchOptions } from 'playwright';
import { KEYS } from '../../config/keys.js';
import type { InstanceConfig } from '../../config/model.js';
import { discoverBrowser, isPlaywrightsFirefox } from './browser-discovery.js';
import { chromiumSwitches, LOCAL_ONLY_SWITCH } from './chromium-switches.js';
import { proxyOf } from './context-options.js';
import { engineOf } from './engine.js';
import { scratchEnvironment } from './scratch-directory.js';

/** Without it Firefox asks its maker's host for settings at each start, although its own automation mode says not to. */
const QUIET_FIREFOX = { MOZ_REMOTE_SETTINGS_DEVTOOLS: '1' };

/**
 * Playwright's launch options for an instance.
 * @param scratch folder for the browser's own temporary files
 * @throws PwpoolError `BROWSER_NOT_READY` when no executable is found
 */
export function launchOptions(config: InstanceConfig, scratch: string): LaunchOptions {
  const { browser, executablePath, headless, startTimeout, sandbox } = config.settings;
  const { args, env, ...given } = config.settings.launchOptions as LaunchOptions;
  const found = discoverBrowser({ browser, executablePath, headless });
  const installedFirefox = browser === 'firefox' && !isPlaywrightsFirefox(found);
  const proxy = proxyOf(config.settings);
  // Behind a proxy that is no local one there would be no host at all.
  const localOnly = config.settings.allowExternal || proxy ? [] : [LOCAL_ONLY_SWITCH];
  return {
    ...given,
    headless,
    timeout: startTimeout,
    // Playwright's own would stay behind now and then when a launch fails.
    artifactsDir: scratch,
    env: {
      ...process.env,
      ...scratchEnvironment(scratch),
      ...(installedFirefox ? QUIET_FIREFOX : {}),
      ...env,
    },
    ...(found.executablePath === undefined ? {} : { executablePath: found.executablePath }),
    args:
      engineOf(browser) === 'chromium'
        ? chromiumSwitches([...(args ?? []), ...localOnly])
        : [...(args ?? [])],
    ...(sandbox === undefined ? {} : { chromiumSandbox: sandbox }),
    ...(proxy ? { proxy } : {}),
    ...(found.channel === undefined ? {} : { channel: found.channel }),
    // Makes Playwright speak WebDriver BiDi; its other protocol is known to its own build of Firefox only.
    ...(installedFirefox ? { channel: 'moz-firefox' } : {}),
    // Shutdown has one owner, and that is not a signal handler of each browser.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
}

/**
 * The profile directory of an instance with `ISOLATED=false`: one each, so that neither two instances nor two projects
 * share one.
 */
export function profileDirectory(config: InstanceConfig): string {
  const { pool, id, settings, origins } = config;
  const { userDataDir } = settings;
  if (userDataDir !== undefined) {
    // Somebody's own profile: the first instance has it, the others have theirs below it.
    const itself = id === '0' || origins.userDataDir.level === 'instance';
    return itself ? resolve(userDataDir) : resolve(userDataDir, pool, id);
  }
  const root = settings.profileDir ?? KEYS.PROFILE_DIR.defaultIn.path(settings);
  return resolve(root, pool, id);
}
