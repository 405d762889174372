import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium, firefox, webkit } from 'playwright';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveConfig } from '../../src/config/config-input.js';
import { discoverBrowser, isPlaywrightsFirefox } from '../../src/driver/launch/browser-discovery.js';
import { engineOf } from '../../src/driver/launch/engine.js';
import { launchOptions } from '../../src/driver/launch/launch-options.js';
import { PwpoolError } from '../../src/errors.js';

const { registry } = createRequire(import.meta.url)('playwright-core/lib/coreBundle').registry;

describe('discoverBrowser', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pwpool-discovery-'));
    // Whether Playwright has downloaded a browser is up to the machine: here it has not, unless a test says so.
    vi.spyOn(chromium, 'executablePath').mockReturnValue(join(directory, 'ms-playwright', 'chrome'));
    vi.spyOn(firefox, 'executablePath').mockReturnValue(join(directory, 'ms-playwright', 'firefox'));
    vi.spyOn(webkit, 'executablePath').mockReturnValue(join(directory, 'ms-playwright', 'webkit'));
    vi.spyOn(registry, 'findExecutable').mockReturnValue({
      executablePath: () => join(directory, 'ms-playwright', 'chrome-headless-shell'),
    });
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(directory, { recursive: true, force: true });
  });

  async function file(name: string, mode = 0o755): Promise<string> {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '#!/bin/sh\n', { mode });
    return path;
  }

  /** Only what is in the folders of PATH: names without a fixed place, and on a platform that has no others. */
  const onPath = (...folders: string[]) => ({
    env: { PATH: folders.map((folder) => join(directory, folder)).join(':') },
    platform: 'linux' as const,
  });

  function refusalOf(options: Parameters<typeof discoverBrowser>[0]): PwpoolError {
    try {
      discoverBrowser(options);
    } catch (error) {
      if (error instanceof PwpoolError) return error;
      throw error;
    }
    throw new Error('A browser was found.');
  }

  it('takes EXECUTABLE_PATH before anything else', async () => {
    const executablePath = await file('my-browser');
    await file('bin/chromium');
    await file('ms-playwright/chrome');
    expect(discoverBrowser({ browser: 'chromium', executablePath, ...onPath('bin') })).toEqual({
      source: 'configured',
      executablePath,
    });
  });

  it.each([
    ['is missing', async () => join(directory, 'nowhere')],
    ['may not be executed', () => file('not-executable', 0o644)],
    ['is a directory', async () => directory],
  ])('refuses an EXECUTABLE_PATH that %s, and looks no further', async (_what, path) => {
    await file('bin/chromium');
    const executablePath = await path();
    const error = refusalOf({ browser: 'chromium', executablePath, ...onPath('bin') });
    expect(error.code).toBe('BROWSER_NOT_READY');
    expect(error.message).toBe(`EXECUTABLE_PATH names no executable file: ${executablePath}`);
    expect(error.hint).toContain('EXECUTABLE_PATH');
  });

  it('takes the full browser that Playwright manages before an installed one, and needs no path for it', async () => {
    await file('ms-playwright/chrome');
    await file('ms-playwright/chrome-headless-shell');
    await file('bin/chromium');
    for (const headless of [true, false]) {
      expect(discoverBrowser({ browser: 'chromium', headless, ...onPath('bin') })).toEqual({
        source: 'managed',
        executablePath: undefined,
        channel: 'chromium',
      });
    }
  });

  it('has Playwright launch its full browser by its channel, without a window too', async () => {
    await file('ms-playwright/chrome');
    await file('ms-playwright/chrome-headless-shell');
    const [instance] = resolveConfig({
      pools: { WEB: { instances: 1, isDefault: true, headless: true } },
    }).pools.flatMap(({ instances }) => instances);
    if (!instance) throw new Error('A pool has an instance.');
    expect(launchOptions(instance, directory)).toMatchObject({ headless: true, channel: 'chromium' });
  });

  it('takes a headless shell that is there alone, and looks on where there is to be a window', async () => {
    await file('ms-playwright/chrome-headless-shell');
    const executablePath = await file('bin/chromium');
    expect(discoverBrowser({ browser: 'chromium', ...onPath('bin') })).toEqual({
      source: 'managed',
      executablePath: undefined,
    });
    const withWindow = discoverBrowser({ browser: 'chromium', headless: false, ...onPath('bin') });
    expect(withWindow).toEqual({ source: 'installed', executablePath });
  });

  it('never takes the managed browser for a branded one', async () => {
    await file('ms-playwright/chrome');
    const chrome = await file('bin/google-chrome-stable');
    expect(discoverBrowser({ browser: 'chrome', ...onPath('bin') })).toEqual({
      source: 'installed',
      executablePath: chrome,
    });
  });

  it('looks through the folders of PATH in order, and skips what cannot be executed', async () => {
    await file('first/google-chrome-stable', 0o644);
    const second = await file('second/google-chrome-stable');
    await file('third/google-chrome-stable');
    const found = discoverBrowser({ browser: 'chrome', ...onPath('missing', 'first', 'second', 'third') });
    expect(found.executablePath).toBe(second);
  });

  it('takes chrome, then msedge, then chromium for a pool of chromium', async () => {
    const names = ['chromium', 'microsoft-edge', 'google-chrome'];
    for (const name of names) {
      const executablePath = await file(`bin/${name}`);
      expect(discoverBrowser({ browser: 'chromium', ...onPath('bin') })).toEqual({
        source: 'installed',
        executablePath,
      });
    }
  });

  it('finds an installed browser in its fixed place on Windows', async () => {
    const executablePath = await file('Google/Chrome/Application/chrome.exe');
    expect(
      discoverBrowser({ browser: 'chrome', platform: 'win32', env: { PROGRAMFILES: directory } }),
    ).toEqual({ source: 'installed', executablePath });
  });

  it('takes no installed webkit: only the managed one can be driven', async () => {
    await file('bin/webkit');
    const error = refusalOf({ browser: 'webkit', ...onPath('bin') });
    expect(error.code).toBe('BROWSER_NOT_READY');
    expect(error.message).toBe('No webkit was found on this machine.');
    expect(error.hint).toBe(
      'Run "npx playwright install webkit", or set EXECUTABLE_PATH to an installed browser.',
    );
    expect(error.retryable).toBe(true);
  });

  it('takes the managed firefox, then firefox-esr, then firefox', async () => {
    const names = ['bin/firefox', 'bin/firefox-esr'];
    for (const name of names) {
      const executablePath = await file(name);
      const found = discoverBrowser({ browser: 'firefox', ...onPath('bin') });
      expect(found).toEqual({ source: 'installed', executablePath });
      expect(isPlaywrightsFirefox(found)).toBe(false);
    }
    await file('ms-playwright/firefox');
    const managed = discoverBrowser({ browser: 'firefox', ...onPath('bin') });
    expect(managed.source).toBe('managed');
    expect(isPlaywrightsFirefox(managed)).toBe(true);
  });

  it.each([
    ['/home/ada/.cache/ms-playwright/firefox-1572/firefox/firefox', true],
    ['/Users/ada/Library/Caches/ms-playwright/firefox-1572/firefox/Nightly.app/Contents/MacOS/firefox', true],
    ['C:\\Users\\ada\\AppData\\Local\\ms-playwright\\firefox-1572\\firefox\\firefox.exe', true],
    ['/srv/browsers/firefox_beta-1570/firefox/firefox', true],
    ['/usr/bin/firefox-esr', false],
    ['/opt/firefox-153.0/firefox', false],
    ['/usr/lib/firefox/firefox', false],
    ['C:\\Program Files\\Mozilla Firefox\\firefox.exe', false],
  ])(
    'knows whether the firefox of EXECUTABLE_PATH is a build of Playwright (%s)',
    (executablePath, expected) => {
      expect(isPlaywrightsFirefox({ source: 'configured', executablePath })).toBe(expected);
    },
  );

  it('says what to install for a branded browser', async () => {
    const error = refusalOf({ browser: 'msedge', platform: 'win32', env: { PATH: '' } });
    expect(error.message).toBe('No msedge was found on this machine.');
    expect(error.hint).toContain('npx playwright install msedge');
  });

  it('drives branded browsers by the engine of chromium', () => {
    expect((['chromium', 'chrome', 'msedge', 'firefox', 'webkit'] as const).map(engineOf)).toEqual([
      'chromium',
      'chromium',
      'chromium',
      'firefox',
      'webkit',
    ]);
  });
});
