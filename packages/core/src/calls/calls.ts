import type { Artifacts } from '../artifacts/artifacts.js';
import { type FitOptions, type FittedText, fitTexts } from '../artifacts/fit-texts.js';
import type { PwpoolError } from '../errors.js';
import type { BrowserPools } from '../pool/browser-pools.js';
import type { Lease } from '../pool/lease.js';
import { CallRates } from '../principals/call-rates.js';
import type { Session, SessionBrowser } from '../session/session.js';
import type { SessionManager } from '../session/session-manager.js';
import type { StartedSession, StartSessionOptions } from '../session/session-options.js';
import type { SiteLimits } from '../sites/site-limits.js';
import { SnapshotCache } from '../snapshot/snapshot-cache.js';
import { SnapshotViews } from '../snapshot/snapshot-views.js';
import { type AnsweredPage, answeredPage } from '../upstream/answers.js';
import type { BulkCall, Call, Client, TargetedCall } from './call.js';
import { answered, type BulkAnswer, type CallAnswer, failed } from './call-answer.js';
import { runCommands } from './run-commands.js';
import { admission, callOn, type Keeping, runTool, type SiteTurns, type Stages } from './run-tool.js';
import { sessionFor } from './target.js';

export interface CallsParts {
  pools: BrowserPools;
  sessions: SessionManager;
  /** The limits that navigations keep; none if left out. */
  sites?: SiteLimits | undefined;
  /** What callers page through. Default: of these calls only. */
  snapshots?: SnapshotCache | undefined;
  /** Where what is too large for answers goes; answers are as they are if left out. */
  artifacts?: Artifacts | undefined;
  /** Keeps principals to their calls a minute. Default: in these calls only. */
  rates?: CallRates | undefined;
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
  readonly #snapshots: SnapshotCache;
  readonly #rates: CallRates;

  constructor(parts: CallsParts) {
    this.#parts = parts;
    this.#rates = parts.rates ?? new CallRates(parts.pools.clock);
    this.#snapshots = parts.snapshots ?? new SnapshotCache(parts.pools.clock);
  }

  /**
   * Counts a request of a client, whatever it asks for: a bulk of calls is one.
   * @throws PwpoolError `RATE_LIMITED`
   */
  admit({ principal }: Client): void {
    this.#rates.admit(principal);
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
   * Runs several tools one after the other in the one browser that the target says; nobody's call comes between them. Where
   * the browser is lost, or the caller leaves, the last answer is that failure.
   * @throws PwpoolError when no browser was had for them, as `sessionFor`, `Session.use` and `Pool.lease`
   */
  async runAll(call: BulkCall): Promise<BulkAnswer> {
    const { sessions, pools } = this.#parts;
    const { target, signal, onWait, commands, what } = call;
    const answers: CallAnswer[] = [];
    const session = await sessionFor(call, sessions, pools.config.server);
    const pool = session ? session.config.pool : pools.pool(target?.pool, call.client.principal).name;
    // A later command may use all that an earlier one answered: `fit` comes after the last.
    const stages = this.#stagesFor(call, session);
    let begun = false;
    const work = async (browser: SessionBrowser) => {
      begun = true;
      await runCommands(browser, commands, call, stages, answers);
    };
    try {
      if (session) {
        const { result: _, ...news } = await session.use(work, { signal, onWait, what });
        return { answers, pool, session: { id: session.id, ...news } };
      }
      const lease = await this.#leaseOnce(call, what);
      try {
        await work(lease);
      } finally {
        // What is done for the next holder is none of this caller's time; the pool sees to its end.
        void lease.release();
      }
    } catch (error) {
      if (!begun) throw error;
      answers.push(failed(error, session?.pageUrl()));
    }
    return { answers, pool, ...(session ? { session: { id: session.id, notices: [] } } : {}) };
  }

  /**
   * Texts of answers that go into one answer together, each as long as the limit lets it be; all of a text that is cut is
   * an artifact.
   */
  async fit(
    texts: readonly string[],
    { client, ...options }: Omit<FitOptions, 'artifacts' | 'reader'> & { client: Client },
  ): Promise<FittedText[]> {
    const keeping = this.#keepingFor(client);
    return keeping
      ? await fitTexts(texts, { ...keeping, ...options })
      : texts.map((text) => ({ text, links: [] }));
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
    const { id, principal, secret } = client;
    const started = await sessions.start({
      ...options,
      ...(secret === undefined ? {} : unguessable(options.sessionId, secret)),
      client: id,
      principal,
      root: await client.root?.read(),
    });
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
        (browser) => runTool(browser, call, this.#stagesFor(call, session, true)),
        { signal, onWait, what: tool },
      );
      return { ...answered(result), session: { id, ...news } };
    } catch (error) {
      return { ...failed(error, session.pageUrl()), session: { id, notices: [] } };
    }
  }

  async #runOnce(call: Call): Promise<CallAnswer> {
    const stages = this.#stagesFor(call, undefined, true);
    using _admission = await admission(call, stages.sites);
    const lease = await this.#leaseOnce(call, call.tool);
    try {
      return await callOn(lease, call, stages);
    } finally {
      // What is done for the next holder is none of this caller's time; the pool sees to its end.
      void lease.release();
    }
  }

  #stagesFor({ client, target }: TargetedCall, session: Session | undefined, fitting = false): Stages {
    const holder = { id: JSON.stringify([client.id, session?.id]), hasPage: session !== undefined };
    const { toolset, answerMaxKb } = this.#parts.pools.config.server;
    return {
      sites: this.#sitesFor(session ? session.config.pool : target?.pool, client),
      // The compact tools show pages in a form of their own.
      snapshots: toolset === 'compact' ? undefined : new SnapshotViews(this.#snapshots, holder, answerMaxKb),
      keeping: this.#keepingFor(client, fitting),
    };
  }

  /** @param fitting whether the answer goes to the client as it is, and so has to have a size that it takes */
  #keepingFor({ id, artifactOwner = id, sharesDisk = false }: Client, fitting = false): Keeping | undefined {
    const { artifacts } = this.#parts;
    const reader = { client: artifactOwner, sharesDisk };
    return artifacts && { artifacts, reader, ...(fitting ? { maxTextBytes: artifacts.answerBytes } : {}) };
  }

  async #leaseOnce({ client, target, signal, onWait }: TargetedCall, what: string): Promise<Lease> {
    return await this.#parts.sessions.lease({
      pool: target?.pool,
      instance: target?.instance,
      holder: `call ${what}`,
      keep: true,
      principal: client.principal,
      root: await client.root?.read(),
      signal,
      onWait,
    });
  }

  /** A turn is waited for as long as a lease of the pool. */
  #sitesFor(pool: string | undefined, { principal }: Client): SiteTurns | undefined {
    const { sites, pools } = this.#parts;
    return sites && { limits: sites, timeoutMs: pools.pool(pool, principal).config.settings.leaseTimeout };
  }
}

/** The name of a session that its secret is a part of, and what others see of it. A secret of an earlier one is replaced. */
function unguessable(wanted = 'browser', secret: string): { sessionId: string; label: string } {
  const label = wanted.replace(new RegExp(`-[\\w-]{${secret.length}}$`), '');
  return { sessionId: `${label}-${secret}`, label };
}
