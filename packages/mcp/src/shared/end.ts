import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { type Clock, failureResult, PwpoolError, reasonOf, within } from '@pwpool/core/light';
import { leaveLine } from './handshake.js';
import { Lines } from './lines.js';
import { lineOf, type Message, type RequestId, readMessage } from './messages.js';

/** Bytes of one message: the server takes no longer one over stdio either. */
const LONGEST = 10 * 1024 * 1024;

/** How often a request that only asks is put to another server before it is given up. */
const TRIES = 3;

/** How many servers in a row may end without a word before nobody is sent to another one. */
const SILENT_SERVERS = 3;

/** The id of an `initialize` that the client does not know of. No client sees its answer. */
const REPLAY_ID = 'pwpool:initialize';

/** JSON-RPC: the request could not be carried out. */
const [INVALID_REQUEST, INTERNAL_ERROR] = [-32_600, -32_603];

export interface EndOptions {
  /** The client, as over stdio. */
  input: Readable;
  output: Writable;
  /** Gives a connection to the shared server, which is started if it has to be. The signal: nobody wants it any more. */
  connect: (signal: AbortSignal) => Promise<Socket>;
  /** Whether sessions outlive their browsers (`SESSION_RESTORE`): it is told with a call that was lost. */
  restores: boolean;
  /** Milliseconds that running calls have to be answered once the client has gone. */
  graceMs: number;
  clock: Clock;
  /** Ends it as a client that goes. */
  signal: AbortSignal;
  log: (line: string) => void;
}

/** A request of the client that has no answer yet. */
interface Asked {
  readonly id: RequestId;
  readonly message: Message;
  readonly line: Buffer;
  /** How many servers were asked. */
  tries: number;
}

/**
 * The end of one window: a pipe between an MCP client on stdio and the shared server. Of the messages it knows just enough to
 * survive that server: calls that were running fail with a code, whatever only asks is asked again, and the next request
 * opens a new connection, where a client of the 2025 revisions need not introduce itself a second time.
 */
export class End {
  readonly #options: EndOptions;
  /** That takes messages now. */
  #server: Socket | undefined;
  #connecting = false;
  /** Lines for a server that is not there yet. */
  #held: Buffer[] = [];
  readonly #asked = new Map<RequestId, Asked>();
  /** How a client of the 2025 revisions has introduced itself, once that was answered. */
  #introduction: { initialize: Message; initialized?: Buffer } | undefined;
  /** Called with the answer to a repeated introduction. */
  #onIntroduced: (() => void) | undefined;
  #onAllAnswered: (() => void) | undefined;
  /** Servers that have ended since one has said anything. */
  #silentServers = 0;
  /** Aborts when the client has gone. */
  readonly #left = new AbortController();

  constructor(options: EndOptions) {
    this.#options = options;
  }

