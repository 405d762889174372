import type { Clock } from '../clock.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { traitsOf } from '../upstream/tool-table.js';
import type { WorkFolders } from '../upstream/workspace.js';
import { withDeadline } from '../waiting/deadline.js';
import { callBrowser, NO_OPEN_TABS } from './browser-call.js';
import { HeldTab } from './held-tab.js';
import type { Instance } from './instance.js';
import { noTabs, notOpened, notReopened } from './instance-errors.js';

export interface HeldBrowserOptions {
  instance: Instance;
  clock: Clock;
  /** Where the holder's tools work. */
  folders: WorkFolders;
  /** Aborts when the holder has the instance no more: a call that still runs ends with it. */
  ended: AbortSignal;
}

/** The browser of an instance in the hands of one holder, who may close it (`browser_close`) and then go on. */
export class HeldBrowser {
  readonly #options: HeldBrowserOptions;
  /** Resolves when the browser that the holder closed has ended; `undefined` while there is one. */
  #closed: Promise<unknown> | undefined;
  /** What `browser_close` answers then, once more. */
  #closedAnswer = NO_OPEN_TABS;
  /** The start under way that brings it back. */
  #reopening: Promise<void> | undefined;

  constructor(options: HeldBrowserOptions) {
    this.#options = options;
  }

  /**
   * Runs one tool on the browser, as `callBrowser` does. `browser_close` closes a browser with a profile on disk, which
   * is free then, and the next call starts it again; elsewhere it gives clean pages.
   * @throws PwpoolError as `callBrowser`, `BROWSER_NOT_READY`, `SHUTTING_DOWN`
   */
  async callTool(tool: string, args: ToolArguments, signal?: AbortSignal): Promise<ToolResult> {
    if (this.#closed !== undefined) {
      if (traitsOf(tool)?.closesPages) return this.#closedAnswer;
      await this.reopen(signal);
    }
    const { instance, clock, ended } = this.#options;
    const handle = instance.running();
    return await callBrowser(handle, {
      tool,
      args,
      signals: [signal, ended],
      settings: instance.config.settings,
      clock,
      inUse: () => instance.uses(handle),
      closeBrowser: () => this.#close(),
      onEnd: (...outcome) => instance.callEnded(handle, tool, ...outcome),
    });
  }

  /**
   * Opens a tab with tools of its own.
   * @throws PwpoolError `BROWSER_NOT_READY` where the driver has none, or the browser opens none in time
   */
  async openTab(folders: WorkFolders): Promise<HeldTab> {
    await this.reopen();
    const { instance, clock, ended } = this.#options;
    const browser = instance.running();
    const { openTab } = browser;
    if (!openTab) throw noTabs(instance.config);
    const timeoutMs = instance.config.settings.startTimeout;
    const onTimeout = () => notOpened(instance.config, timeoutMs);
    const deadline = { clock, timeoutMs, signals: [ended, browser.lost], onTimeout };
    const tab = await withDeadline(deadline, 'tab', (signal) => openTab.call(browser, folders, signal));
    return new HeldTab({ instance, browser, tab, clock, ended });
  }

  /**
   * Starts the browser again that its holder closed, with the folders it had. Nothing to do when it is there. A start
   * that fails is the holder's to try again.
   * @param signal ends the wait
   * @throws PwpoolError as `Instance.start`, and when that takes too long
   */
  async reopen(signal?: AbortSignal): Promise<void> {
    if (this.#closed === undefined) return;
    this.#reopening ??= this.#reopen(this.#closed).finally(() => {
      this.#reopening = undefined;
    });
    const reopened = this.#reopening;
    const { instance, clock, ended } = this.#options;
    // Its turn, and then the start, which has a deadline of its own.
    const timeoutMs = 2 * instance.config.settings.startTimeout;
    const onTimeout = () => notReopened(instance.config, timeoutMs);
    await withDeadline({ clock, timeoutMs, signals: [signal, ended], onTimeout }, 'start', () => reopened);
  }

  async #reopen(closed: Promise<unknown>): Promise<void> {
    const { instance, folders, ended } = this.#options;
    await closed;
    try {
      await instance.start();
    } catch (error) {
      instance.rest();
      throw error;
    }
    // Else it is the next holder's by now.
    if (ended.aborted) return;
    await instance.workIn(folders);
    this.#closed = undefined;
  }

  async #close(): Promise<void> {
    const { instance } = this.#options;
    this.#closedAnswer = instance.running().closedAnswer ?? NO_OPEN_TABS;
    const ended = instance.stop();
    this.#closed = ended.catch(() => {});
    await ended;
  }
}
