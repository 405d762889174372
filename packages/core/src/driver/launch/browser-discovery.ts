import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BrowserName } from '../../config/keys.js';
import { PwpoolError } from '../../errors.js';
import { browserType, engineOf, headlessShellPath } from './engine.js';

/** Where a browser was found. `managed`: Playwright's own download, which needs no path. */
export interface DiscoveredBrowser {
  source: 'configured' | 'managed' | 'installed';
  executablePath: string | undefined;
  /** The channel by which Playwright starts it, unless it does so by the engine's name alone. */
  channel?: string;
}

export interface DiscoveryOptions {
  browser: BrowserName;
  /** `EXECUTABLE_PATH`, where set. */
  executablePath?: string | undefined;
  /** Whether it is to run without a window. Default: true. */
  headless?: boolean | undefined;
  env?: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
}

/** File names on PATH, then fixed places. A pool of `chromium` takes any browser of that engine. */
const INSTALLED: Partial<Record<BrowserName, Partial<Record<NodeJS.Platform, readonly string[]>>>> = {
  chrome: {
    linux: ['google-chrome-stable', 'google-chrome', '/opt/google/chrome/chrome'],
    darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    win32: [
      '%PROGRAMFILES%/Google/Chrome/Application/chrome.exe',
      '%LOCALAPPDATA%/Google/Chrome/Application/chrome.exe',
    ],
  },
  msedge: {
    linux: ['microsoft-edge-stable', 'microsoft-edge', '/opt/microsoft/msedge/msedge'],
    darwin: ['/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'],
    win32: [
      '%PROGRAMFILES(X86)%/Microsoft/Edge/Application/msedge.exe',
      '%PROGRAMFILES%/Microsoft/Edge/Application/msedge.exe',
    ],
  },
  chromium: {
    linux: ['chromium', 'chromium-browser', '/usr/bin/chromium'],
    darwin: ['/Applications/Chromium.app/Contents/MacOS/Chromium'],
  },
  firefox: {
    linux: ['firefox-esr', 'firefox'],
    darwin: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
    win32: ['%PROGRAMFILES%/Mozilla Firefox/firefox.exe'],
  },
  // Playwright drives no WebKit but its own.
  webkit: {},
};

/** A channel that Playwright finds by itself. */
function isPreRelease(browser: BrowserName): boolean {
  return /-(?:beta|dev|canary)$/.test(browser);
}

/** The folder that Playwright puts its own build of Firefox in has the number of the build in its name. */
const PLAYWRIGHTS_FIREFOX = /[\\/]firefox(?:_beta)?-\d{4}[\\/]/;

/** Whether a Firefox is Playwright's own build, the only one that it does not drive by WebDriver BiDi. */
export function isPlaywrightsFirefox({ executablePath }: DiscoveredBrowser): boolean {
  return executablePath === undefined || PLAYWRIGHTS_FIREFOX.test(executablePath);
}

/**
 * Finds the executable of a browser: `EXECUTABLE_PATH`, else Playwright's managed browser, else an installed one; for
 * `chromium` that is chrome, msedge or chromium, in this order.
 * @throws PwpoolError `BROWSER_NOT_READY` with what to install
 */
export function discoverBrowser(options: DiscoveryOptions): DiscoveredBrowser {
  const { browser, executablePath } = options;
  if (executablePath !== undefined) {
    if (isExecutable(executablePath)) return { source: 'configured', executablePath };
    throw new PwpoolError(
      'BROWSER_NOT_READY',
      `EXECUTABLE_PATH names no executable file: ${executablePath}`,
      {
        hint: 'Correct EXECUTABLE_PATH, or remove it to let pwpool look for a browser.',
        details: { browser, executablePath },
      },
    );
  }
  if (isPreRelease(browser)) return { source: 'managed', executablePath: undefined, channel: browser };
  // Branded channels are never Playwright's own download.
  const branded = browser === 'chrome' || browser === 'msedge';
  const managed = branded ? undefined : findManaged(browser, options.headless ?? true);
  if (managed) return managed;
  for (const name of browser === 'chromium' ? (['chrome', 'msedge', 'chromium'] as const) : [browser]) {
    const found = findInstalled(name, options);
    if (found) return { source: 'installed', executablePath: found };
  }
  throw new PwpoolError('BROWSER_NOT_READY', `No ${browser} was found on this machine.`, {
    hint: `Run "npx playwright install ${branded ? browser : engineOf(browser)}", or set EXECUTABLE_PATH to an installed browser.`,
    details: { browser },
  });
}

/**
 * Playwright's own download. Chromium's headless shell, which Playwright prefers where there is no window, only where nothing else of
 * it is there (`playwright install --only-shell`): it is no full browser (decision 0260).
 */
function findManaged(browser: BrowserName, headless: boolean): DiscoveredBrowser | undefined {
  const found = { source: 'managed', executablePath: undefined } as const;
  const isChromium = browser === 'chromium';
  if (isExecutable(browserType(browser).executablePath()))
    return isChromium ? { ...found, channel: 'chromium' } : found;
  return isChromium && headless && isExecutable(headlessShellPath()) ? found : undefined;
}

function findInstalled(browser: BrowserName, options: DiscoveryOptions): string | undefined {
  const env = options.env ?? process.env;
  const places = INSTALLED[browser]?.[options.platform ?? process.platform] ?? [];
  const onPath = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const place of places) {
    const expanded = place.replace(/%(.+?)%/g, (_, variable: string) => env[variable] ?? '');
    const candidates = /[\\/]/.test(expanded) ? [expanded] : onPath.map((folder) => join(folder, expanded));
    const found = candidates.find(isExecutable);
    if (found) return found;
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
