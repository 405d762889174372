import { KEYS } from '../config/keys.js';
import type { BrowserPools } from '../pool/browser-pools.js';
import type { Lease } from '../pool/lease.js';
import { ClientSessions } from './client-sessions.js';
import { chooseInstance } from './instance-choice.js';
import { Parking } from './parking.js';
import { type CallOptions, Session } from './session.js';
import { sessionClosed, sessionLimit } from './session-errors.js';
import type { SessionInfo } from './session-report.js';
import type { BrowserState } from './state/browser-state.js';
import type { RestoredState } from './state/restore-state.js';
import { StateStore } from './state/state-store.js';
import { checkSources, type StatefulLeaseOptions, StatefulLeases } from './stateful-leases.js';

/** What a session is to be, and how long its start may be waited for [003-start-01, 003-start-03]. */
export interface StartSessionOptions extends CallOptions {
  /** The client that the session will belong to. */
  client: string;
  /** Default: `browser-1`, `browser-2`, … */
  sessionId?: string | undefined;
  /** What file names are resolved against, and where uploads come from. Default: the working directory. */
  root?: string | undefined;
  pool?: string | undefined;
  instance?: string | undefined;
  /** With or without a window; an instance that is configured otherwise is relaunched for the session. */
  headless?: boolean | undefined;
  /** Name of a state that `close` saved. */
  restore?: string | undefined;
  /** Another session of the client, whose cookies, storage and URL are copied. */
  from?: string | undefined;
}

/** A session that has its browser, and what its client is to be told. */
export interface StartedSession {
  session: Session;
  /** What came of `restore` or `from`. */
  restored?: RestoredState;
  /** What its client is to know of it, in sentences. */
  notices: readonly string[];
  /** Present from `SESSION_WARN_AT` sessions of the client on. */
  warning?: string;
}

/** How a session ends [003-close-01]. */
export interface CloseSessionOptions {
  /** Leave the browser as it is and free the lease without a reset. */
  detach?: boolean | undefined;
  /** Save cookies and storage under this name first. A session whose state cannot be saved stays open. */
  save?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** What closing a session came to. */
export interface ClosedSession {
  /** What the saved state lacks, in sentences; empty when it has everything, and when nothing was saved. */
  incomplete: readonly string[];
}

/**
 * All sessions of one server. A session belongs to the client that started it: another client neither sees nor uses it,
 * and may even give the same name to one of its own [arch-target-06].
 */
export class SessionManager implements AsyncDisposable {
  readonly #pools: BrowserPools;
  readonly #states: StateStore;
  readonly #clients = new Map<string, ClientSessions>();
  readonly #leases: StatefulLeases;

