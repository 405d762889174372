import { setMaxListeners } from 'node:events';
import type { Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../../clock.js';
import type { InstanceConfig } from '../../config/model.js';
import type { CheckedTarget } from '../../connection/connection-target.js';
import { openNamedConnection } from '../../connection/open-connection.js';
import type { ToolResult } from '../../connection/tool-connection.js';
import { ToolServerConnection } from '../../connection/tool-server-connection.js';
import { PwpoolError } from '../../errors.js';
import { failedByClosing, hasOneBlankTab, LIST_TABS } from '../../upstream/answers.js';
import { unlessAborted } from '../../waiting/abort.js';
import { withoutSecrets } from '../endpoint-secrets.js';
import { attachFailed } from './attached-tools-failure.js';
import type { ToolServer } from './tool-server-browser.js';

export interface AttachedToolServerOptions {
  config: InstanceConfig;
  clock: Clock;
  /** Its label is for messages: no user, password or query. */
  target: CheckedTarget & { kind: 'http' | 'sse' };
}

/** A session of our own with an MCP server that somebody else runs. */
export class AttachedToolServer implements ToolServer {
  readonly owned = false;
  readonly processId = null;
  readonly connection: ToolServerConnection;
  readonly tools: ReadonlySet<string>;
  readonly #options: AttachedToolServerOptions;
  readonly #lost = new AbortController();
  #disposed = false;

  private constructor(
    options: AttachedToolServerOptions,
    connection: ToolServerConnection,
    tools: ReadonlySet<string>,
  ) {
    this.#options = options;
    this.connection = connection;
    this.tools = tools;
    // As many listeners as calls that run at once; Node warns from eleven on.
    setMaxListeners(0, this.#lost.signal);
    connection.ended.addEventListener('abort', () =>
      this.#lose(withoutSecrets(connection.lossReason, options.config.settings)),
    );
  }

  /**
   * Connects, over the transport that the address names.
   * @throws PwpoolError `BROWSER_NOT_READY`, or what the signal was aborted with
   */
  static async connect(options: AttachedToolServerOptions, signal: AbortSignal): Promise<AttachedToolServer> {
    const { config, clock, target } = options;
    let connection: ToolServerConnection | undefined;
    try {
      const adopt = (transport: Transport) => {
        connection = new ToolServerConnection(transport, clock, () => {});
        return connection;
      };
      // The SDK waits for the first answer of an event stream for ever, also when that is closed.
      connection = await unlessAborted(signal, openNamedConnection(target, adopt, signal));
      const tools = new Set((await connection.listTools(signal)).map(({ name }) => name));
      const server = new AttachedToolServer(options, connection, tools);
      if (connection.lost) throw new Error(connection.lossReason);
      return server;
    } catch (error) {
      await connection?.close();
      signal.throwIfAborted();
      throw attachFailed(target, config.settings, error);
    }
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async closing(call: () => Promise<ToolResult>): Promise<ToolResult> {
    return await call();
  }

  /**
   * Upstream tells once that its browser has died, and works on in a new one. That is told apart from a page that was
   * closed by what tabs there are.
   */
  async examine(failed: ToolResult, signal: AbortSignal): Promise<void> {
    const [tool, args] = LIST_TABS;
    if (!failedByClosing(failed) || !this.tools.has(tool)) return;
    if (hasOneBlankTab(await this.connection.callTool(tool, args, signal)))
      this.#giveUp('its browser has ended');
  }

  giveUp(): void {
    this.#giveUp('its browser does not answer', { cause: 'unresponsive' });
  }

  /** Ends our session. The server, and what it keeps, go on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.connection.close();
  }

  #giveUp(reason: string, details?: { cause: 'unresponsive' }): void {
    this.#lose(reason, details);
    void this.connection.close();
  }

  #lose(reason: string, details?: { cause: 'unresponsive' }): void {
    if (this.#disposed) return;
    const { config, target } = this.#options;
    this.#lost.abort(
      new PwpoolError(
        'INSTANCE_CRASHED',
        `The tool server ${target.label} of instance '${config.id}' of pool '${config.pool}' is lost: ${reason}.`,
        { details: { pool: config.pool, instance: config.id, ...details } },
      ),
    );
  }
}
