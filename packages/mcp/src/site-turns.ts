import {
  type BrowserPools,
  openedAddress,
  type Session,
  type SiteLimits,
  type ToolArguments,
} from '@pwpool/core';

/** One call of a browser tool, as far as site limits go. */
export interface Navigating {
  tool: string;
  args: ToolArguments;
  /** The pool whose `LEASE_TIMEOUT` limits each wait; the default pool if left out. */
  pool: string | undefined;
  signal: AbortSignal | undefined;
}

/** Makes the navigations of one client keep the limits of their sites (`SITES_FILE`). */
export class SiteTurns {
  readonly #limits: SiteLimits | undefined;
  readonly #pools: BrowserPools;
  /** The latest call of each session: the next one comes after it. */
  readonly #last = new WeakMap<Session, Promise<unknown>>();

  constructor(limits: SiteLimits | undefined, pools: BrowserPools) {
    this.#limits = limits;
    this.#pools = pools;
  }

  /** For a call that has no browser yet: waits until it is worth leasing one. Throws as `SiteLimits.admit`. */
  async admit(call: Navigating): Promise<Disposable | undefined> {
    const url = openedAddress(call.tool, call.args);
    return url === undefined ? undefined : await this.#limits?.admit(url, this.#wait(call));
  }

  /** For a call that has its browser: waits for its turn, which ends with the call. Throws as `SiteLimits.enter`. */
  async enter(call: Navigating): Promise<Disposable | undefined> {
    const url = openedAddress(call.tool, call.args);
    return url === undefined ? undefined : await this.#limits?.enter(url, this.#wait(call));
  }

  /**
   * Runs a call of a session when the calls before it are over and its site lets it. A call that waits for its site holds
   * up those behind it in its session, and no others.
   */
  async inSession<T>(session: Session, call: Navigating, run: () => Promise<T>): Promise<T> {
    // Without limits the session's own line is enough.
    if (!this.#limits) return await run();
    const before = this.#last.get(session);
    const turn = async () => {
      await before;
      using _visit = session.isOpen ? await this.enter(call) : undefined;
      return await run();
    };
    const mine = turn();
    this.#last.set(
      session,
      mine.catch(() => {}),
    );
    return await mine;
  }

  #wait({ pool, signal }: Navigating): { timeoutMs: number; signal: AbortSignal | undefined } {
    return { timeoutMs: this.#pools.pool(pool).config.settings.leaseTimeout, signal };
  }
}
