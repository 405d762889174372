import type { Principal } from '../principals/principal.js';

export interface AcquireOptions {
  /** Wait for this entry and no other. */
  key?: string | undefined;
  /** Longest wait, in milliseconds. Finite: every wait has a deadline. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Names the caller in `LeaseTimeoutInfo`. */
  label?: string | undefined;
  /** On whose behalf it asks. Those without one count as one. */
  principal?: Principal | undefined;
  /** The caller starts the browser of a cold entry itself, in its own way: `onCold` is not called. */
  startsItself?: boolean | undefined;
  /** Called, before `acquire` returns, when the caller has to wait. */
  onWait?: ((wait: Wait) => void) | undefined;
}

/** A place in the line. */
export interface Wait {
  /**
   * How many of those who wait now will be served before this one; by turns of principals, also some may be that come later.
   * Walks the line: for people, not for the hot path.
   */
  position(): number;
}

export interface GrantReleaseOptions {
  /** Hand the entry over into `reserved`, for maintenance between two leases: no waiter sees it before `restore`. */
  reserve?: boolean;
  /** Whether its browser was closed meanwhile. Default false. */
  cold?: boolean;
}

/**
 * Exclusive hold of one entry, from the moment `acquire` resolves until `release`, or until the queue revokes it.
 *
 * A grant only ever acts for itself: once it is over, `release` does nothing, whoever holds the entry by then.
 */
export interface Grant {
  readonly key: string;
  /** True once this grant no longer holds the entry: released, revoked, or its entry removed. */
  readonly released: boolean;
  /** Gives the entry back, to the earliest waiter that may have it. Calling it again does nothing. */
  release(options?: GrantReleaseOptions): void;
}