  constructor(pools: BrowserPools) {
    const { stateDir, stateKey, sessionPreempt } = pools.config.server;
    this.#pools = pools;
    this.#states = new StateStore({
      directory: stateDir ?? KEYS.STATE_DIR.defaultIn.path(),
      passphrase: stateKey,
    });
    const parking = new Parking({
      clock: pools.clock,
      idleMs: sessionPreempt,
      sessions: () => this.#every(),
    });
    this.#leases = new StatefulLeases(pools, this.#states, parking);
  }

  /**
   * Starts a session: leases an instance for it and keeps it. One whose state cannot be brought in is not kept.
   * @throws PwpoolError `SESSION_EXISTS`, `SESSION_LIMIT`, `SESSION_NOT_FOUND` (`from`, `restore`), else as `Pool.lease`
   */
  async start(options: StartSessionOptions): Promise<StartedSession> {
    const sessions = this.#of(options.client);
    const id = sessions.reserve(options.sessionId);
    try {
      this.#checkLimits(sessions);
      const state = await this.#stateFor(options);
      const session = await this.#open(id, sessions, options);
      const restored = state && (await this.#fill(session, state, options));
      if (sessions.left.aborted) {
        await session.close(sessionClosed(id));
        throw sessions.left.reason;
      }
      sessions.add(session);
      return {
        session,
        notices: this.#notices(session, sessions),
        ...(restored ? { restored } : {}),
        ...this.#warning(sessions),
      };
    } finally {
      sessions.unreserve(id);
    }
  }

  /**
   * The client's own session, which calls reach that name none (`AFFINITY=client`): back to it when the one that was current
   * is closed, else a new one. Calls that need it at once share it, one behind the other.
   * @param root as of `start`, asked only for a new one
   * @throws PwpoolError as `start`
   */
  async own(
    client: string,
    { root, ...options }: CallOptions & { root?: (() => Promise<string | undefined>) | undefined } = {},
  ): Promise<Session> {
    return await this.#of(client).own(
      async () => (await this.start({ client, root: await root?.(), ...options })).session,
    );
  }

  /**
   * Takes a lease that no session keeps, perhaps with a state in it. While it waits, idle sessions may be parked for it.
   * @throws PwpoolError `SESSION_NOT_FOUND` (`restore`), `INVALID_ARGUMENTS`, else as `Pool.lease`
   */
  async lease(options: StatefulLeaseOptions = {}): Promise<Lease> {
    return await this.#leases.lease(options);
  }

  /**
   * The client's session that a call names.
   * @throws PwpoolError `SESSION_NOT_FOUND`, `SESSION_EXPIRED` with when and why
   */
  get(client: string, id: string): Session {
    return this.#of(client).named(id);
  }

  /**
   * The session that a call without a `sessionId` reaches, if any; `ClientSessions` has the rule.
   * @throws PwpoolError `SESSION_AMBIGUOUS`; `SESSION_EXPIRED`, once, when it ended of itself
   */
  current(client: string): Session | undefined {
    return this.#of(client).current();
  }

  /**
   * Chooses the session for calls without a `sessionId`.
   * @throws PwpoolError as `get`
   */
  setCurrent(client: string, id: string): Session {
    return this.#of(client).choose(id);
  }

  /** `currentSession` is what a call without a `sessionId` would reach; `null` also while such a call is refused. */
  list(client: string): { sessions: SessionInfo[]; currentSession: string | null } {
    const sessions = this.#of(client);
    const { currentId } = sessions;
    const infos = sessions.all().map((session) => session.info());
    return {
      sessions: infos,
      currentSession: infos.some(({ sessionId }) => sessionId === currentId) ? (currentId ?? null) : null,
    };
  }

  /** Every session of every client, for status. */
  all(): (SessionInfo & { client: string })[] {
    return [...this.#every()].map((session) => ({ ...session.info(), client: session.client }));
  }

  /**
   * Ends a session and gives its instance back.
   * @throws PwpoolError as `get`; `INVALID_ARGUMENTS` for a bad name to save under, else as `Session.capture`
   */
  async close(client: string, id: string, options: CloseSessionOptions = {}): Promise<ClosedSession> {
    const session = this.#of(client).get(id);
    let incomplete: string[] = [];
    if (options.save !== undefined) {
      const state = await session.capture({ signal: options.signal });
      await this.#states.save(options.save, state);
      incomplete = state.incomplete;
    }
    this.#of(client).remove(session);
    await session.close(sessionClosed(id), { detach: options.detach ?? false });
    return { incomplete };
  }

  /** Ends all sessions of a client [003-close-02, 003-close-03]. @returns their names */
  async closeAll(client: string, options: { detach?: boolean | undefined } = {}): Promise<string[]> {
    const ids = this.#of(client).names();
    await Promise.all(ids.map((id) => this.close(client, id, options)));
    return ids;
  }

  /** The client has left for good: its sessions end now. */
  async closeClient(client: string): Promise<void> {
    const sessions = this.#clients.get(client);
    if (!sessions) return;
    this.#clients.delete(client);
    sessions.leave();
    await Promise.all(sessions.all().map((session) => session.close(sessionClosed(session.id))));
  }

  /** Ends every session of every client. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((client) => this.closeClient(client)));
  }

  async #open(id: string, sessions: ClientSessions, options: StartSessionOptions): Promise<Session> {
    const { clock, config } = this.#pools;
    // The default pool may be another one by the time that the session needs a browser again.
    const { name: pool } = this.#pools.pool(options.pool);
    const wanted = {
      instance: options.instance,
      headless: options.headless,
      withState: options.restore !== undefined || options.from !== undefined,
    };
    const workspace = this.#pools.workspaces.open(id, options.root);
    const leaseLikeThis = async ({ signal, onWait }: CallOptions) => {
      const instance = chooseInstance(this.#pools.pool(pool), wanted);
      const { headless } = wanted;
      const holder = `session ${id}`;
      return await this.#leases.lease({ pool, instance, headless, signal, onWait, workspace, holder });
    };
    const signal = options.signal ? AbortSignal.any([options.signal, sessions.left]) : sessions.left;
    const lease = await leaseLikeThis({ ...options, signal }).catch((error) => {
      workspace[Symbol.dispose]();
      throw error;
    });
    return new Session({
      id,
      client: options.client,
      clock,
      lease,
      workspace,
      leaseAgain: leaseLikeThis,
      idleTimeoutMs: config.server.sessionIdleTimeout,
      restorable: config.server.sessionRestore,
      close: (session) => this.close(session.client, session.id),
      onEnd: (session, error) => sessions.remove(session, error),
    });
  }

  async #stateFor({ client, restore, from, signal }: StartSessionOptions): Promise<BrowserState | undefined> {
    checkSources(restore, from);
    if (from !== undefined) return await this.#of(client).get(from).capture({ signal });
    return restore === undefined ? undefined : await this.#states.load(restore);
  }

  async #fill(session: Session, state: BrowserState, options: CallOptions): Promise<RestoredState> {
    try {
      return await session.restore(state, options);
    } catch (error) {
      await session.close(sessionClosed(session.id));
      throw error;
    }
  }

  /** Counts with the session that is being started. */
  #checkLimits(sessions: ClientSessions): void {
    const { sessionLimit: inAll, sessionLimitPerClient: perClient } = this.#pools.config.server;
    if (perClient !== undefined && sessions.size > perClient)
      throw sessionLimit('of this client', perClient, sessions.names());
    if (inAll === undefined) return;
    const size = [...this.#clients.values()].reduce((sum, each) => sum + each.size, 0);
    if (size > inAll) throw sessionLimit('in all', inAll, sessions.names());
  }

  #notices(session: Session, sessions: ClientSessions): string[] {
    const { pool, id, settings } = session.config;
    const notices: string[] = [];
    if (!settings.isolated)
      notices.push(
        `Pool '${pool}' keeps profiles (ISOLATED=false): sessions of its instance '${id}' share logins over time.`,
      );
    if (sessions.isAmbiguous)
      notices.push(
        `${sessions.names().length} sessions are open: pass sessionId with every call; one without it is refused (SESSION_AMBIGUOUS).`,
      );
    return notices;
  }

  /** A soft warning [003-limit-01]. */
  #warning(sessions: ClientSessions): { warning?: string } {
    const count = sessions.names().length;
    if (count < this.#pools.config.server.sessionWarnAt) return {};
    return {
      warning: `You have ${count} sessions open, each with a browser of its own. Close those that you no longer need: ${sessions.names().join(', ')}.`,
    };
  }

  *#every(): Generator<Session> {
    for (const sessions of this.#clients.values()) yield* sessions.all();
  }

  #of(client: string): ClientSessions {
    let sessions = this.#clients.get(client);
    if (!sessions) {
      sessions = new ClientSessions(this.#pools.config.server.sessionDefault);
      this.#clients.set(client, sessions);
    }
    return sessions;
  }
}
