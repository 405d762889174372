import { setMaxListeners } from 'node:events';
import type { BrowserContext, Page } from 'playwright';
import type { Clock } from '../../clock.js';
import { CLOSED, CompactConnection } from '../../compact/compact-connection.js';
import type { InstanceConfig } from '../../config/model.js';
import { withLine } from '../../connection/answer-text.js';
import type { ToolArguments, ToolResult } from '../../connection/tool-connection.js';
import { PwpoolError } from '../../errors.js';
import { connectEmbeddedTools } from '../../upstream/embedded-tools.js';
import { withEvidence } from '../../upstream/evidence/evidence.js';
import { redactedUrl, redaction } from '../../upstream/evidence/redaction.js';
import { failureResult } from '../../upstream/failure.js';
import type { FailureKind } from '../../upstream/failure-code.js';
import { callMended } from '../../upstream/mended-call.js';
import { OpenModals } from '../../upstream/open-modals.js';
import { processStamps } from '../../upstream/references/stamp-source.js';
import { type StampedConnection, stampTools } from '../../upstream/references/stamped-tools.js';
import { leavesPage, openedAddress, traitsOf } from '../../upstream/tool-table.js';
import type { WorkFolders } from '../../upstream/workspace.js';
import { unlessAborted } from '../../waiting/abort.js';
import type { BrowserHandle } from '../browser-driver.js';
import { crashed, unattended } from '../driver-errors.js';
import { contextOptions } from '../launch/context-options.js';
import { ownFolders, type ToolSettings, toolOptions } from '../tool-options.js';
import type { BrowserSeat } from './browser-seat.js';
import { cleanContext } from './clean-context.js';
import { LocalAddresses } from './local-addresses.js';
import { PageCrashes } from './page-crashes.js';
import { askPage, closePage, unblockPages } from './page-recovery.js';
import { TabContext } from './tab-context.js';

export interface PlaywrightBrowserOptions {
  config: InstanceConfig;
  seat: BrowserSeat;
  clock: Clock;
  tools: ToolSettings;
  /** Where the tools work. Default: folders of the instance. */
  folders?: WorkFolders | undefined;
}

/** A context in a browser that Playwright drives, whoever launched it, with upstream's tools over that context. */
export class PlaywrightBrowser implements BrowserHandle {
  readonly #options: PlaywrightBrowserOptions;
  readonly #lost = new AbortController();
  readonly #crashes = new PageCrashes((page) => page === this.currentPage);
  #context: BrowserContext;
  #folders: WorkFolders;
  #tools: StampedConnection | CompactConnection | undefined;
  #modals: OpenModals;
  /** With `ALLOW_EXTERNAL=false`. */
  #addresses: LocalAddresses | undefined;
  #closing = false;

