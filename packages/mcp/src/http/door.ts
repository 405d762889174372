import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { asPwpoolError, controlHandler, type Principal } from '@pwpool/core/internal';
import { shuttingDown } from '../in-flight.js';
import type { PoolServer } from '../pool-server.js';
import { Connections } from './connections.js';
import { isOld } from './exchange.js';
import { MAX_BODY_BYTES } from './limits.js';
import { ModernEndpoint } from './modern-endpoint.js';
import { Names } from './names.js';
import { PARSE_ERROR, refuse, replyJson } from './replies.js';
import { type Body, readBody } from './request-body.js';

/** Where MCP is spoken. */
export const MCP_PATH = '/mcp';

/** Where an administrator operates the server. */
const ADMIN = '/admin';

/**
 * What every request passes, in this order: is the server called by a name of its own, is there such a path, does the caller
 * have a token, is the body one that can be taken. What goes on behind it is MCP, of the era that the request is of.
 */
export class Door implements AsyncDisposable {
  readonly #pool: PoolServer;
  readonly #log: (line: string) => void;
  readonly #names: Names;
  readonly #administer: ReturnType<typeof controlHandler>;
  readonly #connections: Connections;
  readonly #modern: ModernEndpoint;
  /** When to come again, in seconds, once the server is ending. */
  #retryAfter: string | undefined;

  /** @param log where a person reads what went wrong here */
  constructor(pool: PoolServer, log: (line: string) => void) {
    const { httpHost, httpAllowedHosts } = pool.pools.config.server;
    this.#pool = pool;
    this.#log = log;
    this.#names = new Names(httpHost, httpAllowedHosts);
    this.#administer = controlHandler(pool.control);
    this.#connections = new Connections(pool);
    this.#modern = new ModernEndpoint(pool);
  }

  /** Answers a request, whatever it is. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#handle(request, response).catch((error: unknown) => {
      // The client left before it had sent all of its request.
      if (request.destroyed && !request.complete) return;
      this.#log(`A request could not be answered: ${asPwpoolError(error).message}`);
      refuse(response, 500, 'The request could not be answered.');
    });
  };

  /** Lets nobody new in; those who are there go on, and are refused new calls by the pool. */
  close(): void {
    const { shutdownGrace } = this.#pool.pools.config.server;
    this.#retryAfter = String(Math.max(1, Math.ceil(shutdownGrace / 1000)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
    await this.#modern[Symbol.asyncDispose]();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, origin } = request.headers;
    if (!this.#names.allowHost(host)) return refuse(response, 403, foreign('Host', host));
    if (!this.#names.allowOrigin(origin)) return refuse(response, 403, foreign('Origin', origin));
    const path = request.url?.split('?', 1)[0];
    if (path === '/healthz') return replyJson(response, 200, { status: 'ok' });
    if (path === '/readyz') return this.#tellReadiness(response);
    const isAdmin = path?.startsWith(`${ADMIN}/`) === true && this.#pool.principals !== undefined;
    // Also /.well-known/oauth-…: clients that find something there drop the token they were configured with.
    if (path !== MCP_PATH && !isAdmin)
      return refuse(response, 404, `There is nothing here. MCP is spoken at ${MCP_PATH}.`);
    const caller = this.#callerOf(request);
    if (caller === 'unknown') {
      // Without resource_metadata, which would send clients looking for an OAuth server.
      const headers = { 'www-authenticate': 'Bearer' };
      return refuse(response, 401, 'The request bears no valid token.', { headers });
    }
    if (!isAdmin) return await this.#serveMcp(request, response, caller.principal);
    if (!caller.principal?.admin) {
      return refuse(
        response,
        403,
        'Only an administrator\'s token may: "pwpool token add NAME --admin" makes one.',
      );
    }
    await this.#administer(path?.slice(ADMIN.length) ?? '/', request, response);
  }

  #tellReadiness(response: ServerResponse): void {
    const pools = this.#pool.pools.status().pools.map(({ name, available_instances, healthy_instances }) => ({
      pool: name,
      // Those that run, and those that would start for a caller.
      ready: available_instances > 0 || healthy_instances > 0,
    }));
    const ready = this.#retryAfter === undefined && pools.every((pool) => pool.ready);
    replyJson(response, ready ? 200 : 503, { ready, pools });
  }

  #callerOf({ headers }: IncomingMessage): { principal: Principal | undefined } | 'unknown' {
    const { principals } = this.#pool;
    if (!principals) return { principal: undefined };
    const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
    const principal = token === undefined ? undefined : principals.authenticate(token);
    return principal ? { principal } : 'unknown';
  }

  async #serveMcp(
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal | undefined,
  ): Promise<void> {
    const { method = '', headers } = request;
    if (!['POST', 'GET', 'DELETE'].includes(method)) {
      return refuse(response, 405, `${method} is not allowed here.`, {
        headers: { allow: 'POST, GET, DELETE' },
      });
    }
    if (method === 'POST' && !isJsonContentType(headers['content-type'] ?? null)) {
      return refuse(response, 415, 'The Content-Type of a message is application/json.');
    }
    const body = method === 'POST' ? await readBody(request, MAX_BODY_BYTES) : undefined;
    if (typeof body === 'string') return refuseBody(response, body);
    const json = body?.json;
    if (method === 'POST' && json === undefined) return refuseBody(response, 'no json');
    const old = await isOld(request, json);
    if (old && this.#retryAfter !== undefined && headers['mcp-session-id'] === undefined) {
      const { code, message } = shuttingDown(Number(this.#retryAfter) * 1000);
      return refuse(response, 503, `${code}: ${message}`, { headers: { 'retry-after': this.#retryAfter } });
    }
    const endpoint = old ? this.#connections : this.#modern;
    await endpoint.serve(request, response, { body: json, principal });
  }
}

function refuseBody(response: ServerResponse, body: Exclude<Body, object | undefined>): void {
  if (body === 'too large') refuse(response, 413, `A message has at most ${MAX_BODY_BYTES} bytes.`);
  else refuse(response, 400, 'The body of the request is not JSON.', { code: PARSE_ERROR });
}

function foreign(header: string, value: string | undefined): string {
  return (
    `${header}: ${value ?? '(none)'} is not a name of this server. ` +
    'Whoever runs it can add one to PW_MCP_PROXY_HTTP_ALLOWED_HOSTS.'
  );
}
