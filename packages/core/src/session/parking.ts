import type { CancelTimer, Clock } from '../clock.js';
import type { LeaseWait } from '../pool/lease-options.js';
import type { Session } from './session.js';

export interface ParkingOptions {
  clock: Clock;
  /** `SESSION_PREEMPT`: milliseconds that a session must have been idle; 0: none is ever parked. */
  idleMs: number;
  sessions: () => Iterable<Session>;
}

/** Makes room for those who wait: parks the session that has been idle the longest. */
export class Parking {
  readonly #options: ParkingOptions;
  /** Each with what resolves when that is over. */
  readonly #beingParked = new Map<Session, Promise<boolean>>();

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  /** Parks a session as soon as one has been idle long enough, and again, until the wait is over. */
  makeRoom(wait: LeaseWait): void {
    const { clock, idleMs } = this.#options;
    if (idleMs === 0) return;
    let cancelTimer: CancelTimer = () => {};
    /** Sessions whose state cannot be read. */
    const unreadable = new Set<Session>();
    const attempt = async (): Promise<void> => {
      let delayMs = 0;
      while (delayMs === 0 && !wait.over.aborted) delayMs = await this.#parkNext(wait, idleMs, unreadable);
      if (!wait.over.aborted) cancelTimer = clock.after(delayMs, () => void attempt());
    };
    wait.over.addEventListener('abort', () => cancelTimer(), { once: true });
    void attempt();
  }

  /** Parks one session, if one is due. @returns after how many milliseconds to look again */
  async #parkNext(wait: LeaseWait, idleMs: number, unreadable: Set<Session>): Promise<number> {
    const ahead = wait.position();
    const coming = [...this.#beingParked].filter(([session]) => fits(session, wait));
    // Enough for those ahead and for this one, if they can be parked.
    if (coming.length > ahead) {
      await Promise.race(coming.map(([, parking]) => parking));
      return 0;
    }
    const session = this.#longestIdle(wait, unreadable);
    const dueMs = session ? idleMs - session.idleMs : idleMs;
    if (!session || dueMs > 0) return dueMs;
    const parked = await this.#park(session, unreadable);
    const servedAnother = wait.position() < ahead;
    return parked && !servedAnother ? idleMs : 0;
  }

  #longestIdle(wait: LeaseWait, unreadable: ReadonlySet<Session>): Session | undefined {
    let longest: Session | undefined;
    for (const session of this.#options.sessions()) {
      if (!session.hasBrowser || !fits(session, wait)) continue;
      // What a profile on disk holds, such as its logins, does not come along to another instance.
      if (!session.config.settings.isolated) continue;
      if (this.#beingParked.has(session) || unreadable.has(session)) continue;
      if (!longest || session.idleMs > longest.idleMs) longest = session;
    }
    return longest;
  }

  /** @returns whether it gave its browser back; one whose state cannot be read keeps it */
  async #park(session: Session, unreadable: Set<Session>): Promise<boolean> {
    const parking = session
      .park()
      .catch(() => {
        unreadable.add(session);
        return false;
      })
      .finally(() => this.#beingParked.delete(session));
    this.#beingParked.set(session, parking);
    return await parking;
  }
}

/** Whether the waiter may have the session's instance. */
function fits({ config }: Session, { pool, instance }: LeaseWait): boolean {
  return config.pool === pool && (instance === undefined || config.id === instance);
}
