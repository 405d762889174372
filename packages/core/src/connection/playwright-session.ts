import { type Clock, systemClock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { withDeadline } from '../waiting/deadline.js';
import { ConnectionKeeper } from './connection-keeper.js';
import { type ConnectionTarget, checkTarget } from './connection-target.js';
import {
  type CallToolOptions,
  checkTimeout,
  type PlaywrightSessionMetrics,
  type PlaywrightSessionOptions,
  type RequestOptions,
} from './playwright-session-options.js';
import { checkReturnMode, type ReturnedByMode, type ReturnMode, selectResult } from './return-mode.js';
import type { Tool, ToolArguments, ToolResult } from './tool-connection.js';
import type { ToolServerConnection } from './tool-server-connection.js';

/**
 * One MCP connection to a Playwright tool server, kept from call to call and made anew when it was lost
 * [001-life-02, 001-weakness-02].
 *
 * Nothing is started before the first use. Close it, or let `await using` do so: a child process that it started ends
 * with it.
 * @example
 * ```ts
 * await using session = new PlaywrightSession({ command: 'npx', args: ['@playwright/mcp', '--headless'] });
 * await session.callTool('browser_navigate', { url: 'https://example.com' });
 * const snapshot = await session.callTool('browser_snapshot');
 * ```
 */
export class PlaywrightSession implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #callTimeoutMs: number;
  readonly #keeper: ConnectionKeeper;
  readonly #metrics = { calls: 0, failures: 0, callMsTotal: 0 };
  /**
   * Names of the tools that may be repeated, of the last list; asked for when it first matters. The server's own
   * annotations say which: it is any tool server, of any version, and what `upstream/` knows of one need not hold for it.
   */
  #readOnlyTools: ReadonlySet<string> | undefined;

  /**
   * Does no input or output.
   * @throws PwpoolError `INVALID_ARGUMENTS`, naming each field that is wrong
   */
  constructor(target: ConnectionTarget, options: PlaywrightSessionOptions = {}) {
    const { clock = systemClock, connectTimeout = 30_000, callTimeout = 60_000 } = options;
    this.#clock = clock;
    this.#callTimeoutMs = checkTimeout('callTimeout', callTimeout);
    this.#keeper = new ConnectionKeeper(
      checkTarget(target),
      clock,
      checkTimeout('connectTimeout', connectTimeout),
    );
  }

  /** True while a connection stands that is not known to be lost. */
  get connected(): boolean {
    return this.#keeper.present !== undefined;
  }

  /** The child process behind a stdio connection; null for other transports, and while there is no connection. */
  get processId(): number | null {
    return this.#keeper.present?.processId ?? null;
  }

  get metrics(): PlaywrightSessionMetrics {
    return { ...this.#keeper.metrics, ...this.#metrics };
  }

  /**
   * Connects, if no connection stands. A call does so by itself.
   * @throws PwpoolError `BROWSER_NOT_READY`, `CALL_TIMEOUT`, `CANCELLED`, `SHUTTING_DOWN`
   */
  async connect(options: RequestOptions = {}): Promise<void> {
    await this.#withDeadline('Connecting', options, () => this.#keeper.connection());
  }

  /**
   * Calls a tool and gives back the part of its result that `returnMode` asks for.
   *
   * When the connection is lost during the call, the call is repeated once on a new connection if that is safe: it was
   * certainly not carried out, or the tool is read-only by its annotation. A read-only tool then reads the browser that
   * the new connection has. Whether a tool is read-only is asked over the new connection, unless the tools were listed
   * before.
   * @throws PwpoolError `EXECUTION_ERROR` with the tool's text when it reports a fault (mode `raw` returns it instead)
   *   or with the server's, `INVALID_ARGUMENTS`, `BROWSER_NOT_READY` when there is no connecting, `INSTANCE_CRASHED`
   *   when the connection was lost, `CALL_TIMEOUT`, `CANCELLED`, `SHUTTING_DOWN` after `close`
   */
  async callTool<Mode extends ReturnMode = 'first'>(
    name: string,
    args: ToolArguments = {},
    options: CallToolOptions<Mode> = {},
  ): Promise<ReturnedByMode[Mode]> {
    const mode = (options.returnMode ?? 'first') as Mode;
    checkReturnMode(mode);
    this.#metrics.calls++;
    try {
      const result = await this.#withDeadline(`Tool "${name}"`, options, (signal) =>
        this.#keeper.request(
          (connection) => this.#timedCall(connection, name, args, signal),
          () => this.#isReadOnly(name, signal),
        ),
      );
      if (mode === 'raw' && result.isError) this.#metrics.failures++;
      return selectResult(name, result, mode);
    } catch (error) {
      this.#metrics.failures++;
      throw error;
    }
  }

  /** @throws PwpoolError as `callTool` does */
  async listTools(options: RequestOptions = {}): Promise<Tool[]> {
    return await this.#withDeadline('Listing the tools', options, (signal) =>
      this.#keeper.request(
        (connection) => this.#list(connection, signal),
        async () => true,
      ),
    );
  }

  /**
   * Tells whether the server answers over the present connection within 5 s. Makes no connection and throws nothing:
   * where there is none, the answer is `false`. After a `false` the next call reconnects.
   */
  async ping(): Promise<boolean> {
    return (await this.#keeper.present?.check()) ?? false;
  }

  /**
   * Ends the connection, and the child process if there is one. Calls that are running or come later are rejected with
   * `SHUTTING_DOWN`. May be called again.
   */
  async close(): Promise<void> {
    await this.#keeper.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #timedCall(
    connection: ToolServerConnection,
    name: string,
    args: ToolArguments,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const startedAt = this.#clock.now();
    try {
      return await connection.callTool(name, args, signal);
    } finally {
      this.#metrics.callMsTotal += this.#clock.now() - startedAt;
    }
  }

  async #isReadOnly(name: string, signal: AbortSignal): Promise<boolean> {
    try {
      if (!this.#readOnlyTools) await this.#list(await this.#keeper.connection(), signal);
    } catch {
      // There is no telling, so the call is not repeated, and its caller reads of the loss rather than of this.
      return false;
    }
    return this.#readOnlyTools?.has(name) ?? false;
  }

  async #list(connection: ToolServerConnection, signal: AbortSignal): Promise<Tool[]> {
    const tools = await connection.listTools(signal);
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    this.#readOnlyTools = new Set(readOnly.map(({ name }) => name));
    return tools;
  }

  async #withDeadline<Result>(
    what: string,
    { signal, timeout = this.#callTimeoutMs }: RequestOptions,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const timeoutMs = checkTimeout('timeout', timeout);
    const onTimeout = () => {
      // A server that hangs gives no other sign: if it answers no ping either, the next call reconnects.
      void this.ping();
      return new PwpoolError('CALL_TIMEOUT', `${what} was not done within ${timeoutMs} ms.`, {
        hint: 'It may still take effect: look at the page before you repeat it, or allow more time.',
      });
    };
    return await withDeadline(
      { clock: this.#clock, timeoutMs, signals: [signal, this.#keeper.closing], onTimeout },
      what,
      work,
    );
  }
}
