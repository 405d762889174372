import { KEYS } from '../config/keys.js';
import type { InstanceConfig } from '../config/model.js';
import type { PwpoolError } from '../errors.js';
import type { BrowserPools } from '../pool/browser-pools.js';
import { Emitter, type Unsubscribe } from '../pool/emitter.js';
import type { Lease } from '../pool/lease.js';
import { mayUse, type Principal } from '../principals/principal.js';
import { WaitingCalls } from '../principals/waiting-calls.js';
import { ClientSessions } from './client-sessions.js';
import { chooseInstance, type WantedInstance } from './instance-choice.js';
import { Parking } from './parking.js';
import { type CallOptions, Session } from './session.js';
import { sessionClosed, sessionEndedByOperator, sessionLimit } from './session-errors.js';
import type {
  ClosedSession,
  CloseSessionOptions,
  OwnSessionOptions,
  StartedSession,
  StartSessionOptions,
} from './session-options.js';
import type { SessionInfo } from './session-report.js';
import { shownName } from './shown-name.js';
import type { BrowserState } from './state/browser-state.js';
import type { SessionRecord } from './state/checkpoint.js';
import type { CheckpointStore } from './state/checkpoint-store.js';
import type { RestoredState } from './state/restore-state.js';
import { StateStore } from './state/state-store.js';
import { checkSources, type StatefulLeaseOptions, StatefulLeases } from './stateful-leases.js';

/** How many clients are known, those included that have no session any more but may be told of one that ended. */
const KNOWN_CLIENTS = 2_000;

/** What sessions tell of themselves. */
export interface SessionEvents {
  /** A session ended that nobody has closed. `session` is its name as others than its owner see it; `reason` is a sentence. */
  'session-ended': { session: string; client: string; principal: string | undefined; reason: string };
}

/** A session as it was asked for. */
interface WantedSession extends WantedInstance {
  id: string;
  label?: string | undefined;
  /** Name of the pool. */
  pool: string;
  root?: string | undefined;
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
  readonly #checkpoints: CheckpointStore | undefined;
  readonly #waitingCalls = new WaitingCalls();
  readonly #events = new Emitter<SessionEvents>();

