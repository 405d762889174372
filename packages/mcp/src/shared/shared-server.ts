import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { StdioServerTransport, serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio';
import { type Clock, PwpoolError } from '@pwpool/core';
import type { CancelTimer, Principal, SharingWindow } from '@pwpool/core/internal';
import { errnoOf, reasonOf, removeFile } from '@pwpool/core/light';
import type { PoolServer } from '../pool-server.js';
import { type Greeting, isLeave, readGreeting, welcomeLine } from './handshake.js';
import { isListening } from './is-listening.js';
import { Lines } from './lines.js';

/** Milliseconds that the first end has to come, and each to say who it is. */
const GREETING_MS = 15_000;

export interface SharedServerOptions {
  server: PoolServer;
  socketPath: string;
  log: (line: string) => void;
}

/** One end: while it is away, its sessions wait for it. */
interface Known {
  readonly greeting: Greeting;
  socket: Socket | undefined;
  /** When it came, or went away. */
  since: number;
  cancelGrace: CancelTimer;
}

/**
 * The shared server's side of its socket: each connection is that of one window's end and is served as over stdio. An end
 * that says that it leaves takes its sessions along; one whose connection breaks has `SESSION_GRACE` to come back.
 */
export class SharedServer implements AsyncDisposable {
  readonly #pools: PoolServer;
  readonly #clock: Clock;
  readonly #log: (line: string) => void;
  #listener: Server;
  #socketPath: string;
  readonly #sockets = new Set<Socket>();
  readonly #ends = new Map<string, Known>();
  #cancelLinger: CancelTimer = () => {};
  #onDeserted: () => void = () => {};
  /** Resolves when there has been no end for `SHARED_LINGER`. */
  readonly deserted = new Promise<void>((resolve) => {
    this.#onDeserted = resolve;
  });

  private constructor({ server, log, socketPath }: SharedServerOptions) {
    this.#pools = server;
    this.#clock = server.pools.clock;
    this.#log = log;
    this.#socketPath = socketPath;
    this.#listener = this.#newListener();
  }

  /** @throws PwpoolError `BROWSER_NOT_READY` when the socket cannot be opened, or another server listens there */
  static async listen(options: SharedServerOptions): Promise<SharedServer> {
    const shared = new SharedServer(options);
    await open(shared.#listener, options.socketPath);
    shared.#cancelLinger = shared.#clock.after(Math.max(GREETING_MS, shared.#lingerMs), shared.#onDeserted);
    return shared;
  }

  /**
   * Is found there from now on, and nowhere else; those who are connected stay.
   * @throws PwpoolError as `listen`: then it stays where it is
   */
  async moveTo(socketPath: string): Promise<void> {
    if (socketPath === this.#socketPath || !this.#listener.listening) return;
    const listener = this.#newListener();
    await open(listener, socketPath);
    this.#listener.close();
    [this.#listener, this.#socketPath] = [listener, socketPath];
  }

  /** Those that are there, and those that may come back. */
  windows(): SharingWindow[] {
    return [...this.#ends.values()].map(({ greeting: { name, pid, cwd }, socket, since }) => ({
      client: name,
      process_id: pid,
      cwd,
      connected: socket !== undefined,
      since: new Date(since).toISOString(),
    }));
  }

  /** Takes no new ends: who looks for a server from now on starts another one. */
  close(): void {
    this.#cancelLinger();
    this.#listener.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    for (const { cancelGrace } of this.#ends.values()) cancelGrace();
    this.#ends.clear();
    for (const socket of this.#sockets) socket.destroy();
  }

  get #lingerMs(): number {
    return this.#pools.pools.config.server.sharedLinger;
  }

  #newListener(): Server {
    const listener = createServer((socket) => this.#accept(socket));
    // What fails later, such as an accept without free descriptors, must not end the process.
    listener.on('error', ({ message }) => {
      if (listener.listening) this.#log(`Shared socket: ${message}`);
    });
    return listener;
  }

  #accept(socket: Socket): void {
    this.#cancelLinger();
    this.#sockets.add(socket);
    const cancelDeadline = this.#clock.after(GREETING_MS, () => socket.destroy());
    const lines = new Lines();
    let take = (line: Buffer) => {
      cancelDeadline();
      // Who has not been welcomed is not listened to.
      take = () => {};
      const greeting = readGreeting(line);
      if (!greeting) {
        socket.destroy();
        return;
      }
      void this.#enter(socket, greeting).then((taker) => {
        take = taker;
      });
    };
    socket.on('data', (piece: Buffer) => {
      for (const line of lines.push(piece)) take(line);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      cancelDeadline();
      this.#sockets.delete(socket);
      this.#lingerIfAlone();
    });
  }

  /** @returns what takes the lines of the end from now on */
  async #enter(socket: Socket, greeting: Greeting): Promise<(line: Buffer) => void> {
    const { name } = greeting;
    const before = this.#ends.get(name);
    before?.cancelGrace();
    before?.socket?.destroy();
    this.#ends.set(name, { greeting, socket, since: this.#clock.now(), cancelGrace: () => {} });
    // In a server that was killed it may have had sessions.
    if (!before) await this.#pools.sessions.resume(name, principalOf(name));
    return this.#serve(socket, greeting);
  }

  #serve(socket: Socket, { name, cwd }: Greeting): (line: Buffer) => void {
    const input = new PassThrough();
    const onerror = (error: Error) => this.#log(`MCP: ${error.message}`);
    // The end takes no message that is too long.
    const transport = new StdioServerTransport(input, socket, { maxBufferSize: Number.MAX_SAFE_INTEGER });
    const connection = serveTransport(
      ({ era }) => {
        // It runs on this machine, as the same user.
        const principal = principalOf(name);
        const client = { id: name, principal, sharesDisk: true, directory: cwd };
        const mcp = this.#pools.serve(client, era);
        mcp.onerror = onerror;
        return mcp;
      },
      { transport, onerror },
    );
    let hasLeft = false;
    const onClose = () => {
      void connection.close();
      if (!hasLeft) this.#keepFor(name, socket);
    };
    if (socket.destroyed) onClose();
    else socket.once('close', onClose);
    socket.write(welcomeLine());
    return (line) => {
      if (isLeave(line)) {
        hasLeft = true;
        void connection.close();
        void this.#forget(name).finally(() => socket.end());
        return;
      }
      if (input.write(line)) return;
      socket.pause();
      input.once('drain', () => socket.resume());
    };
  }

  /** Its connection broke: it may come back by another. */
  #keepFor(name: string, socket: Socket): void {
    const known = this.#ends.get(name);
    if (known?.socket !== socket) return;
    known.socket = undefined;
    known.since = this.#clock.now();
    const { sessionGrace } = this.#pools.pools.config.server;
    known.cancelGrace = this.#clock.after(sessionGrace, () => void this.#forget(name));
  }

  async #forget(name: string): Promise<void> {
    this.#ends.delete(name);
    await this.#pools.sessions.closeClient(name);
    this.#lingerIfAlone();
  }

  #lingerIfAlone(): void {
    if (this.#ends.size > 0 || this.#sockets.size > 0 || !this.#listener.listening) return;
    this.#cancelLinger();
    this.#cancelLinger = this.#clock.after(this.#lingerMs, this.#onDeserted);
  }
}

async function open(listener: Server, socketPath: string): Promise<void> {
  try {
    await listen(listener, socketPath);
    if (process.platform !== 'win32') await chmod(socketPath, 0o600);
  } catch (error) {
    listener.close();
    throw new PwpoolError('BROWSER_NOT_READY', `The shared server cannot listen: ${reasonOf(error)}.`, {
      hint: 'Set PWPOOL_RUNTIME_DIR to a directory on a local file system that supports sockets.',
      cause: error,
    });
  }
}

/** Also where a server that was killed has left its socket. */
async function listen(listener: Server, path: string): Promise<void> {
  try {
    await tryToListen(listener, path);
  } catch (error) {
    if (errnoOf(error) !== 'EADDRINUSE' || (await isListening(path))) throw error;
    await removeFile(path);
    await tryToListen(listener, path);
  }
}

async function tryToListen(listener: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(path, () => {
      listener.off('error', reject);
      resolve();
    });
  });
}

/** Each end is a principal of its own, of the user whose server it is. */
function principalOf(name: string): Principal {
  return { name, pools: 'all', limits: {} };
}
