import type { Browser, BrowserContext } from 'playwright';
import { type Clock, withDeadline } from '../clock.js';
import { connectEmbeddedTools, type EmbeddedToolsOptions } from '../connection/embedded-tools.js';
import type { ToolArguments, ToolConnection, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import type { BrowserHandle } from './browser-driver.js';
import { unblockPages } from './page-recovery.js';

/** Milliseconds that a browser has to close before it is killed. */
const CLOSE_MS = 3_000;

export interface EmbeddedBrowserOptions {
  browser: Browser;
  context: BrowserContext;
  /** The context lives in a profile on disk and cannot be replaced. */
  persistent: boolean;
  processId: number | null;
  clock: Clock;
  tools: EmbeddedToolsOptions;
}

/** A browser launched by Playwright in this process, with upstream's tools over its context. */
export class EmbeddedBrowser implements BrowserHandle {
  readonly owned = true;
  readonly processId: number | null;
  readonly #browser: Browser;
  readonly #options: EmbeddedBrowserOptions;
  readonly #lost = new AbortController();
  #context: BrowserContext;
  #tools: ToolConnection | undefined;
  #closing = false;

  constructor(options: EmbeddedBrowserOptions) {
    this.#options = options;
    this.#browser = options.browser;
    this.#context = options.context;
    this.processId = options.processId;
    this.#browser.once('disconnected', () => {
      if (!this.#closing)
        this.#lost.abort(new PwpoolError('INSTANCE_CRASHED', 'The browser process ended unexpectedly.'));
    });
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get context(): BrowserContext {
    return this.#context;
  }

  /** Connects the tools to the context in use. */
  async connectTools(): Promise<void> {
    await this.#tools?.[Symbol.asyncDispose]();
    this.#tools = await connectEmbeddedTools(this.#context, this.#options.tools);
  }

  async callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    if (!this.#tools) throw new PwpoolError('BROWSER_NOT_READY', 'The browser has no tools connected.');
    return await this.#tools.callTool(name, args, signal);
  }

  async ping(): Promise<void> {
    // Answered by the browser process, in every engine; no page takes part.
    await this.#context.cookies('http://pwpool.invalid/');
  }

  async reset(): Promise<void> {
    if (this.#options.persistent) {
      const pages = this.#context.pages();
      await this.#context.newPage();
      await Promise.all(pages.map((page) => page.close()));
    } else {
      const last = this.#context;
      this.#context = await this.#browser.newContext();
      await last.close();
    }
    await this.connectTools();
  }

  async unblock(): Promise<void> {
    await unblockPages(this.#context, this.#options.clock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    const { clock, processId } = this.#options;
    const onTimeout = () => new PwpoolError('CALL_TIMEOUT', 'The browser did not close in time.');
    try {
      await withDeadline({ clock, timeoutMs: CLOSE_MS, onTimeout }, 'closing', async () => {
        await this.#browser.close();
      });
    } catch {
      if (processId !== null) kill(processId);
    }
    await this.#tools?.[Symbol.asyncDispose]();
    this.#tools = undefined;
  }
}

function kill(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
