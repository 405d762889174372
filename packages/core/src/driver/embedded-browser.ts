import { setMaxListeners } from 'node:events';
import type { Browser, BrowserContext } from 'playwright';
import { type Clock, withDeadline } from '../clock.js';
import type { InstanceConfig } from '../config/model.js';
import { connectEmbeddedTools, type EmbeddedToolsOptions } from '../connection/embedded-tools.js';
import { processStamps } from '../connection/stamp-source.js';
import { stampTools } from '../connection/stamped-tools.js';
import type { ToolArguments, ToolConnection, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import type { BrowserHandle } from './browser-driver.js';
import { unblockPages } from './page-recovery.js';
import { removeScratchDirectory } from './scratch-directory.js';

/** Milliseconds that a browser has to close before it is killed. */
const CLOSE_MS = 3_000;

export interface EmbeddedBrowserOptions {
  config: InstanceConfig;
  browser: Browser;
  context: BrowserContext;
  /** Folder of the browser's temporary files, removed with the browser. */
  scratch: string;
  clock: Clock;
  tools: EmbeddedToolsOptions;
}

/** A browser launched by Playwright in this process, with upstream's tools over its context. */
export class EmbeddedBrowser implements BrowserHandle {
  readonly owned = true;
  readonly #browser: Browser;
  readonly #options: EmbeddedBrowserOptions;
  readonly #lost = new AbortController();
  #context: BrowserContext;
  #tools: ToolConnection | undefined;
  #processId: number | null = null;
  #closing = false;

  constructor(options: EmbeddedBrowserOptions) {
    this.#options = options;
    // As many listeners as calls that run at once; Node warns from eleven on.
    setMaxListeners(0, this.#lost.signal);
    this.#browser = options.browser;
    this.#context = options.context;
    this.#browser.once('disconnected', () => {
      if (!this.#closing) this.#lost.abort(crashed(options.config));
    });
    this.#watch(options.context);
  }

  /** A context that somebody else closed takes the tools with it: the browser is of no more use. */
  #watch(context: BrowserContext): void {
    context.once('close', () => {
      if (!this.#closing && context === this.#context) this.#lost.abort(crashed(this.#options.config));
    });
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get context(): BrowserContext {
    return this.#context;
  }

  get processId(): number | null {
    return this.#processId;
  }

  /** Completes the start: learns the process id and connects the tools. */
  async connect(): Promise<void> {
    this.#processId = await browserProcessId(this.#browser);
    await this.#connectTools();
  }

  async #connectTools(): Promise<void> {
    await this.#tools?.[Symbol.asyncDispose]();
    const tools = await connectEmbeddedTools(this.#context, this.#options.tools);
    const { clock } = this.#options;
    this.#tools = stampTools(tools, { context: this.#context, stamps: processStamps, clock });
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
    if (!this.#options.config.settings.isolated) {
      // The context lives in the profile on disk and cannot be replaced.
      const pages = this.#context.pages();
      await this.#context.newPage();
      await Promise.all(pages.map((page) => page.close()));
    } else {
      const last = this.#context;
      this.#context = await this.#browser.newContext();
      this.#watch(this.#context);
      await last.close();
    }
    await this.#connectTools();
  }

  async unblock(): Promise<boolean> {
    return await unblockPages(this.#context, this.#options.clock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    const { clock, scratch } = this.#options;
    const onTimeout = () => new PwpoolError('CALL_TIMEOUT', 'The browser did not close in time.');
    try {
      await withDeadline({ clock, timeoutMs: CLOSE_MS, onTimeout }, 'closing', async () => {
        await this.#browser.close();
      });
    } catch {
      if (this.#processId !== null) kill(this.#processId);
    }
    await this.#tools?.[Symbol.asyncDispose]();
    this.#tools = undefined;
    await removeScratchDirectory(scratch);
  }
}

/** The process id, which Playwright does not tell; Chromium does over CDP. */
async function browserProcessId(browser: Browser): Promise<number | null> {
  if (browser.browserType().name() !== 'chromium') return null;
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  return processInfo.find((entry) => entry.type === 'browser')?.id ?? null;
}

function crashed({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `The browser of instance '${id}' of pool '${pool}' ended unexpectedly.`,
    {
      hint: 'Its pages are lost. The pool starts a new one: take a new lease, or start a new session.',
      details: { pool, instance: id },
    },
  );
}

function kill(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
