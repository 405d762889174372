import type { Clock } from '../../clock.js';
import type { InstanceConfig } from '../../config/model.js';
import type { BrowserDriver, BrowserHandle } from '../browser-driver.js';
import { notStarted } from '../driver-errors.js';
import { PlaywrightBrowser } from '../playwright/playwright-browser.js';
import type { ToolSettings } from '../tool-options.js';
import { BrowserProcesses } from './browser-processes.js';

/** Launches browsers with Playwright in this process, each instance with a context of its own. */
export class EmbeddedDriver implements BrowserDriver {
  readonly #clock: Clock;
  readonly #tools: ToolSettings;
  readonly #processes: BrowserProcesses;

  constructor(options: { clock: Clock } & ToolSettings) {
    this.#clock = options.clock;
    this.#tools = options;
    this.#processes = new BrowserProcesses(options.clock);
  }

  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    signal.throwIfAborted();
    try {
      const seat = await this.#processes.join(config, signal);
      const options = { config, seat, clock: this.#clock, tools: this.#tools };
      return await PlaywrightBrowser.open(options, signal);
    } catch (error) {
      throw notStarted(config, error);
    }
  }
}
