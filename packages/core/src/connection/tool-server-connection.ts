import { addAbortListener, setMaxListeners } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Client, SseError, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { withDeadline, within } from '../waiting/deadline.js';
import { connectionLost } from './connection-lost.js';
import { HttpTransport, untilEnd } from './http-transport.js';
import { fullReasonOf, neverTaken, provesAlive, requestFailure } from './request-failure.js';
import type { Tool, ToolArguments, ToolResult } from './tool-connection.js';

/** Longest request the SDK's client waits for; deadlines are the session's job. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
const PING_TIMEOUT_MS = 5_000;
/** How long an HTTP server may take to end a session that we leave. */
const GOODBYE_TIMEOUT_MS = 2_000;
/** The SDK ends a child within 4 s (stdin, SIGTERM, SIGKILL) but does not wait for the last of it. */
const CHILD_END_TIMEOUT_MS = 10_000;
const STDERR_TAIL_CHARS = 2_000;

/** One connection over one transport, from handshake to loss. It is never connected again. */
export class ToolServerConnection {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #onClosed: () => void;
  readonly #lost = new AbortController();
  readonly #ended: Promise<void>;
  #lossReason = 'it was closed';
  #state: 'new' | 'started' | 'established' = 'new';
  #stderrTail = '';
  #checking: Promise<boolean> | undefined;
  #closing: Promise<void> | undefined;

  /**
   * `onClosed` is called when nothing of the connection is left.
   * @param root the directory that the server is told when it asks for roots; none are offered if left out
   */
  constructor(transport: Transport, clock: Clock, onClosed: () => void, root?: () => string) {
    const capabilities = root ? { roots: {} } : {};
    this.#client = new Client({ name: 'pwpool', version: '0' }, { capabilities });
    if (root) {
      this.#client.setRequestHandler('roots/list', () => ({
        roots: [{ uri: pathToFileURL(root()).href }],
      }));
    }
    this.#transport = transport;
    this.#clock = clock;
    this.#onClosed = onClosed;
    // One listener for each request that is under way.
    setMaxListeners(0, this.#lost.signal);
    this.#ended = new Promise((resolve) => {
      this.#client.onclose = () => {
        resolve();
        this.#lose('the tool server ended it');
      };
    });
    this.#client.onerror = (error) => this.#onTransportError(error);
    if (transport instanceof StdioClientTransport) {
      transport.stderr?.on('data', (chunk: Buffer) => {
        this.#stderrTail = (this.#stderrTail + chunk.toString()).slice(-STDERR_TAIL_CHARS);
      });
    }
  }

  get lost(): boolean {
    return this.#lost.signal.aborted;
  }

  /** Aborts when the connection is lost, and when it is closed. */
  get ended(): AbortSignal {
    return this.#lost.signal;
  }

  /** Why it ended, as the end of a sentence. */
  get lossReason(): string {
    return this.#lossReason;
  }

  /** The child process behind a stdio connection. */
  get processId(): number | null {
    return this.#transport instanceof StdioClientTransport ? this.#transport.pid : null;
  }

  /** The last that a child process wrote to its stderr. */
  get stderrTail(): string {
    return this.#stderrTail.trim();
  }

  /** Does the handshake. When that fails, or the signal aborts before it is done, the transport is closed. */
  async start(signal: AbortSignal): Promise<void> {
    using _abandoning = addAbortListener(signal, () => void this.close());
    try {
      signal.throwIfAborted();
      this.#state = 'started';
      await this.#client.connect(this.#transport, { signal, timeout: NO_TIMEOUT_MS });
      this.#state = 'established';
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  /** @throws PwpoolError as `#request` does */
  async callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    const request = { method: 'tools/call', params: { name, arguments: { ...args } } } as const;
    return await this.#request(signal, (options) => this.#client.request(request, options));
  }

  async listTools(signal: AbortSignal): Promise<Tool[]> {
    const tools: Tool[] = [];
    let cursor: string | undefined;
    do {
      const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const;
      const page = await this.#request(signal, (options) => this.#client.request(request, options));
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  }

  /** Asks the server whether it still has this connection. If not, the connection is lost from then on. */
  check(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Ends the connection and, over stdio, the child process. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * One round trip. A server that is late is not given up for it, as it is by `check`.
   * @throws PwpoolError `INSTANCE_CRASHED` when the connection is lost, `BROWSER_NOT_READY` when no answer comes in time
   */
  async ping(): Promise<void> {
    if (this.lost) throw connectionLost(this.#lossReason, false);
    const onTimeout = () =>
      new PwpoolError('BROWSER_NOT_READY', `no answer to a ping within ${PING_TIMEOUT_MS} ms`);
    try {
      await withDeadline(
        { clock: this.#clock, timeoutMs: PING_TIMEOUT_MS, signals: [this.#lost.signal], onTimeout },
        'A ping of the tool server',
        (signal) => this.#client.ping({ signal, timeout: NO_TIMEOUT_MS }),
      );
    } catch (error) {
      if (error instanceof PwpoolError && !this.lost) throw error;
      if (!this.lost && provesAlive(error)) return;
      this.#lose(fullReasonOf(error));
      throw connectionLost(this.#lossReason, false);
    }
  }

  async #check(): Promise<boolean> {
    if (this.lost) return false;
    await this.ping().catch((error) => this.#lose(fullReasonOf(error)));
    return !this.lost;
  }

  /**
   * @throws PwpoolError `INSTANCE_CRASHED` when the connection is lost meanwhile, `INVALID_ARGUMENTS` or
   *   `EXECUTION_ERROR` when the server refuses the request, or the PwpoolError that the signal was aborted with
   */
  async #request<Result>(
    signal: AbortSignal,
    send: (options: { signal: AbortSignal; timeout: number }) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    if (this.lost) throw connectionLost(this.#lossReason, false);
    // What may end it: its caller, the loss of the connection, the end of the stream that its answer was to come over.
    const controller = new AbortController();
    const abort = () => controller.abort();
    using _onAbort = addAbortListener(signal, abort);
    using _onLoss = addAbortListener(this.#lost.signal, abort);
    try {
      return await untilEnd(abort, () => send({ signal: controller.signal, timeout: NO_TIMEOUT_MS }));
    } catch (error) {
      signal.throwIfAborted();
      if (!this.lost && (provesAlive(error) || (await this.check()))) throw requestFailure(error);
      throw connectionLost(this.#lossReason, neverTaken(error) ? false : 'unknown');
    }
  }

  /** Not every error ends a connection, and over HTTP nothing else tells of its end: so the server is asked. */
  #onTransportError(error: Error): void {
    if (this.#state !== 'established' || this.lost) return;
    // The event source would reconnect by itself, to a session that never had a handshake.
    if (error instanceof SseError) this.#lose(fullReasonOf(error));
    else void this.check();
  }

  #lose(reason: string): void {
    if (this.lost) return;
    this.#lossReason = reason;
    void this.close();
  }

  async #close(): Promise<void> {
    this.#lost.abort();
    const transport = this.#transport;
    if (transport instanceof HttpTransport) {
      await within(this.#clock, GOODBYE_TIMEOUT_MS, () => transport.terminateSession());
    }
    await within(this.#clock, CHILD_END_TIMEOUT_MS, () => transport.close());
    if (transport instanceof StdioClientTransport && this.#state !== 'new') {
      await within(this.#clock, CHILD_END_TIMEOUT_MS, () => this.#ended);
    }
    this.#onClosed();
  }
}
