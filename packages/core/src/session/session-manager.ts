import { PwpoolError } from '../errors.js';
import type { BrowserPools } from '../pool/browser-pools.js';
import { Session, type SessionInfo, sessionLost } from './session.js';

export interface StartSessionOptions {
  /** The client that the session will belong to. */
  client: string;
  /** Default: `browser-1`, `browser-2`, … */
  sessionId?: string | undefined;
  pool?: string | undefined;
  instance?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * All sessions of one server (seed 003). A session belongs to the client that started it: another client neither
 * sees nor uses it, and may even give the same name to one of its own.
 */
export class SessionManager {
  readonly #pools: BrowserPools;
  readonly #clients = new Map<string, ClientSessions>();

  constructor(pools: BrowserPools) {
    this.#pools = pools;
  }

  /**
   * Starts a session: leases an instance for it and keeps it. It becomes the client's current session.
   * @throws PwpoolError `SESSION_EXISTS`, else as `BrowserPools.lease`
   */
  async start(options: StartSessionOptions): Promise<Session> {
    const sessions = this.#of(options.client);
    const id = options.sessionId ?? sessions.nextId();
    sessions.reserve(id);
    try {
      const lease = await this.#pools.lease({
        pool: options.pool,
        instance: options.instance,
        signal: options.signal,
        kind: 'session',
        holder: `session ${id}`,
      });
      if (sessions.ended) {
        await lease.release();
        throw new PwpoolError('CANCELLED', `The client of session '${id}' has left.`);
      }
      const session = new Session({ id, client: options.client, lease, clock: this.#pools.clock });
      sessions.add(session);
      return session;
    } finally {
      sessions.unreserve(id);
    }
  }

  /**
   * The client's session of that name. One whose browser was lost is forgotten with this call.
   * @throws PwpoolError `SESSION_NOT_FOUND` with the names that there are, `SESSION_EXPIRED` with the cause
   */
  get(client: string, id: string): Session {
    return this.#of(client).get(id);
  }

  /**
   * The session that calls without a `sessionId` reach: the last one that the client started, if any.
   * @throws PwpoolError `SESSION_EXPIRED` when its browser was lost
   */
  current(client: string): Session | undefined {
    const { currentId } = this.#of(client);
    return currentId === undefined ? undefined : this.get(client, currentId);
  }

  list(client: string): { sessions: SessionInfo[]; currentSession: string | null } {
    const sessions = this.#of(client);
    return {
      sessions: sessions.all().map((session) => session.info()),
      currentSession: sessions.currentId ?? null,
    };
  }

  /** Every session of every client, for status. */
  all(): (SessionInfo & { client: string })[] {
    return [...this.#clients.values()].flatMap((sessions) =>
      sessions.all().map((session) => ({ ...session.info(), client: session.client })),
    );
  }

  /**
   * Ends a session and gives its instance back.
   * @throws PwpoolError `SESSION_NOT_FOUND`, `SESSION_EXPIRED`
   */
  async close(client: string, id: string): Promise<void> {
    const session = this.get(client, id);
    this.#of(client).remove(session);
    await session.close();
  }

  /** The client has left: its sessions end. */
  async closeClient(client: string): Promise<void> {
    const sessions = this.#clients.get(client);
    if (!sessions) return;
    this.#clients.delete(client);
    sessions.ended = true;
    await Promise.all(sessions.all().map((session) => session.close()));
  }

  #of(client: string): ClientSessions {
    let sessions = this.#clients.get(client);
    if (!sessions) {
      sessions = new ClientSessions();
      this.#clients.set(client, sessions);
    }
    return sessions;
  }
}

/** The sessions of one client, by name. */
class ClientSessions {
  readonly #byId = new Map<string, Session>();
  /** Names whose session is being started. */
  readonly #reserved = new Set<string>();
  currentId: string | undefined;
  ended = false;

  all(): Session[] {
    return [...this.#byId.values()];
  }

  nextId(): string {
    for (let number = 1; ; number++) {
      const id = `browser-${number}`;
      if (!this.#byId.has(id) && !this.#reserved.has(id)) return id;
    }
  }

  reserve(id: string): void {
    const holder = this.#byId.get(id);
    // The name of a lost session is free again.
    if (holder?.lease.revoked.aborted) this.remove(holder);
    if (this.#byId.has(id) || this.#reserved.has(id)) {
      throw new PwpoolError('SESSION_EXISTS', `Session '${id}' already exists`, {
        hint: 'Use it, close it with close_session, or choose another sessionId.',
        details: { sessionId: id },
      });
    }
    this.#reserved.add(id);
  }

  unreserve(id: string): void {
    this.#reserved.delete(id);
  }

  add(session: Session): void {
    this.#byId.set(session.id, session);
    this.currentId = session.id;
  }

  get(id: string): Session {
    const session = this.#byId.get(id);
    if (!session) {
      const valid = [...this.#byId.keys()];
      throw new PwpoolError('SESSION_NOT_FOUND', `Session '${id}' not found.`, {
        hint: valid.length > 0 ? `Use one of: ${valid.join(', ')}.` : 'Start one with start_browser.',
        details: { sessionId: id, valid },
      });
    }
    if (session.lease.revoked.aborted) {
      this.remove(session);
      throw sessionLost(session);
    }
    return session;
  }

  remove(session: Session): void {
    this.#byId.delete(session.id);
    // Falling back to another session would send calls without a sessionId to a page they do not expect.
    if (this.currentId === session.id) this.currentId = undefined;
  }
}
