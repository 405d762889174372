import { lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, firefox, webkit } from 'playwright';
import type { Clock } from '../clock.js';
import type { InstanceConfig } from '../config/model.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { engineOf } from './browser-discovery.js';
import type { BrowserDriver, BrowserHandle } from './browser-driver.js';
import { EmbeddedBrowser } from './embedded-browser.js';
import { launchOptions, profileDirectory } from './launch-options.js';
import {
  makeScratchDirectory,
  removeScratchDirectory,
  sweepScratchDirectories,
} from './scratch-directory.js';

/** The instance's own deadline comes first: it also stops the navigation, which upstream's does not. */
const NAVIGATION_MARGIN_MS = 1_000;

const ENGINES = { chromium, firefox, webkit };

/** Launches each browser with Playwright in this process, one browser process an instance. */
export class EmbeddedDriver implements BrowserDriver {
  readonly #clock: Clock;
  readonly #outputDir: string;
  #swept: Promise<void> | undefined;

  /** @param outputDir root of the folders that tools write files to; one below it for each instance */
  constructor(options: { clock: Clock; outputDir: string }) {
    this.#clock = options.clock;
    this.#outputDir = options.outputDir;
  }

  async start(config: InstanceConfig): Promise<BrowserHandle> {
    this.#swept ??= sweepScratchDirectories();
    await this.#swept;
    const scratch = await makeScratchDirectory();
    const { browser, context } = await launch(config, scratch).catch(async (error: unknown) => {
      await removeScratchDirectory(scratch);
      throw notReady(config, error);
    });
    const handle = new EmbeddedBrowser({
      browser,
      context,
      config,
      scratch,
      clock: this.#clock,
      tools: {
        outputDir: join(this.#outputDir, `${config.pool}-${config.id}`),
        timeouts: {
          action: config.settings.timeoutAction,
          navigation: config.settings.timeoutNavigation + NAVIGATION_MARGIN_MS,
          settle: config.settings.timeoutSettle,
        },
      },
    });
    try {
      await handle.connect();
    } catch (error) {
      await handle[Symbol.asyncDispose]();
      throw notReady(config, error);
    }
    return handle;
  }
}

async function launch(
  config: InstanceConfig,
  scratch: string,
): Promise<{ browser: Browser; context: BrowserContext }> {
  if (config.settings.wslWindows) {
    throw new Error('WSL_WINDOWS=true needs a browser driver that this version of pwpool does not have yet.');
  }
  const engine = ENGINES[engineOf(config.settings.browser)];
  const options = launchOptions(config, scratch);
  if (config.settings.isolated) {
    const browser = await engine.launch(options);
    try {
      return { browser, context: await browser.newContext() };
    } catch (error) {
      await browser.close();
      throw error;
    }
  }
  const directory = profileDirectory(config);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const context = await engine.launchPersistentContext(directory, options);
  const browser = context.browser();
  if (!browser) throw new Error('Playwright gave no browser for the profile.');
  return { browser, context };
}

function notReady(config: InstanceConfig, error: unknown): PwpoolError {
  if (error instanceof PwpoolError) return error;
  // What follows in Playwright's message is the whole command line and its log: of no use to a caller.
  const reason =
    reasonOf(error)
      .split(/\n(?:Browser logs|Call log|=+)/)[0]
      ?.trim() ?? '';
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `The ${config.settings.browser} of instance '${config.id}' of pool '${config.pool}' did not start: ${reason}`,
    {
      hint: profileInUse(config)
        ? `Another browser uses the profile ${profileDirectory(config)}: close it, or set PROFILE_DIR.`
        : `Check that the browser runs on this machine, or install one with "npx playwright install ${engineOf(config.settings.browser)}".`,
      details: { pool: config.pool, instance: config.id, browser: config.settings.browser },
      cause: error,
    },
  );
}

/** Chromium marks a profile that it has open with this link. */
function profileInUse(config: InstanceConfig): boolean {
  if (config.settings.isolated) return false;
  return lstatSync(join(profileDirectory(config), 'SingletonLock'), { throwIfNoEntry: false }) !== undefined;
}
