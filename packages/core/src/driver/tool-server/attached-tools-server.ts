import type { Clock } from '../../clock.js';
import type { InstanceConfig } from '../../config/model.js';
import type { CheckedTarget } from '../../connection/connection-target.js';
import { openNamedConnection } from '../../connection/open-connection.js';
import type { ToolResult } from '../../connection/tool-connection.js';
import { ToolServerConnection } from '../../connection/tool-server-connection.js';
import { PwpoolError } from '../../errors.js';
import { attachFailed, withoutSecrets } from './attached-tools-failure.js';
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
    connection.ended.addEventListener('abort', () =>
      this.#lose(withoutSecrets(connection.lossReason, options.target)),
    );
  }

  /**
   * Connects, over the transport that the address names.
   * @throws PwpoolError `BROWSER_NOT_READY`, or what the signal was aborted with
   */
  static async connect(options: AttachedToolServerOptions, signal: AbortSignal): Promise<AttachedToolServer> {
    const { clock, target } = options;
    let connection: ToolServerConnection | undefined;
    try {
      connection = await openNamedConnection(
        target,
        (transport) => new ToolServerConnection(transport, clock, () => {}),
        signal,
      );
      const tools = new Set((await connection.listTools(signal)).map(({ name }) => name));
      const server = new AttachedToolServer(options, connection, tools);
      if (connection.lost) throw new Error(connection.lossReason);
      return server;
    } catch (error) {
      await connection?.close();
      signal.throwIfAborted();
      throw attachFailed(target, error);
    }
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async closing(call: () => Promise<ToolResult>): Promise<ToolResult> {
    return await call();
  }

  giveUp(): void {
    this.#lose('its browser does not answer', { cause: 'unresponsive' });
    void this.connection.close();
  }

  /** Ends our session. The server, and what it keeps, go on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.connection.close();
  }

  #lose(reason: string, details?: { cause: 'unresponsive' }): void {
    if (this.#disposed) return;
    const { config, target } = this.#options;
    this.#lost.abort(
      new PwpoolError(
        'INSTANCE_CRASHED',
        `The tool server ${target.label} of instance '${config.id}' of pool '${config.pool}' is lost: ${reason}.`,
        {
          hint: 'Its pages are lost to pwpool. The pool connects again: take a new lease, or start a new session.',
          details: { pool: config.pool, instance: config.id, ...details },
        },
      ),
    );
  }
}
