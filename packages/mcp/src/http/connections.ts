import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { anonymous, type CancelTimer, type Principal } from '@pwpool/core/internal';
import type { PoolServer } from '../pool-server.js';
import { EventLog } from './event-log.js';
import { exchange } from './exchange.js';
import { KEEP_ALIVE_MS, MAX_BODY_BYTES, MAX_CLIENTS, MAX_KEPT_BYTES } from './limits.js';
import { refuse, SESSION_NOT_FOUND } from './replies.js';

/** A client of the revisions of 2025: from `initialize` on it is known by its `Mcp-Session-Id`. */
interface Connection {
  /** What its sessions belong to. Not its `Mcp-Session-Id`, which whoever has it may use. */
  readonly clientId: string;
  readonly principal: Principal | undefined;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  /** Requests and streams that are open. */
  open: number;
  /** It has had a stream to listen on: when that breaks, so may have the client. */
  hasListened: boolean;
  cancelTimer: CancelTimer;
}

/**
 * The clients of the revisions of 2025 [arch-session-04]:
 *
 * | the client                                     | its sessions and its `Mcp-Session-Id`                          |
 * | ---------------------------------------------- | -------------------------------------------------------------- |
 * | has a request or a stream open                 | stay; a session ends by `SESSION_IDLE_TIMEOUT`                 |
 * | had a stream to listen on, which was cut       | end after `SESSION_GRACE`, unless it comes back                |
 * | never listened, and is silent                  | end after `SESSION_IDLE_TIMEOUT`: nothing tells that it left   |
 * | says DELETE                                    | end at once                                                    |
 */
export class Connections implements AsyncDisposable {
  readonly #pool: PoolServer;
  /** By `Mcp-Session-Id`; who was silent for the longest time comes first. */
  readonly #connections = new Map<string, Connection>();

  constructor(pool: PoolServer) {
    this.#pool = pool;
  }

  /** Serves one request of the old revisions, whose body, if it has one, was read and parsed. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    { body, principal }: { body: unknown; principal: Principal | undefined },
  ): Promise<void> {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') {
      if (isInitializeRequest(body)) return await this.#open(request, response, body, principal);
      return refuse(response, 400, 'The request has no Mcp-Session-Id and is not initialize.');
    }
    const connection = this.#connections.get(id);
    if (!connection || connection.principal !== principal) {
      return refuse(response, 404, 'There is no such Mcp-Session-Id any more: initialize again.', {
        code: SESSION_NOT_FOUND,
      });
    }
    this.#hold(id, connection, response);
    if (request.method === 'GET') {
      connection.hasListened = true;
      // The client has lost it and come back before that was noticed here; the SDK would refuse a second one.
      if (!('last-event-id' in request.headers)) connection.transport.closeStandaloneSSEStream();
    }
    await this.#forward(connection, request, response, body);
  }

  async #open(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    principal: Principal | undefined,
  ): Promise<void> {
    if (!(await this.#makeRoom())) {
      return refuse(response, 503, `There are ${MAX_CLIENTS} clients at work, and no more are let in.`, {
        headers: { 'retry-after': '60' },
      });
    }
    const id = randomBytes(16).toString('hex');
    const connection = await this.#connect(id, principal);
    this.#connections.set(id, connection);
    this.#hold(id, connection, response);
    try {
      await this.#forward(connection, request, response, body);
    } finally {
      // The SDK has refused it.
      if (connection.transport.sessionId === undefined) await this.#end(id, connection);
    }
  }

  /** Apart from the request that asks for it, which would otherwise be kept for as long as the connection. */
  async #connect(id: string, principal: Principal | undefined): Promise<Connection> {
    const clientId = `${principal?.name ?? 'local'}/${randomBytes(6).toString('hex')}`;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#end(id, connection),
      eventStore: new EventLog(MAX_KEPT_BYTES),
      keepAliveMs: KEEP_ALIVE_MS,
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    const server = this.#pool.serve({ id: clientId, principal: principal ?? anonymous(clientId) }, 'legacy');
    const connection: Connection = {
      clientId,
      principal,
      transport,
      server,
      open: 0,
      hasListened: false,
      cancelTimer: () => {},
    };
    await server.connect(transport);
    return connection;
  }

  async #forward(
    { transport }: Connection,
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
  ): Promise<void> {
    await exchange(request, response, body, (web, options) => transport.handleRequest(web, options));
  }

  /** The client is there as long as the response is open. */
  #hold(id: string, connection: Connection, response: ServerResponse): void {
    connection.open += 1;
    connection.cancelTimer();
    response.once('close', () => {
      connection.open -= 1;
      if (connection.open > 0 || this.#connections.get(id) !== connection) return;
      this.#connections.delete(id);
      this.#connections.set(id, connection);
      const { clock, config } = this.#pool.pools;
      const { sessionGrace, sessionIdleTimeout } = config.server;
      const leftMs = connection.hasListened ? sessionGrace : Math.max(sessionGrace, sessionIdleTimeout);
      connection.cancelTimer = clock.after(leftMs, () => void this.#end(id, connection));
    });
  }

  /** Lets those leave who are silent and have nothing to lose, where there are too many. */
  async #makeRoom(): Promise<boolean> {
    if (this.#connections.size < MAX_CLIENTS) return true;
    for (const [id, connection] of this.#connections) {
      if (connection.open > 0 || this.#pool.sessions.list(connection.clientId).sessions.length > 0) continue;
      await this.#end(id, connection);
      return true;
    }
    return false;
  }

  async #end(id: string, connection: Connection): Promise<void> {
    if (!this.#connections.delete(id)) return;
    connection.cancelTimer();
    await connection.server.close();
    await this.#pool.sessions.closeClient(connection.clientId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#connections].map(([id, connection]) => this.#end(id, connection)));
  }
}