  /** Passes messages until the client goes or the signal aborts. @returns whether the server knows that it has gone */
  async run(): Promise<boolean> {
    const { input, output, signal, graceMs, clock } = this.#options;
    const lines = new Lines();
    input.on('data', (piece: Buffer) => {
      for (const line of lines.push(piece)) this.#fromClient(line);
    });
    const broken = new AbortController();
    const gone = new Promise<void>((resolve) => {
      const end = () => resolve();
      const fail = () => {
        broken.abort();
        resolve();
      };
      input.once('end', end).once('close', end).once('error', end);
      output.once('error', fail).once('close', fail);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
    void this.#connect();
    await gone;
    input.pause();
    // As over stdio, who has closed its side may still read the answers.
    if (!broken.signal.aborted) await within(clock, graceMs, () => this.#allAnswered());
    return await this.#leave();
  }

  #fromClient(line: Buffer): void {
    const message = readMessage(line);
    if (message?.method !== undefined && message.id !== undefined) {
      const asked = { id: message.id, message, line, tries: 0 };
      if (line.length > LONGEST) {
        this.#answer(failed(asked, tooLong(line)));
        return;
      }
      this.#asked.set(message.id, asked);
    } else if (!this.#server && !this.#connecting) {
      // What asks for nothing is for the server that is gone.
      return;
    }
    if (message?.method === 'notifications/initialized' && this.#introduction)
      this.#introduction.initialized = line;
    if (message?.method === 'notifications/cancelled') this.#forget(message.params?.['requestId']);
    if (this.#server) this.#write(this.#server, line);
    else {
      this.#held.push(line);
      void this.#connect();
    }
  }

  #fromServer(line: Buffer, socket: Socket): void {
    this.#silentServers = 0;
    const message = readMessage(line);
    if (message?.method === undefined && message?.id !== undefined) {
      if (message.id === REPLAY_ID) {
        this.#onIntroduced?.();
        return;
      }
      const asked = this.#asked.get(message.id);
      if (asked?.message.method === 'initialize') this.#introduction = { initialize: asked.message };
      this.#forget(message.id);
    }
    const { output } = this.#options;
    if (output.write(line)) return;
    socket.pause();
    output.once('drain', () => socket.resume());
  }

  /** Opens a connection unless one is being opened, and sends what waits for it. */
  async #connect(): Promise<void> {
    if (this.#connecting) return;
    this.#connecting = true;
    try {
      const socket = await this.#options.connect(this.#left.signal);
      const lines = new Lines();
      socket.on('data', (piece: Buffer) => {
        for (const line of lines.push(piece)) this.#fromServer(line, socket);
      });
      // A server that is killed with something unread resets the connection.
      socket.on('error', () => {});
      socket.once('close', () => this.#lost(socket));
      socket.resume();
      await this.#introduce(socket);
      this.#connecting = false;
      if (socket.destroyed) return this.#lost(socket);
      this.#server = socket;
      for (const line of this.#held.splice(0)) this.#write(socket, line);
    } catch (error) {
      this.#connecting = false;
      if (!this.#left.signal.aborted) this.#refuse(error);
    }
  }

  /** Tells a new server what the client has told the one before it. */
  async #introduce(socket: Socket): Promise<void> {
    if (!this.#introduction) return;
    const { initialize, initialized } = this.#introduction;
    const answered = new Promise<void>((resolve) => {
      this.#onIntroduced = resolve;
      socket.once('close', resolve);
    });
    socket.write(lineOf({ jsonrpc: '2.0', ...initialize, id: REPLAY_ID }));
    await answered;
    if (initialized) socket.write(initialized);
  }

  #write(socket: Socket, line: Buffer): void {
    if (socket.write(line)) return;
    const { input } = this.#options;
    input.pause();
    socket.once('drain', () => input.resume()).once('close', () => input.resume());
  }

  /** The server is gone: what it was asked is lost, or is asked of the next one. */
  #lost(socket: Socket): void {
    if (this.#connecting || this.#left.signal.aborted) return;
    if (this.#server === socket) this.#server = undefined;
    this.#silentServers += 1;
    const again: Buffer[] = [];
    for (const asked of this.#asked.values()) {
      if (this.#held.includes(asked.line)) continue;
      asked.tries += 1;
      if (isRepeatable(asked)) again.push(asked.line);
      else this.#answer(failed(asked, serverLost(this.#options.restores)));
    }
    this.#held.unshift(...again);
    if (this.#held.length === 0) return;
    if (this.#silentServers <= SILENT_SERVERS) void this.#connect();
    else this.#refuse(serverLost(this.#options.restores));
  }

  /** There is no server to be had: everybody who waits for one is told why. */
  #refuse(error: unknown): void {
    const reason =
      error instanceof PwpoolError ? error : new PwpoolError('BROWSER_NOT_READY', reasonOf(error));
    this.#options.log([reason.message, reason.hint].filter(Boolean).join(' '));
    this.#held = [];
    for (const asked of this.#asked.values()) this.#answer(failed(asked, reason));
  }

  #answer(answer: { id: RequestId }): void {
    this.#forget(answer.id);
    this.#options.output.write(lineOf({ jsonrpc: '2.0', ...answer }));
  }

  #forget(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#asked.delete(id);
    if (this.#asked.size === 0) this.#onAllAnswered?.();
  }

  async #allAnswered(): Promise<void> {
    if (this.#asked.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onAllAnswered = resolve;
    });
  }

  async #leave(): Promise<boolean> {
    this.#left.abort();
    const socket = this.#server;
    if (!socket) return false;
    const closed = new Promise<true>((resolve) => socket.once('close', () => resolve(true)));
    socket.write(leaveLine());
    const { clock, graceMs } = this.#options;
    const told = await within(clock, graceMs, () => closed, false);
    socket.destroy();
    return told;
  }
}

/** What changes nothing can be asked of another server as if nothing had been. */
function isRepeatable({ message: { method }, tries }: Asked): boolean {
  if (method === 'subscriptions/listen') return true;
  return method !== 'tools/call' && tries < TRIES;
}

/** The answer to a request that was not carried out: a model reads results, not errors of the protocol. */
function failed({ id, message: { method, params } }: Asked, error: PwpoolError) {
  if (method === 'tools/call') return { id, result: { ...resultType(params), ...failureResult(error) } };
  const message = [`${error.code}: ${error.message}`, error.hint].filter(Boolean).join(' ');
  const code = error.code === 'INVALID_ARGUMENTS' ? INVALID_REQUEST : INTERNAL_ERROR;
  return { id, error: { code, message, data: error.toJSON() } };
}

/** From 2026-07-28 on, whose requests tell their revision, a result says what it is. */
function resultType(params: Message['params']): { resultType?: 'complete' } {
  const meta = params?.['_meta'];
  const tellsRevision =
    typeof meta === 'object' && meta !== null && 'io.modelcontextprotocol/protocolVersion' in meta;
  return tellsRevision ? { resultType: 'complete' } : {};
}

function serverLost(restores: boolean): PwpoolError {
  return new PwpoolError('INSTANCE_CRASHED', 'The shared pwpool server ended in the middle of the call.', {
    hint: restores
      ? 'Call again: sessions go on in a new server with their last cookies, storage and URL. What the call did may have happened.'
      : 'Start your sessions again with start_browser. What the call did may have happened.',
  });
}

function tooLong(line: Buffer): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `The request has ${line.length} bytes, and a message may have ${LONGEST}.`,
    { hint: 'Send less: name a file in place of its content.' },
  );
}
