import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Clock } from '../../clock.js';
import type { InstanceConfig } from '../../config/model.js';
import { openNamedConnection } from '../../connection/open-connection.js';
import { ProcessTransport } from '../../connection/process-transport.js';
import type { ToolResult } from '../../connection/tool-connection.js';
import { ToolServerConnection } from '../../connection/tool-server-connection.js';
import { type ErrorCode, PwpoolError } from '../../errors.js';
import { within } from '../../waiting/deadline.js';
import { crashed, unresponsive } from '../driver-errors.js';
import { removeScratchDirectory } from '../launch/scratch-directory.js';
import type { PlaywrightMcpCommand } from './playwright-mcp-command.js';
import type { ToolServer } from './tool-server-browser.js';
import { ToolServerChild } from './tool-server-child.js';

/** Milliseconds that a tool server has to close its browser and end, before both are killed. */
const CLOSE_MS = 3_000;
/** Milliseconds that a killed process may take to be gone. */
const KILL_MS = 1_000;

interface OwnedToolServerOptions {
  config: InstanceConfig;
  clock: Clock;
  command: PlaywrightMcpCommand;
  /** Removed with the server. */
  scratch: string;
}

/** The playwright-mcp process of one instance, and the one connection to it. */
export class OwnedToolServer implements ToolServer {
  readonly owned = true;
  /** Windows has other names for the directories of WSL. */
  root: string | undefined;
  readonly #options: OwnedToolServerOptions;
  /** Aborts while the server starts, or never. */
  readonly #start: AbortSignal;
  readonly #lost = new AbortController();
  #child: ToolServerChild | undefined;
  #connection: ToolServerConnection | undefined;
  #tools: ReadonlySet<string> = new Set();
  /** Calls under way that close the browser on purpose. */
  #closing = 0;
  #disposed = false;

  private constructor(options: OwnedToolServerOptions, start: AbortSignal) {
    this.#options = options;
    this.#start = start;
    this.root = options.config.settings.wslWindows ? undefined : process.cwd();
    // As many listeners as calls that run at once; Node warns from eleven on.
    setMaxListeners(0, this.#lost.signal);
  }

  /**
   * Starts the process and connects to it. What was begun is undone when that fails.
   * @throws PwpoolError `BROWSER_NOT_READY`, or what the signal was aborted with
   */
  static async start(options: OwnedToolServerOptions, signal: AbortSignal): Promise<OwnedToolServer> {
    const server = new OwnedToolServer(options, signal);
    try {
      await server.#connect(signal);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  get processId(): number | null {
    return this.#child?.processId ?? null;
  }

  get connection(): ToolServerConnection {
    if (this.#connection) return this.#connection;
    throw new PwpoolError('BROWSER_NOT_READY', 'The tool server is not connected.');
  }

  get tools(): ReadonlySet<string> {
    return this.#tools;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async closing(call: () => Promise<ToolResult>): Promise<ToolResult> {
    this.#closing += 1;
    try {
      const result = await call();
      if (!result.isError) await this.#within(CLOSE_MS, (signal) => this.#child?.browsersGone(signal));
      return result;
    } finally {
      this.#closing -= 1;
    }
  }

  /** A server that lost its browser tells so before it answers, on another pipe: that is read first. */
  async examine(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  giveUp(): void {
    this.#lose(unresponsive(this.#options.config));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const child = this.#child;
    child?.stdio.stdin.end();
    // A start that was given up has no time left. In Windows, though, nobody else can end the server's browser.
    if (this.#start.aborted && !this.#options.config.settings.wslWindows) child?.kill();
    if (!(await this.#within(CLOSE_MS, () => child?.gone))) {
      child?.kill();
      await this.#within(KILL_MS, () => child?.gone);
    }
    child?.killBrowsers();
    await this.#connection?.close();
    await removeScratchDirectory(this.#options.scratch);
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { config, clock, command } = this.#options;
    const { configFile } = command;
    if (configFile) await writeFile(configFile.path, JSON.stringify(configFile.content), { mode: 0o600 });
    const child = await ToolServerChild.spawn(command, {
      localBrowsers: !config.settings.wslWindows,
      onExit: (how) => this.#lose(this.#exited(how)),
      onBrowserGone: () => {
        if (this.#closing === 0) this.#lose(crashed(config));
      },
    });
    this.#child = child;
    try {
      this.#connection = await openNamedConnection(
        {
          kind: 'transport',
          transport: () => new ProcessTransport(child.stdio),
          singleUse: false,
          label: 'playwright-mcp',
        },
        (transport) => new ToolServerConnection(transport, clock, () => {}, this.#rootAsked()),
        signal,
      );
      this.#connection.ended.addEventListener('abort', () => this.#lose(crashed(config)));
      this.#tools = new Set((await this.#connection.listTools(signal)).map(({ name }) => name));
    } catch (error) {
      signal.throwIfAborted();
      // The pipes of a process that ends may close before its exit is told, which says more.
      await this.#within(KILL_MS, () => child.gone);
      throw this.#lost.signal.aborted ? this.#lost.signal.reason : error;
    }
  }

  #rootAsked(): (() => string) | undefined {
    const first = this.root;
    return first === undefined ? undefined : () => this.root ?? first;
  }

  #lose(error: PwpoolError): void {
    if (!this.#disposed) this.#lost.abort(error);
  }

  /** The wording of `health_check.error` is a contract [000-status-05]. */
  #exited(how: string): PwpoolError {
    const { pool, id } = this.#options.config;
    const lastWords = this.#child?.lastWords;
    const started = this.#connection !== undefined;
    const code: ErrorCode = started ? 'INSTANCE_CRASHED' : 'BROWSER_NOT_READY';
    const words = started || !lastWords ? '' : ` It wrote: ${lastWords}`;
    return new PwpoolError(
      code,
      `Process exited unexpectedly (${how}): the tool server of instance '${id}' of pool '${pool}'.${words}`,
      {
        hint: started ? undefined : 'Run the command by itself to see what is wrong.',
        details: { pool, instance: id },
      },
    );
  }

  /** Whether it was done in time. */
  async #within(
    timeoutMs: number,
    work: (signal: AbortSignal) => Promise<void> | undefined,
  ): Promise<boolean> {
    const done = async (signal: AbortSignal) => {
      await work(signal);
      return true;
    };
    return await within(this.#options.clock, timeoutMs, done, false);
  }
}
