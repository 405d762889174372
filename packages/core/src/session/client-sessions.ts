import { PwpoolError } from '../errors.js';
import type { Session } from './session.js';
import { sessionExists, sessionNotFound } from './session-errors.js';

/** How many ended sessions of a client are remembered, so that their names answer with when and why. */
const REMEMBERED = 1_000;

/** The sessions of one client, by name. */
export class ClientSessions {
  readonly #byId = new Map<string, Session>();
  /** Names whose session is being started. */
  readonly #reserved = new Set<string>();
  /** Why sessions ended that nobody closed; oldest first. */
  readonly #ended = new Map<string, PwpoolError>();
  /** The session that calls without a `sessionId` reach. */
  currentId: string | undefined;
  readonly #left = new AbortController();

  /** Aborts when the client leaves for good: a session that is just being started is not wanted any more. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  leave(): void {
    this.#left.abort(new PwpoolError('CANCELLED', 'The client of the session has left.'));
  }

  get size(): number {
    return this.#byId.size + this.#reserved.size;
  }

  all(): Session[] {
    return [...this.#byId.values()];
  }

  names(): string[] {
    return [...this.#byId.keys()];
  }

  /** `browser-1`, `browser-2`, …: the first that is free (seed 003, "Auto-Generated Session IDs"). */
  nextId(): string {
    for (let number = 1; ; number++) {
      const id = `browser-${number}`;
      if (!this.#byId.has(id) && !this.#reserved.has(id)) return id;
    }
  }

  /**
   * Keeps a name for a session that is being started.
   * @throws PwpoolError `SESSION_EXISTS`
   */
  reserve(id: string): void {
    if (this.#byId.has(id) || this.#reserved.has(id)) throw sessionExists(id);
    this.#reserved.add(id);
  }

  unreserve(id: string): void {
    this.#reserved.delete(id);
  }

  /** Adds a session, which becomes the current one. */
  add(session: Session): void {
    this.#byId.set(session.id, session);
    this.#ended.delete(session.id);
    this.currentId = session.id;
  }

  /**
   * @throws PwpoolError `SESSION_NOT_FOUND` with the names that there are; for one that ended of itself why it did
   */
  get(id: string): Session {
    const session = this.#byId.get(id);
    if (session) return session;
    throw this.#ended.get(id) ?? sessionNotFound(id, this.names());
  }

  /**
   * Forgets a session. Calls without a `sessionId` do not fall back to another one, whose page they would not expect.
   * @param why the session ended, if nobody closed it
   */
  remove(session: Session, why?: PwpoolError): void {
    // Its name may be another one's by now.
    if (this.#byId.get(session.id) !== session) return;
    this.#byId.delete(session.id);
    if (this.currentId === session.id && !why) this.currentId = undefined;
    if (!why) return;
    this.#ended.set(session.id, why);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > REMEMBERED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /**
   * The current session, if there is one. That it ended of itself is told once.
   * @throws PwpoolError `SESSION_EXPIRED`
   */
  current(): Session | undefined {
    if (this.currentId === undefined) return undefined;
    try {
      return this.get(this.currentId);
    } catch (error) {
      this.currentId = undefined;
      throw error;
    }
  }
}