  private constructor(options: PlaywrightBrowserOptions, context: BrowserContext) {
    this.#options = options;
    // As many listeners as calls that run at once; Node warns from eleven on.
    setMaxListeners(0, this.#lost.signal);
    this.#context = context;
    this.#modals = new OpenModals(context);
    this.#folders = options.folders ?? ownFolders(options.config, options.tools);
    const { browser } = options.seat;
    browser.once('disconnected', this.#lose);
    this.#watch(context);
    if (!browser.isConnected()) this.#lose();
  }

  /**
   * Opens a context in the seat's browser, with tools over it, and owns the seat from now on. Rejects as Playwright does,
   * the seat given up.
   * @param signal gives the seat up, whatever the browser does
   */
  static async open(options: PlaywrightBrowserOptions, signal: AbortSignal): Promise<PlaywrightBrowser> {
    const { browser, profile, retire, leave } = options.seat;
    const newContext = async () => {
      const context = await browser.newContext(contextOptions(options.config));
      // It comes late, and in a browser that others use it would stay.
      if (signal.aborted) await context.close();
      return context;
    };
    let opened: PlaywrightBrowser | undefined;
    try {
      signal.throwIfAborted();
      opened = new PlaywrightBrowser(options, profile ?? (await unlessAborted(signal, newContext())));
      await unlessAborted(signal, opened.#keepLocal());
      await unlessAborted(signal, opened.#connectTools());
      return opened;
    } catch (error) {
      // The next try is to find another browser.
      retire();
      if (opened) await opened[Symbol.asyncDispose]();
      else await leave(undefined);
      throw error;
    }
  }

  get owned(): boolean {
    return this.#options.seat.owned;
  }

  get processId(): number | null {
    return this.#options.seat.processId;
  }

  get sharedBy(): number {
    return this.#options.seat.sharedBy;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get context(): BrowserContext {
    return this.#context;
  }

  get currentPage(): Page | undefined {
    return this.#tools?.currentPage;
  }

  get closedAnswer(): ToolResult | undefined {
    return this.#isCompact ? CLOSED : undefined;
  }

  retire(): void {
    this.#options.seat.retire();
  }

  /**
   * The crash of another tab, and that of the current page behind what the tool did, is told in a line of the answer.
   * @throws PwpoolError `EXECUTION_ERROR` once when the current page has crashed, unless the call goes elsewhere anyway
   */
  async callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    if (!this.#tools) throw noTools();
    if (traitsOf(name)?.attended) throw unattended(name);
    const crash = await this.#crashes.take();
    if (crash && !leavesPage(name)) throw crash;
    const address = openedAddress(name, args);
    const refusal = address === undefined ? undefined : this.#addresses?.refusalOf(address);
    if (refusal) return failureResult(refusal, this.#toldUrl());
    const result = await this.#callMended(this.#tools, name, args, signal);
    const blocked = this.#addresses?.take();
    if (blocked) return failureResult(blocked, this.#toldUrl());
    if (result.isError) {
      // The news of a crash comes an instant after what the crash does to a call: a round trip later it is there.
      await this.ping().catch(() => {});
      const cause = await this.#crashes.take();
      if (cause) throw cause;
    }
    const behind = await this.#crashes.take();
    const lines = [...(behind ? [`${behind.message} ${behind.hint}`] : []), ...this.#crashes.takeLines()];
    return lines.reduce(withLine, result);
  }

  async explain(args: ToolArguments, failure: FailureKind): Promise<FailureKind> {
    const tools = this.#tools;
    const { testIdAttribute } = this.#options.tools;
    // The compact tools look themselves.
    if (tools instanceof CompactConnection) return failure;
    const redact = redaction(this.#options.config.settings);
    return tools ? await withEvidence({ args, failure, tools, testIdAttribute, redact }) : failure;
  }

  async workIn(folders: WorkFolders): Promise<void> {
    const { root, outputDir } = this.#folders;
    if (this.#tools && folders.root === root && folders.outputDir === outputDir) return;
    this.#folders = folders;
    await this.#connectTools();
  }

  async openTab(folders: WorkFolders, signal: AbortSignal): Promise<PlaywrightBrowser> {
    const { seat, clock } = this.#options;
    const own = this.#tools;
    this.#tools = undefined;
    // Else they would take part in the tab: in its dialogs, and in its downloads.
    await own?.[Symbol.asyncDispose]();
    const tab = await unlessAborted(signal, TabContext.open(this.#context, clock));
    const tabSeat: BrowserSeat = {
      browser: seat.browser,
      owned: false,
      processId: seat.processId,
      sharedBy: seat.sharedBy,
      profile: tab.view,
      sharesContext: true,
      retire: () => {},
      leave: async () => await tab[Symbol.asyncDispose](),
    };
    return await PlaywrightBrowser.open({ ...this.#options, seat: tabSeat, folders }, signal);
  }

  #toldUrl(): string | undefined {
    return redactedUrl(this.currentPage?.url(), this.#options.config.settings);
  }

  async #callMended(
    tools: StampedConnection | CompactConnection,
    name: string,
    args: ToolArguments,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    if (tools instanceof CompactConnection) return await tools.callTool(name, args, signal);
    const { clock } = this.#options;
    const browser = {
      context: this.#context,
      get currentPage() {
        return tools.currentPage;
      },
      modals: this.#modals,
      clock,
    };
    const call = (tool: string, given: ToolArguments) => tools.callTool(tool, given, signal);
    return await callMended(call, name, args, browser);
  }

  async ping(): Promise<void> {
    // Answered by the browser process, in every engine; no page takes part.
    await this.#context.cookies('http://pwpool.invalid/');
  }

  async tryPage(): Promise<void> {
    // In somebody's own browser the page would be a window that opens and closes before their eyes.
    if (!this.owned && this.#options.seat.profile) return await this.ping();
    const blank = await this.#options.seat.browser.newContext();
    try {
      const page = await blank.newPage();
      // Drawing takes the GPU process too. A page that nobody can see is not drawn.
      await page.evaluate(
        () => document.hidden || new Promise((resolve) => requestAnimationFrame(() => resolve(true))),
      );
    } finally {
      await blank.close();
    }
  }

  async inspect(): Promise<void> {
    const own = this.#free().filter((page) => !this.#isTheirs(page));
    await Promise.all(own.map(askPage));
  }

  async reset(signal: AbortSignal, openPage = false): Promise<void> {
    const { browser, profile, theirTab } = this.#options.seat;
    const late = () => signal.aborted || this.#closing;
    if (profile) {
      const pages = profile.pages().filter((page) => !this.#isTheirs(page));
      if (!(await theirTab?.take())) {
        const fresh = await profile.newPage();
        if (late()) return await fresh.close();
      }
      if (late()) return;
      await Promise.all(pages.map((page) => this.#close(page)));
      if (!this.#options.seat.sharesContext) {
        await cleanContext(profile, contextOptions(this.#options.config));
        await this.#addresses?.renew();
      }
    } else {
      const last = this.#context;
      const fresh = await browser.newContext(contextOptions(this.#options.config));
      if (late()) return await fresh.close();
      this.#context = fresh;
      this.#modals[Symbol.dispose]();
      this.#modals = new OpenModals(fresh);
      this.#watch(fresh);
      await this.#keepLocal();
      await Promise.all([openPage && fresh.newPage(), last.close()]);
    }
    // What has crashed was the last holder's.
    await this.#crashes.take();
    this.#crashes.takeLines();
    this.#addresses?.take();
    await this.#connectTools();
  }

  async unblock(): Promise<boolean> {
    return await unblockPages(this.#free(), this.#options.clock, (page) => this.#isTheirs(page));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    // A browser that others still use would keep the listener, and with it this context, for as long as it runs.
    this.#options.seat.browser.off('disconnected', this.#lose);
    await this.#options.seat.leave(this.#context);
    await this.#tools?.[Symbol.asyncDispose]();
    this.#tools = undefined;
    this.#modals[Symbol.dispose]();
  }

  async #connectTools(): Promise<void> {
    await this.#tools?.[Symbol.asyncDispose]();
    this.#tools = this.#isCompact ? this.#compactTools() : await this.#upstreamTools();
    // They come late: nobody else ends them any more.
    if (this.#closing) await this.#tools[Symbol.asyncDispose]();
  }

  get #isCompact(): boolean {
    return this.#options.tools.toolset === 'compact';
  }

  #compactTools(): CompactConnection {
    const { config, clock } = this.#options;
    const { settle, timeoutSettle: settleMs, timeoutAction: actionTimeoutMs } = config.settings;
    return new CompactConnection(this.#context, { clock, settle, settleMs, actionTimeoutMs });
  }

  async #upstreamTools(): Promise<StampedConnection> {
    const { config, clock } = this.#options;
    const options = toolOptions(config, this.#options.tools, this.#folders);
    const tools = await connectEmbeddedTools(this.#context, options, clock);
    const { root } = this.#folders;
    return stampTools(tools, { context: this.#context, stamps: processStamps, clock, root });
  }

  async #keepLocal(): Promise<void> {
    if (this.#options.config.settings.allowExternal) return;
    this.#addresses = await LocalAddresses.keep(this.#context);
  }

  /** A context that somebody else closed takes the tools with it: the browser is of no more use. */
  #watch(context: BrowserContext): void {
    context.once('close', () => {
      if (context === this.#context) this.#lose();
    });
    this.#crashes.watch(context);
  }

  readonly #lose = (): void => {
    if (this.#closing) return;
    // Of a browser that ends, the contexts are told of first: whoever replaces this one is not to join it.
    this.retire();
    this.#lost.abort(crashed(this.#options.config));
  };

  async #close(page: Page): Promise<void> {
    // Behind a dialog nothing loads, and nothing else is answered.
    await (this.#modals.dialogIn(page) ? page.close() : closePage(page, this.#options.clock));
  }

  #isTheirs(page: Page): boolean {
    return this.#options.seat.theirTab?.has(page) ?? false;
  }

  /** The pages without an open dialog. */
  #free(): Page[] {
    return this.#context.pages().filter((page) => !this.#modals.dialogIn(page));
  }
}

/** It has gone to its tabs, or is being closed. */
function noTools(): PwpoolError {
  return new PwpoolError('BROWSER_NOT_READY', 'The browser has no tools connected.', {
    hint: 'A lease that has opened tabs is used by them alone: call their tools, or take another lease.',
  });
}
