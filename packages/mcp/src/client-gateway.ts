import {
  type BrowserPools,
  failureCode,
  failureMessage,
  type PlaywrightToolset,
  PwpoolError,
  type Session,
  type SessionManager,
  type ToolArguments,
  type ToolResult,
} from '@pwpool/core';
import { failedResult, withSession } from './result.js';
import { checkAgreement, splitTarget, type Target } from './target.js';

/** What all clients of one server share. */
export interface GatewayParts {
  pools: BrowserPools;
  sessions: SessionManager;
  toolset: PlaywrightToolset;
}

export interface StartSessionInput extends Target {
  navigationUrl?: string | undefined;
}

/** Takes one client's calls to the browser each is meant for. */
export class ClientGateway {
  readonly client: string;
  readonly pools: BrowserPools;
  readonly sessions: SessionManager;
  readonly #toolset: PlaywrightToolset;
  /** The start of the client's own session, shared by the calls that need it at once. */
  #ownSession: Promise<Session> | undefined;

  constructor(client: string, parts: GatewayParts) {
    this.client = client;
    this.pools = parts.pools;
    this.sessions = parts.sessions;
    this.#toolset = parts.toolset;
  }

  /** Runs one browser tool on the browser that its arguments name. */
  async callBrowserTool(name: string, allArgs: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    const { target, args } = splitTarget(allArgs);
    this.#toolset.check(name, args);
    const session = await this.#sessionFor(target, signal);
    if (!session) return await this.#callOnce(name, args, target, signal);
    const result = await session.callTool(name, args, { signal });
    const answer = result.isError ? failedResult(name, result, session.lease) : result;
    return target.sessionId === undefined ? withSession(answer, session) : answer;
  }

  /** Starts a session and, when asked to, opens its first page; a session whose page fails is not kept. */
  async startSession(input: StartSessionInput, signal: AbortSignal): Promise<Session> {
    const session = await this.sessions.start({
      client: this.client,
      sessionId: input.sessionId,
      pool: input.browser_pool,
      instance: input.browser_instance,
      signal,
    });
    if (input.navigationUrl === undefined) return session;
    try {
      const result = await session.callTool('browser_navigate', { url: input.navigationUrl }, { signal });
      if (result.isError)
        throw new PwpoolError(failureCode('browser_navigate', result), failureMessage(result));
    } catch (error) {
      await this.sessions.close(this.client, session.id);
      throw error;
    }
    return session;
  }

  /** The session that a call is for; `undefined` when it takes a lease of its own. */
  async #sessionFor(target: Target, signal: AbortSignal): Promise<Session | undefined> {
    if (target.sessionId !== undefined) {
      const session = this.sessions.get(this.client, target.sessionId);
      checkAgreement(session, target);
      return session;
    }
    if (target.browser_pool !== undefined || target.browser_instance !== undefined) return undefined;
    const current = this.sessions.current(this.client);
    if (current || this.pools.config.server.affinity === 'call') return current;
    this.#ownSession ??= this.sessions.start({ client: this.client, signal }).finally(() => {
      this.#ownSession = undefined;
    });
    return await this.#ownSession;
  }

  async #callOnce(
    name: string,
    args: ToolArguments,
    target: Target,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const lease = await this.pools.lease({
      pool: target.browser_pool,
      instance: target.browser_instance,
      signal,
      holder: `call ${name}`,
    });
    try {
      const result = await lease.callTool(name, args, { signal });
      return result.isError ? failedResult(name, result, lease) : result;
    } finally {
      await lease.release();
    }
  }
}
