import { PwpoolError } from '../errors.js';
import type { Principal } from '../principals/principal.js';
import type { Session } from './session.js';
import { sessionAmbiguous, sessionExists, sessionNotFound } from './session-errors.js';
import type { ClientRecord } from './state/checkpoint.js';
import type { ClientCheckpoints } from './state/checkpoint-store.js';

/** How many ended sessions of a client are remembered, so that their names answer with when and why. */
const REMEMBERED = 1_000;

/** What calls without a `sessionId` reach while several sessions are open (`SESSION_DEFAULT`). */
export type SessionDefault = 'strict' | 'last';

/**
 * The sessions of one client, by name, and which of them a call reaches that names none [arch-target-07]:
 *
 * | what the client did                                      | such a call reaches                                     |
 * | -------------------------------------------------------- | ------------------------------------------------------- |
 * | never named a session in a start or a call, or `last`    | the one last started or chosen [003-target-02]           |
 * | named one, and chose one that is still open              | the chosen one, whatever is started after it            |
 * | named one, chose none, and two or more are open          | none: `SESSION_AMBIGUOUS`, it may be another agent's    |
 * | named one, chose none, and one is open                   | that one if it was started last, else none of them      |
 *
 * That a client names sessions is never forgotten: it has several agents behind it.
 */
export class ClientSessions {
  readonly #mode: SessionDefault;
  readonly #byId = new Map<string, Session>();
  /** Names whose session is being started. */
  readonly #reserved = new Set<string>();
  /** Why sessions ended that nobody closed; oldest first. */
  readonly #ended = new Map<string, PwpoolError>();
  /** A start or a call has named a session. */
  #named = false;
  /** The session started last, or chosen after that. */
  #last: string | undefined;
  /** The session that was chosen for calls that name none. */
  #chosen: string | undefined;
  /** The session that the client was given for calls that named none. */
  #own: Promise<Session> | undefined;
  /** The name of that session. */
  #ownId: string | undefined;
  readonly #left = new AbortController();
  /** Where all of it is kept for a server that comes after this one. */
  readonly checkpoints: ClientCheckpoints | undefined;
  /** On whose behalf the client calls. */
  principal: Principal | undefined;

  constructor(mode: SessionDefault, checkpoints?: ClientCheckpoints) {
    this.#mode = mode;
    this.checkpoints = checkpoints;
  }

  /** Goes on where another server was killed. */
  resume(sessions: readonly Session[], { named, last, chosen, own }: ClientRecord): void {
    for (const session of sessions) this.#byId.set(session.id, session);
    this.#named = named;
    this.#last = last;
    this.#chosen = chosen;
    this.#ownId = own;
    const ownSession = own === undefined ? undefined : this.#byId.get(own);
    if (ownSession) this.#own = Promise.resolve(ownSession);
    this.#keep();
  }

  #keep(): void {
    if (!this.checkpoints || this.left.aborted) return;
    this.checkpoints.save({
      version: 1,
      sessions: this.all().flatMap(({ record }) => record ?? []),
      named: this.#named,
      last: this.#last,
      chosen: this.#chosen,
      own: this.#ownId,
    });
  }

  /** Aborts when the client leaves for good: a session that is just being started is not wanted any more. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  leave(): void {
    this.#left.abort(new PwpoolError('CANCELLED', 'The client of the session has left.'));
    this.checkpoints?.forget();
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

  /** A call that names no session would be refused. */
  get isAmbiguous(): boolean {
    return this.#isStrict && this.#chosen === undefined && this.#byId.size > 1;
  }

  /** The name of the session that a call reaches that names none; it may have ended of itself. */
  get currentId(): string | undefined {
    if (!this.#isStrict) return this.#last;
    return this.#chosen ?? (this.isAmbiguous ? undefined : this.#last);
  }

  get #isStrict(): boolean {
    return this.#named && this.#mode === 'strict';
  }

  /**
   * Keeps a name for a session that is being started: the wanted one, else the first that is free of `browser-1`,
   * `browser-2`, … [003-id-01].
   * @throws PwpoolError `SESSION_EXISTS`
   */
  reserve(wanted: string | undefined): string {
    this.#named ||= wanted !== undefined;
    const id = wanted ?? this.#freeName();
    if (this.#isTaken(id)) throw sessionExists(id);
    this.#reserved.add(id);
    return id;
  }

  unreserve(id: string): void {
    this.#reserved.delete(id);
  }

  /** Adds a session, the one last started. */
  add(session: Session): void {
    this.#byId.set(session.id, session);
    this.#ended.delete(session.id);
    this.#last = session.id;
    this.#keep();
  }

  /**
   * @throws PwpoolError `SESSION_NOT_FOUND`; for one that ended of itself why it did
   */
  get(id: string): Session {
    const session = this.#byId.get(id);
    if (session) return session;
    throw this.#ended.get(id) ?? sessionNotFound(id, this.names());
  }

  /** As `get`, for who sees what others see of the name. */
  shownAs(id: string): Session {
    return this.all().find(({ shownId }) => shownId === id) ?? this.get(id);
  }

  /**
   * The session that a call names.
   * @throws PwpoolError as `get`
   */
  named(id: string): Session {
    const isFirst = !this.#named;
    this.#named = true;
    if (isFirst) this.#keep();
    return this.get(id);
  }

  /**
   * Chooses the session for calls that name none.
   * @throws PwpoolError as `get`
   */
  choose(id: string): Session {
    const session = this.get(id);
    this.#last = this.#chosen = id;
    this.#keep();
    return session;
  }

  /**
   * The client's own session: the one that it has, and calls that name none go back to it as if it had just been started;
   * else what `start` gives. Who asks at once shares it, one behind the other.
   */
  async own(start: () => Promise<Session>): Promise<Session> {
    const last = this.#own;
    const next = async () => {
      const own = await last?.catch(() => undefined);
      if (!own?.isOpen) return await start();
      if (this.#byId.get(own.id) === own) this.#last = own.id;
      return own;
    };
    this.#own = next();
    const own = await this.#own;
    if (own.id !== this.#ownId) {
      this.#ownId = own.id;
      this.#keep();
    }
    return own;
  }

  /**
   * Forgets a session. Calls without a `sessionId` do not fall back to another one, whose page they would not expect.
   * @param why the session ended, if nobody closed it
   */
  remove(session: Session, why?: PwpoolError): void {
    // Its name may be another one's by now.
    if (this.#byId.get(session.id) !== session) return;
    this.#byId.delete(session.id);
    if (!why) {
      this.#forget(session.id);
      this.#keep();
      return;
    }
    this.#keep();
    this.#ended.set(session.id, why);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > REMEMBERED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /**
   * The session that a call reaches that names none, if there is one. That it ended of itself is told once.
   * @throws PwpoolError `SESSION_AMBIGUOUS`, `SESSION_EXPIRED`
   */
  current(): Session | undefined {
    if (this.isAmbiguous) throw sessionAmbiguous(this.names());
    const id = this.currentId;
    if (id === undefined) return undefined;
    try {
      return this.get(id);
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  #forget(id: string): void {
    if (this.#last === id) this.#last = undefined;
    if (this.#chosen === id) this.#chosen = undefined;
  }

  #freeName(): string {
    for (let number = 1; ; number++) {
      const id = `browser-${number}`;
      if (!this.#isTaken(id)) return id;
    }
  }

  #isTaken(id: string): boolean {
    return this.#byId.has(id) || this.#reserved.has(id);
  }
}
