import type { PwpoolError } from '../errors.js';
import type { BrowserPools } from '../pool/browser-pools.js';
import type { Session } from '../session/session.js';
import type { SessionManager, StartedSession, StartSessionOptions } from '../session/session-manager.js';
import type { SiteLimits } from '../sites/site-limits.js';
import { type AnsweredPage, answeredPage } from '../upstream/answers.js';
import type { Call, Client } from './call.js';
import { answered, type CallAnswer, failed } from './call-answer.js';
import { admission, callOn, runTool, type SiteTurns } from './run-tool.js';
import { sessionFor } from './target.js';

export interface CallsParts {
  pools: BrowserPools;
  sessions: SessionManager;
  /** The limits that navigations keep; none if left out. */
  sites?: SiteLimits | undefined;
}

export interface StartCall extends Omit<StartSessionOptions, 'client' | 'root'> {
  client: Client;
  /** The page to open first. */
  url?: string | undefined;
}

/** What came of opening a session's first page. */
export type FirstPage = { page: AnsweredPage } | { error: PwpoolError };

/**
 * The one path of a call of a browser tool, whoever makes it: its target, a session or a one-shot lease, the turn at the
 * site that it opens, the tool, and the answer.
 */
export class Calls {
  readonly #parts: CallsParts;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** Runs one tool in the browser that its target says (`sessionFor`). Never rejects: every failure is an answer. */
  async run(call: Call): Promise<CallAnswer> {
    const { sessions, pools } = this.#parts;
    try {
      const session = await sessionFor(call, sessions, pools.config.server);
      return session ? await this.#runIn(session, call) : await this.#runOnce(call);
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Starts a session and, when asked to, opens its first page. The session is kept when its page fails, unless the caller
   * has left.
   * @throws PwpoolError as `SessionManager.start`
   */
  async startSession({
    url,
    client,
    ...options
  }: StartCall): Promise<StartedSession & { opened?: FirstPage }> {
    const { sessions } = this.#parts;
    const started = await sessions.start({ ...options, client: client.id, root: await client.root?.read() });
    if (url === undefined) return started;
    const { signal, onWait } = options;
    const call = { client, tool: 'browser_navigate', args: { url }, signal, onWait };
    return { ...started, opened: await this.#open(started.session, url, call) };
  }

  async #open(session: Session, url: string, call: Call): Promise<FirstPage> {
    const answer = await this.#runIn(session, call);
    if (answer.success) return { page: answeredPage(answer.result) ?? { url, title: '' } };
    // Nobody hears of a session that was started for a call without an answer.
    if (call.signal?.aborted) await this.#parts.sessions.close(session.client, session.id).catch(() => {});
    if (!session.isOpen) throw answer.error;
    return { error: answer.error };
  }

  async #runIn(session: Session, call: Call): Promise<CallAnswer> {
    const { signal, onWait, tool } = call;
    const { id } = session;
    try {
      const { result, ...news } = await session.use(
        (browser) => runTool(browser, call, this.#sitesFor(session.config.pool)),
        { signal, onWait, what: tool },
      );
      return { ...answered(result), session: { id, ...news } };
    } catch (error) {
      return { ...failed(error, session.pageUrl()), session: { id, notices: [] } };
    }
  }

  async #runOnce(call: Call): Promise<CallAnswer> {
    const { client, tool, target, signal, onWait } = call;
    const sites = this.#sitesFor(target?.pool);
    using _admission = await admission(call, sites);
    const lease = await this.#parts.sessions.lease({
      pool: target?.pool,
      instance: target?.instance,
      holder: `call ${tool}`,
      keep: true,
      root: await client.root?.read(),
      signal,
      onWait,
    });
    try {
      return await callOn(lease, call, sites);
    } finally {
      // What is done for the next holder is none of this caller's time; the pool sees to its end.
      void lease.release();
    }
  }

  /** A turn is waited for as long as a lease of the pool. */
  #sitesFor(pool: string | undefined): SiteTurns | undefined {
    const { sites, pools } = this.#parts;
    return sites && { limits: sites, timeoutMs: pools.pool(pool).config.settings.leaseTimeout };
  }
}
