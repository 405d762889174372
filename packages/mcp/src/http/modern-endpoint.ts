import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { anonymous, type Client, type Principal, type Unsubscribe } from '@pwpool/core/internal';
import type { PoolServer } from '../pool-server.js';
import { exchange } from './exchange.js';
import { KEEP_ALIVE_MS, MAX_BODY_BYTES } from './limits.js';

/** 128 bits, and how they are told from a name in front of them. */
const SECRET_BYTES = 16;
const SECRET_AT_END = /-([\w-]{22})$/;

/** Tools whose `sessionId` is one that there is not yet. */
const STARTS: readonly unknown[] = ['start_browser', 'start_session'];

/**
 * The clients of the revision of 2026-07-28, which have no connection: who calls is told by each request. With a token, sessions
 * belong to its principal. Without, a session belongs to whoever knows its name, which nobody guesses [arch-target-08].
 */
export class ModernEndpoint implements AsyncDisposable {
  readonly #handler: McpHttpHandler;
  /** Who calls, by the request as the SDK has it. */
  readonly #clients = new WeakMap<Request, Client>();
  readonly #unsubscribe: Unsubscribe;

  constructor(pool: PoolServer) {
    this.#handler = createMcpHandler(
      ({ requestInfo }) => pool.serveRequest((requestInfo && this.#clients.get(requestInfo)) ?? stranger({})),
      {
        legacy: 'reject',
        // Signs of life go over a stream alone, and without one a proxy cuts a call that takes a minute.
        responseMode: 'sse',
        keepAliveMs: KEEP_ALIVE_MS,
        maxRequestBodySize: MAX_BODY_BYTES,
      },
    );
    this.#unsubscribe = pool.pools.on('pools-changed', () => this.#handler.notify.toolsChanged());
  }

  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    { body, principal }: { body: unknown; principal: Principal | undefined },
  ): Promise<void> {
    const client = principal ? clientOf(principal) : stranger(body);
    await exchange(request, response, body, async (web, options) => {
      this.#clients.set(web, client);
      return await this.#handler.fetch(web, options);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#handler.close();
  }
}

function clientOf(principal: Principal): Client {
  return { id: principal.name, principal, connected: false };
}

/** Nobody that is known: the owner of the session that the call names, or of one that it starts. */
function stranger(body: unknown): Client {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const owner = SECRET_AT_END.exec(sessionIn(body) ?? '')?.[1] ?? secret;
  // Not the secret itself, for status shows whose a session is.
  const id = `anonymous/${createHash('sha256').update(owner).digest('hex').slice(0, 32)}`;
  return { id, principal: anonymous(id), secret, connected: false, artifactOwner: 'anonymous' };
}

function sessionIn(body: unknown): string | undefined {
  const params = member(body, 'params');
  const sessionId = member(member(params, 'arguments'), 'sessionId');
  return typeof sessionId === 'string' && !STARTS.includes(member(params, 'name')) ? sessionId : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
