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

const ENGINES = { chromium, firefox, webkit };

/** Launches each browser with Playwright in this process, one browser process an instance. */
export class EmbeddedDriver implements BrowserDriver {
  readonly #clock: Clock;
  readonly #outputDir: string;

  /** @param outputDir root of the folders that tools write files to; one below it for each instance */
  constructor(options: { clock: Clock; outputDir: string }) {
    this.#clock = options.clock;
    this.#outputDir = options.outputDir;
  }

  async start(config: InstanceConfig): Promise<BrowserHandle> {
    const { browser, context } = await launch(config);
    const processId = await browserProcessId(browser);
    const handle = new EmbeddedBrowser({
      browser,
      context,
      persistent: !config.settings.isolated,
      processId,
      clock: this.#clock,
      tools: {
        outputDir: join(this.#outputDir, `${config.pool}-${config.id}`),
        timeouts: {
          action: config.settings.timeoutAction,
          navigation: config.settings.timeoutNavigation,
          settle: config.settings.timeoutSettle,
        },
      },
    });
    await handle.connectTools();
    return handle;
  }
}

async function launch(config: InstanceConfig): Promise<{ browser: Browser; context: BrowserContext }> {
  const engine = ENGINES[engineOf(config.settings.browser)];
  const options = launchOptions(config);
  try {
    if (config.settings.isolated) {
      const browser = await engine.launch(options);
      return { browser, context: await browser.newContext() };
    }
    const directory = profileDirectory(config);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const context = await engine.launchPersistentContext(directory, options);
    const browser = context.browser();
    if (!browser) throw new Error('Playwright gave no browser for the profile.');
    return { browser, context };
  } catch (error) {
    throw notReady(config, error);
  }
}

function notReady(config: InstanceConfig, error: unknown): PwpoolError {
  // What follows in Playwright's message is the whole command line and its log: of no use to a caller.
  const reason =
    reasonOf(error)
      .split(/\n(?:Browser logs|Call log|=+)/)[0]
      ?.trim() ?? '';
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `The ${config.settings.browser} of instance '${config.id}' of pool '${config.pool}' did not start: ${reason}`,
    {
      hint: `Check that the browser runs on this machine, or install one with "npx playwright install ${engineOf(config.settings.browser)}".`,
      details: { pool: config.pool, instance: config.id, browser: config.settings.browser },
      cause: error,
    },
  );
}

/** The process id, which Playwright does not tell; Chromium does over CDP. */
async function browserProcessId(browser: Browser): Promise<number | null> {
  if (browser.browserType().name() !== 'chromium') return null;
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  return processInfo.find((entry) => entry.type === 'browser')?.id ?? null;
}
