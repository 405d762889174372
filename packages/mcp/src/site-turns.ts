import type { BrowserPools, Lease, SiteLimits, ToolArguments } from '@pwpool/core';
import { openedAddress } from '@pwpool/core/internal';

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

  constructor(limits: SiteLimits | undefined, pools: BrowserPools) {
    this.#limits = limits;
    this.#pools = pools;
  }

  /** For a call that has no browser yet: waits until it is worth leasing one. Throws as `SiteLimits.admit`. */
  async admit(call: Navigating): Promise<Disposable | undefined> {
    const url = openedAddress(call.tool, call.args);
    return url === undefined ? undefined : await this.#limits?.admit(url, this.#wait(call));
  }

  /**
   * For a call that has its browser, no longer than it has it: waits for its turn, which ends with the call. Throws as
   * `SiteLimits.enter`.
   */
  async enter(call: Navigating, lease: Lease): Promise<Disposable | undefined> {
    const url = openedAddress(call.tool, call.args);
    if (url === undefined) return undefined;
    const signal = call.signal ? AbortSignal.any([call.signal, lease.ended]) : lease.ended;
    return await this.#limits?.enter(url, this.#wait({ ...call, signal }));
  }

  #wait({ pool, signal }: Navigating): { timeoutMs: number; signal: AbortSignal | undefined } {
    return { timeoutMs: this.#pools.pool(pool).config.settings.leaseTimeout, signal };
  }
}
