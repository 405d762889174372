import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { withDeadline } from '../waiting/deadline.js';
import { isConnectionLost } from './connection-lost.js';
import type { CheckedTarget } from './connection-target.js';
import type { ToolServerConnection } from './tool-server-connection.js';

/** Times in milliseconds. */
export interface ConnectMetrics {
  /** Connections made, the first and the reconnects. */
  connects: number;
  reconnects: number;
  connectMsTotal: number;
  /** Null until the first connection. */
  connectMsLast: number | null;
}

/** Keeps one connection to a tool server: made on demand, by one attempt at a time, and made anew when it was lost. */
export class ConnectionKeeper {
  readonly #target: CheckedTarget;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  /** Every connection that may still hold something: the present one, and those that are being made or closed. */
  readonly #open = new Set<ToolServerConnection>();
  readonly #metrics: ConnectMetrics = { connects: 0, reconnects: 0, connectMsTotal: 0, connectMsLast: null };
  #present: ToolServerConnection | undefined;
  #connecting: Promise<ToolServerConnection> | undefined;
  #transportUsed = false;

  constructor(target: CheckedTarget, clock: Clock, timeoutMs: number) {
    this.#target = target;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    // One listener for each call that is under way.
    setMaxListeners(0, this.#closing.signal);
  }

  /** The connection that stands, if there is one. */
  get present(): ToolServerConnection | undefined {
    return this.#present?.lost ? undefined : this.#present;
  }

  get metrics(): ConnectMetrics {
    return { ...this.#metrics };
  }

  /** Aborts, with `SHUTTING_DOWN`, when `close` is called. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * The connection that stands, else a new one.
   * @throws PwpoolError `BROWSER_NOT_READY` with the reason, `SHUTTING_DOWN`
   */
  async connection(): Promise<ToolServerConnection> {
    this.#closing.signal.throwIfAborted();
    if (this.present) return this.present;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return await this.#connecting;
  }

  /**
   * Sends a request. When its connection is lost meanwhile, it is sent once more over a new one, if it was certainly not
   * carried out or `mayRepeat` allows it.
   */
  async request<Result>(
    send: (connection: ToolServerConnection) => Promise<Result>,
    mayRepeat: () => Promise<boolean>,
  ): Promise<Result> {
    const connection = await this.connection();
    try {
      return await send(connection);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      if (error.details?.['taken'] !== false && !(await mayRepeat())) throw error;
    }
    return await send(await this.connection());
  }

  /** Leaves nothing behind, also of an attempt that is under way. May be called again. */
  async close(): Promise<void> {
    this.#closing.abort(
      new PwpoolError('SHUTTING_DOWN', 'The session was closed.', { hint: 'Make a new session.' }),
    );
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  async #connect(): Promise<ToolServerConnection> {
    if (this.#target.kind === 'transport' && this.#target.singleUse) this.#useTransport();
    const startedAt = this.#clock.now();
    const onTimeout = () =>
      new PwpoolError(
        'BROWSER_NOT_READY',
        `No connection to the tool server, ${this.#target.label}, within ${this.#timeoutMs} ms.`,
        { hint: 'Check that it is a tool server, or raise connectTimeout.' },
      );
    this.#present = await withDeadline(
      { clock: this.#clock, timeoutMs: this.#timeoutMs, signals: [this.#closing.signal], onTimeout },
      'Connecting to the tool server',
      (signal) => this.#openConnection(signal),
    );
    const elapsedMs = this.#clock.now() - startedAt;
    if (this.#metrics.connects++ > 0) this.#metrics.reconnects++;
    this.#metrics.connectMsTotal += elapsedMs;
    this.#metrics.connectMsLast = elapsedMs;
    return this.#present;
  }

  /** What it takes, the SDK's client, is loaded with the first connection: most servers of pwpool never make one. */
  async #openConnection(signal: AbortSignal): Promise<ToolServerConnection> {
    const [{ openConnection }, { ToolServerConnection }] = await Promise.all([
      import('./open-connection.js'),
      import('./tool-server-connection.js'),
    ]);
    signal.throwIfAborted();
    const adopt = (transport: ConstructorParameters<typeof ToolServerConnection>[0]) => {
      const connection = new ToolServerConnection(transport, this.#clock, () =>
        this.#open.delete(connection),
      );
      this.#open.add(connection);
      return connection;
    };
    return await openConnection(this.#target, adopt, signal);
  }

  #useTransport(): void {
    if (this.#transportUsed) {
      throw new PwpoolError(
        'BROWSER_NOT_READY',
        'The connection is gone, and the transport object that it was made with can be used only once.',
        {
          hint: 'Give { transport: () => … } instead: a function that makes a transport for each connection.',
        },
      );
    }
    this.#transportUsed = true;
  }
}