  /** @param checkpoints where sessions are kept for a server that comes after this one. Default: nowhere */
  constructor(pools: BrowserPools, checkpoints?: CheckpointStore) {
    const { stateDir, stateKey, sessionPreempt } = pools.config.server;
    this.#pools = pools;
    this.#checkpoints = checkpoints;
    this.#states = new StateStore({
      directory: stateDir ?? KEYS.STATE_DIR.defaultIn.path(),
      passphrase: stateKey,
    });
    const parking = new Parking({
      clock: pools.clock,
      idleMs: sessionPreempt,
      sessions: () => this.#every(),
    });
    this.#leases = new StatefulLeases(pools, this.#states, parking, this.#waitingCalls);
  }

  on<Name extends keyof SessionEvents>(
    name: Name,
    listener: (event: SessionEvents[Name]) => void,
  ): Unsubscribe {
    return this.#events.on(name, listener);
  }

  /**
   * Starts a session: leases an instance for it and keeps it. One whose state cannot be brought in is not kept.
   * @throws PwpoolError `SESSION_EXISTS`, `SESSION_LIMIT`, `SESSION_NOT_FOUND` (`from`, `restore`), else as `Pool.lease`
   */
  async start(options: StartSessionOptions): Promise<StartedSession> {
    const sessions = this.#of(options.client);
    sessions.principal = options.principal;
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
   * @throws PwpoolError as `start`
   */
  async own(client: string, { root, ...options }: OwnSessionOptions = {}): Promise<Session> {
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
    return this.#usable(this.#of(client).named(id));
  }

  /**
   * The session that a call without a `sessionId` reaches, if any; `ClientSessions` has the rule.
   * @throws PwpoolError `SESSION_AMBIGUOUS`; `SESSION_EXPIRED`, once, when it ended of itself
   */
  current(client: string): Session | undefined {
    const session = this.#of(client).current();
    return session && this.#usable(session);
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

  /** Every session of every client, for status: secrets in names are not shown whole. */
  all(): (SessionInfo & { client: string; principal?: string })[] {
    return [...this.#every()].map((session) => ({
      ...session.info(),
      sessionId: session.shownId,
      client: session.client,
      ...(session.principal ? { principal: session.principal.name } : {}),
    }));
  }

  /**
   * Ends a session for the person who runs the server: calls of its client that still name it are told so.
   * @param id as `all` tells it
   * @throws PwpoolError `SESSION_NOT_FOUND`
   */
  async end(client: string, id: string): Promise<void> {
    const session = this.#of(client).shownAs(id);
    const why = sessionEndedByOperator(session.id, this.#pools.clock.now());
    this.#of(client).remove(session, why);
    await session.close(why);
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
      await this.#states.of(session.principal).save(options.save, state);
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

  /**
   * Takes up the sessions that the client had in a server that was killed. Each has its browser again with its next call, and
   * tells so as after a crash.
   */
  async resume(client: string, principal?: Principal): Promise<void> {
    const sessions = this.#of(client);
    sessions.principal = principal;
    const record = await sessions.checkpoints?.load();
    if (!record) return;
    const found = await Promise.all(record.sessions.map((each) => this.#takeUp(client, sessions, each)));
    sessions.resume(
      found.filter((session) => session !== undefined),
      record,
    );
  }

  /** The client has left for good: its sessions end now. */
  async closeClient(client: string): Promise<void> {
    const sessions = this.#clients.get(client);
    if (!sessions) return;
    this.#clients.delete(client);
    // First, since each keeps a file open in the folder that goes with the client.
    const closed = sessions.all().map((session) => {
      this.#tellEnd(session, 'Its client has left.');
      return session.close(sessionClosed(session.id));
    });
    sessions.leave();
    await Promise.all(closed);
  }

  /** Ends every session of every client. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((client) => this.closeClient(client)));
  }

  async #open(id: string, sessions: ClientSessions, options: StartSessionOptions): Promise<Session> {
    const { client, label, instance, headless, root } = options;
    // The default pool may be another one by the time that the session needs a browser again.
    const { principal } = options;
    const { name: pool } = this.#pools.pool(options.pool, principal);
    const withState = options.restore !== undefined || options.from !== undefined;
    const parts = this.#partsOf(client, sessions, { id, label, pool, instance, headless, root, withState });
    const signal = options.signal ? AbortSignal.any([options.signal, sessions.left]) : sessions.left;
    const lease = await parts.leaseAgain({ ...options, signal }).catch((error) => {
      parts.workspace[Symbol.dispose]();
      throw error;
    });
    const checkpoint = parts.restorable ? sessions.checkpoints?.session() : undefined;
    const kept = checkpoint && {
      record: { id, number: checkpoint.number, pool, instance, headless, root },
      checkpoint,
    };
    return new Session({ ...parts, lease, config: lease.config, kept });
  }

  /** A session of a server that was killed; `undefined` when there is nothing that it could go on in. */
  async #takeUp(
    client: string,
    sessions: ClientSessions,
    record: SessionRecord,
  ): Promise<Session | undefined> {
    const checkpoint = sessions.checkpoints?.session(record.number);
    const pool = this.#pools.config.pools.find(({ name }) => name === record.pool);
    const isWanted = ({ id, alias }: InstanceConfig) => record.instance === id || record.instance === alias;
    const config = pool?.instances.find(isWanted) ?? pool?.instances[0];
    if (!checkpoint || !config || !this.#pools.config.server.sessionRestore) {
      checkpoint?.remove();
      return undefined;
    }
    const known = await checkpoint.load();
    const parts = this.#partsOf(client, sessions, { ...record, withState: false });
    return new Session({ ...parts, config, kept: { record, checkpoint, known } });
  }

  /** What a session has that is none of its browser's. */
  #partsOf(client: string, sessions: ClientSessions, wanted: WantedSession) {
    const { clock, config } = this.#pools;
    const { id, label = id, pool, headless, root } = wanted;
    const { principal } = sessions;
    const workspace = this.#pools.workspaces.open(id, root, principal);
    return {
      id,
      shownId: label === id ? id : shownName(id, id.length - label.length - 1),
      client,
      principal,
      waitingCalls: this.#waitingCalls,
      clock,
      workspace,
      leaseAgain: async ({ signal, onWait }: CallOptions) => {
        const instance = chooseInstance(this.#pools.pool(pool, principal), wanted);
        const holder = `session ${label}`;
        const asked = { pool, instance, headless, principal, workspace, holder };
        return await this.#leases.lease({ ...asked, signal, onWait });
      },
      idleTimeoutMs: config.server.sessionIdleTimeout,
      restorable: config.server.sessionRestore,
      close: (session: Session) => this.close(session.client, session.id),
      onEnd: (session: Session, error: PwpoolError, reason: string) => {
        sessions.remove(session, error);
        // When all end, nobody needs to be told of each.
        if (error.code !== 'SHUTTING_DOWN') this.#tellEnd(session, reason);
      },
    };
  }

  #tellEnd({ shownId, client, principal }: Session, reason: string): void {
    const about = { session: shownId, client, principal: principal?.name };
    this.#events.emit('session-ended', () => ({ ...about, reason }));
  }

  async #stateFor(options: StartSessionOptions): Promise<BrowserState | undefined> {
    const { client, principal, restore, from, signal } = options;
    checkSources(restore, from);
    if (from !== undefined) return await this.#of(client).get(from).capture({ signal });
    return restore === undefined ? undefined : await this.#states.of(principal).load(restore);
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
    this.#checkPrincipal(sessions);
    if (inAll === undefined) return;
    const size = [...this.#clients.values()].reduce((sum, each) => sum + each.size, 0);
    if (size > inAll) throw sessionLimit('in all', inAll, sessions.names());
  }

  #checkPrincipal({ principal }: ClientSessions): void {
    const limit = principal?.limits.sessions;
    if (principal === undefined || limit === undefined) return;
    const own = [...this.#clients.values()].filter((each) => each.principal?.name === principal.name);
    if (own.reduce((sum, each) => sum + each.size, 0) <= limit) return;
    const open = own.flatMap((each) => each.all());
    const names = open.map(({ id }) => id);
    throw sessionLimit(`of '${principal.name}'`, limit, names, endsAfter(open, this.#pools.clock.now()));
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

  /** Its principal may have lost the pool since it was started. */
  #usable(session: Session): Session {
    const { principal, config } = session;
    if (!mayUse(principal, config.pool)) this.#pools.pool(config.pool, principal);
    return session;
  }

  *#every(): Generator<Session> {
    for (const sessions of this.#clients.values()) yield* sessions.all();
  }

  /** Anybody may call by a name of no session; who has one is never forgotten. */
  #forgetOldest(): void {
    for (const [client, { size }] of this.#clients) {
      if (size > 0) continue;
      this.#clients.delete(client);
      return;
    }
  }

  #of(client: string): ClientSessions {
    let sessions = this.#clients.get(client);
    if (!sessions) {
      if (this.#clients.size >= KNOWN_CLIENTS) this.#forgetOldest();
      const checkpoints = this.#checkpoints?.of(client);
      sessions = new ClientSessions(this.#pools.config.server.sessionDefault, checkpoints);
      this.#clients.set(client, sessions);
    }
    return sessions;
  }
}

/** Milliseconds until the first of the sessions ends if none is used. */
function endsAfter(sessions: readonly Session[], now: number): number | undefined {
  const ends = sessions.map((session) => Date.parse(session.info().expiresAt) - now);
  return ends.length === 0 ? undefined : Math.max(Math.min(...ends), 0);
}
