import type { Page } from 'playwright';
import type { Clock } from '../clock.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { BrowserHandle } from '../driver/browser-driver.js';
import { callBrowser } from './browser-call.js';
import type { Instance } from './instance.js';

export interface HeldTabOptions {
  instance: Instance;
  /** The browser that the tab is in. */
  browser: BrowserHandle;
  tab: BrowserHandle;
  clock: Clock;
  /** Aborts when the holder has the instance no more. */
  ended: AbortSignal;
}

/** A tab in the hands of the holder of its browser, who may have several at once. */
export class HeldTab implements AsyncDisposable {
  readonly #options: HeldTabOptions;

  constructor(options: HeldTabOptions) {
    this.#options = options;
  }

  /** Those that are open, first the one that the tools work in. */
  get pages(): Page[] {
    const { context, currentPage } = this.#options.tab;
    const pages = context?.pages() ?? [];
    if (!currentPage || !pages.includes(currentPage)) return pages;
    return [currentPage, ...pages.filter((page) => page !== currentPage)];
  }

  /** Opens a page beside those that there are. */
  async newPage(): Promise<Page | undefined> {
    return await this.#options.tab.context?.newPage();
  }

  /** Throws as `callBrowser`. */
  async callTool(tool: string, args: ToolArguments, signal?: AbortSignal): Promise<ToolResult> {
    const { instance, browser, tab, clock, ended } = this.#options;
    return await callBrowser(tab, {
      tool,
      args,
      signals: [signal, ended],
      settings: instance.config.settings,
      clock,
      inUse: () => instance.uses(browser),
      // The browser is not the tab's to close.
      closeBrowser: async () => {},
      onEnd: (...outcome) => instance.callEnded(browser, tool, ...outcome),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.tab[Symbol.asyncDispose]();
  }
}
