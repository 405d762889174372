import type { CancelTimer, Clock } from '../clock.js';
import type { Session } from './session.js';

export interface ParkingOptions {
  clock: Clock;
  /** `SESSION_PREEMPT`: milliseconds that a session must have been idle; `undefined`: none is ever parked. */
  idleMs: number | undefined;
  sessions: () => Iterable<Session>;
}

/** Whom a waiter waits for. */
export interface Wanted {
  pool: string;
  /** Numeric id; any instance if left out. */
  instance: string | undefined;
}

/** Makes room for those who wait: parks the session that has been idle the longest. */
export class Parking {
  readonly #options: ParkingOptions;
  readonly #beingParked = new Set<Session>();

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  /** Parks a session as soon as one has been idle long enough, and again, until the waiter has what it waits for. */
  makeRoom(wanted: Wanted): CancelTimer {
    const { clock, idleMs } = this.#options;
    if (idleMs === undefined) return () => {};
    let over = false;
    let cancelTimer: CancelTimer = () => {};
    /** Sessions whose state cannot be read. */
    const unreadable = new Set<Session>();
    const attempt = async (): Promise<void> => {
      const session = this.#longestIdle(wanted, unreadable);
      const parks = session !== undefined && session.idleMs >= idleMs;
      if (parks && !(await this.#park(session))) {
        unreadable.add(session);
        if (!over) await attempt();
        return;
      }
      if (over) return;
      const wait = parks || !session ? idleMs : idleMs - session.idleMs;
      cancelTimer = clock.after(wait, () => void attempt());
    };
    void attempt();
    return () => {
      over = true;
      cancelTimer();
    };
  }

  #longestIdle({ pool, instance }: Wanted, unreadable: ReadonlySet<Session>): Session | undefined {
    let longest: Session | undefined;
    for (const session of this.#options.sessions()) {
      if (!session.hasBrowser || session.config.pool !== pool) continue;
      if (this.#beingParked.has(session) || unreadable.has(session)) continue;
      if (instance !== undefined && session.config.id !== instance) continue;
      if (!longest || session.idleMs > longest.idleMs) longest = session;
    }
    return longest;
  }

  /** @returns false when the state of the session cannot be read, which keeps it where it is */
  async #park(session: Session): Promise<boolean> {
    this.#beingParked.add(session);
    try {
      await session.park();
      return true;
    } catch {
      return false;
    } finally {
      this.#beingParked.delete(session);
    }
  }
}
