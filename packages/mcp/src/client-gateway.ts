import {
  type BrowserPools,
  type CallOptions,
  type PlaywrightToolset,
  PwpoolError,
  type Session,
  type SessionAnswer,
  type SessionManager,
  type SiteLimits,
  type StartedSession,
  type ToolArguments,
  type ToolResult,
} from '@pwpool/core';
import { type AnsweredPage, answeredPage, failureOf } from '@pwpool/core/internal';
import type { ClientRoot } from './client-root.js';
import { errorResult, sessionResult, withIgnored, withSession } from './result.js';
import { SiteTurns } from './site-turns.js';
import { checkAgreement, splitTarget, type Target } from './target.js';
import { reportWait, type SendProgress } from './wait-progress.js';

/** What all clients of one server share. */
export interface GatewayParts {
  pools: BrowserPools;
  sessions: SessionManager;
  toolset: PlaywrightToolset;
  /** The limits that navigations keep; none if left out. */
  sites?: SiteLimits | undefined;
}

/** What comes with one call beside its arguments. */
export interface Call {
  signal: AbortSignal;
  /** Present when the client asked for progress. */
  sendProgress?: SendProgress | undefined;
}

export interface StartSessionInput extends Target {
  headless?: boolean | undefined;
  navigationUrl?: string | undefined;
  restore?: string | undefined;
  from?: string | undefined;
}

/** What came of opening a session's first page. */
export type FirstPage = { page: AnsweredPage } | { error: PwpoolError };

/** Takes one client's calls to the browser each is meant for. */
export class ClientGateway {
  readonly client: string;
  readonly pools: BrowserPools;
  readonly sessions: SessionManager;
  readonly #toolset: PlaywrightToolset;
  readonly #sites: SiteTurns;
  readonly #root: Pick<ClientRoot, 'read'> | undefined;
  /** The client has been told what no restored state brings back. */
  #knowsRestoring = false;
  /** The client's own session (`AFFINITY=client`). Calls that need it at once share it, one behind the other. */
  #own: Promise<Session> | undefined;

  /** @param root where the client works; the working directory if left out */
  constructor(client: string, parts: GatewayParts, root?: Pick<ClientRoot, 'read'>) {
    this.client = client;
    this.pools = parts.pools;
    this.sessions = parts.sessions;
    this.#toolset = parts.toolset;
    this.#root = root;
    this.#sites = new SiteTurns(parts.sites, parts.pools);
  }

  /** Runs one browser tool on the browser that its arguments name. */
  async callBrowserTool(name: string, allArgs: ToolArguments, call: Call): Promise<ToolResult> {
    const { target, args: given } = splitTarget(allArgs);
    const { args, ignored } = this.#toolset.check(name, given);
    return withIgnored(await this.#callTarget(name, args, target, call), name, ignored);
  }

  async #callTarget(name: string, args: ToolArguments, target: Target, call: Call): Promise<ToolResult> {
    const options = this.#options(call);
    const session = await this.#sessionFor(target, options);
    if (!session) return await this.#callOnce(name, args, target, options);
    const named = target.sessionId !== undefined;
    try {
      const answer = await this.#callSession(session, name, args, options);
      const known = this.#knowsRestoring;
      this.#knowsRestoring ||= answer.restored !== undefined;
      return sessionResult(answer, session, named, known);
    } catch (error) {
      return withSession(errorResult(error, session.pageUrl()), session, named);
    }
  }

  /** Starts a session and, when asked to, opens its first page. The session is kept when its page fails. */
  async startSession(input: StartSessionInput, call: Call): Promise<StartedSession & { opened?: FirstPage }> {
    const options = this.#options(call);
    const started = await this.sessions.start({
      client: this.client,
      sessionId: input.sessionId,
      pool: input.browser_pool,
      instance: input.browser_instance,
      headless: input.headless,
      restore: input.restore,
      from: input.from,
      root: await this.#root?.read(),
      ...options,
    });
    if (input.navigationUrl === undefined) return started;
    return { ...started, opened: await this.#open(started.session, input.navigationUrl, options) };
  }

  async #open(session: Session, url: string, options: CallOptions): Promise<FirstPage> {
    const args = { url };
    try {
      const { result } = await this.#callSession(session, 'browser_navigate', args, options);
      const failure = failureOf(result);
      if (!failure) return { page: answeredPage(result) ?? { url, title: '' } };
      throw new PwpoolError(failure.code, failure.message, { hint: failure.hint });
    } catch (error) {
      // Nobody hears of a session that was started for a call without an answer.
      if (options.signal?.aborted) await this.sessions.close(this.client, session.id).catch(() => {});
      if (!(error instanceof PwpoolError) || !session.isOpen) throw error;
      return { error };
    }
  }

  /** The session that a call is for; `undefined` when it takes a lease of its own. */
  async #sessionFor(target: Target, options: CallOptions): Promise<Session | undefined> {
    if (target.sessionId !== undefined) {
      const session = this.sessions.get(this.client, target.sessionId);
      checkAgreement(session, target);
      return session;
    }
    if (target.browser_pool !== undefined || target.browser_instance !== undefined) return undefined;
    const current = this.sessions.current(this.client);
    if (current || this.pools.config.server.affinity === 'call') return current;
    return await this.#ownSession(options);
  }

  /** The client's own session: back to it when the one that was current is closed, else a new one. */
  async #ownSession(options: CallOptions): Promise<Session> {
    const last = this.#own;
    const next = async () => {
      const own = await last?.catch(() => undefined);
      if (own?.isOpen) {
        this.sessions.goBackTo(own);
        return own;
      }
      const root = await this.#root?.read();
      return (await this.sessions.start({ client: this.client, root, ...options })).session;
    };
    this.#own = next();
    return await this.#own;
  }

  async #callSession(
    session: Session,
    tool: string,
    args: ToolArguments,
    options: CallOptions,
  ): Promise<SessionAnswer> {
    const call = { tool, args, pool: session.config.pool, signal: options.signal };
    return await session.callTool(tool, args, {
      ...options,
      turn: (lease) => this.#sites.enter(call, lease),
    });
  }

  async #callOnce(
    name: string,
    args: ToolArguments,
    target: Target,
    options: CallOptions,
  ): Promise<ToolResult> {
    const call = { tool: name, args, pool: target.browser_pool, signal: options.signal };
    using _admission = await this.#sites.admit(call);
    const lease = await this.sessions.lease({
      pool: target.browser_pool,
      instance: target.browser_instance,
      holder: `call ${name}`,
      keep: true,
      root: await this.#root?.read(),
      ...options,
    });
    try {
      using _visit = await this.#sites.enter(call, lease);
      return await lease.callTool(name, args, options.signal ? { signal: options.signal } : {});
    } catch (error) {
      return errorResult(error, lease.pageUrl());
    } finally {
      // What is done for the next holder is none of this caller's time; the pool sees to its end.
      void lease.release();
    }
  }

  #options({ signal, sendProgress }: Call): CallOptions {
    return {
      signal,
      ...(sendProgress ? { onWait: (wait) => reportWait(wait, this.pools.clock, sendProgress) } : {}),
    };
  }
}
