import type { Holder } from './lease.js';
import type { LeaseKind } from './reset-policy.js';

export interface LeaseOptions {
  /** Numeric id or alias; any instance if left out. */
  instance?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait at most; `LEASE_TIMEOUT` if left out. */
  timeoutMs?: number | undefined;
  /** Who asks, for status and messages. */
  holder?: Holder | undefined;
  /** Sessions and one-shot leases differ in what `RESET` does before and after them. */
  kind?: LeaseKind | undefined;
  /** Called when no instance is free at once. */
  onWait?: ((wait: LeaseWait) => void) | undefined;
}

/** What a caller that waits can be told. */
export interface LeaseWait {
  pool: string;
  /** Numeric id of the instance that it waits for; `undefined` for any. */
  instance: string | undefined;
  /** Aborts when it has the instance or has left. */
  readonly over: AbortSignal;
  /** How many are ahead of it. */
  position(): number;
  /** Why no browser is started at the moment, if that is so. */
  barred(): string | undefined;
  /** Who holds what, and for how long. */
  holders(): { instance: string; holder: Holder; heldMs: number }[];
}
