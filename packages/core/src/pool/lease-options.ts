import type { Principal } from '../principals/principal.js';
import type { Workspace } from '../upstream/workspace.js';
import type { Holder } from './lease.js';

export interface LeaseOptions {
  /** Numeric id or alias; any instance if left out. */
  instance?: string | undefined;
  /** What file names are resolved against, and where uploads come from. Default: the working directory. */
  root?: string | undefined;
  /** The holder's own, which outlasts the lease; one of the instance's if left out. */
  workspace?: Workspace | undefined;
  /** Ends the wait, and nothing after it. */
  signal?: AbortSignal | undefined;
  /** Ends the wait, and later the lease: what its holder does then throws `LEASE_REVOKED`. */
  endOn?: AbortSignal | undefined;
  /** Milliseconds to wait at most; `LEASE_TIMEOUT` if left out. */
  timeoutMs?: number | undefined;
  /** Who asks, for status and messages. */
  holder?: Holder | undefined;
  /** On whose behalf: those who wait take turns by it, and are told only of holders that are its own. */
  principal?: Principal | undefined;
  /**
   * Go on where the last lease of this kind left off, and leave cookies and pages to the next one, as the one-shot calls
   * of agents do. Default false: the browser is clean when the lease begins, and is cleaned when it ends; of a profile
   * (`ISOLATED=false`) the pages go and the logins stay. `RESET=never` keeps always, `RESET=lease` never.
   */
  keep?: boolean | undefined;
  /**
   * With or without a window. An instance that is configured otherwise is relaunched for this lease, and again after it.
   * An idle one that is configured like this is preferred.
   */
  headless?: boolean | undefined;
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
  throttled(): string | undefined;
  /** Who holds what, and for how long. */
  holders(): { instance: string; holder: Holder; heldMs: number }[];
}
