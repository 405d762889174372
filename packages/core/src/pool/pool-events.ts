import type { PwpoolError } from '../errors.js';
import type { RecycleReason } from '../health/recycle-policy.js';
import type { InstanceState } from '../instance/instance-state.js';
import type { Holder } from './lease.js';
import type { OwnerKind } from './slot-owner.js';

/** What an event of an instance is about. */
export interface InstanceEvent {
  pool: string;
  /** Numeric id. */
  instance: string;
}

/** What an event of a lease is about. */
export interface LeaseEvent extends InstanceEvent {
  lease: string;
  holder: Holder;
  /** The name of whose it is; absent for whoever runs the server. */
  principal?: string;
}

/** A lease that may have been forgotten. */
export interface LeakEvent extends LeaseEvent {
  heldMs: number;
  /** Where it was taken: a stack trace. */
  takenAt: string;
}

/** Everything that pools tell while they run. Times are in milliseconds. */
export interface PoolEvents {
  'lease-granted': LeaseEvent & { waitedMs: number };
  /** A caller got no lease: it timed out, left, or was refused. */
  'lease-refused': { pool: string; holder: Holder; waitedMs: number; error: unknown };
  /** `error` tells why it was taken back, if it was. */
  'lease-ended': LeaseEvent & { heldMs: number; error: PwpoolError | undefined };
  /** A lease is held for longer than `LEAK_THRESHOLD`. */
  'lease-leaked': LeakEvent;
  /** A lease that was reported as leaked has come back. */
  'leak-ended': LeakEvent;
  'instance-state': InstanceEvent & { from: InstanceState; to: InstanceState };
  /** Who may touch an instance now, and why if that is told. */
  'instance-owner': InstanceEvent & { from: OwnerKind; to: OwnerKind; why: string | undefined };
  'instance-started': InstanceEvent & { elapsedMs: number };
  'instance-start-failed': InstanceEvent & { elapsedMs: number; error: unknown };
  /** A browser is gone (`crash`), does not answer (`unresponsive`), or could not be cleaned (`reset`). */
  'instance-lost': InstanceEvent & { cause: LossCause; reason: string };
  /** A failed instance is started again after `delayMs`. */
  'instance-restarting': InstanceEvent & { delayMs: number };
  /** An instance stays failed: `MAX_RESTARTS` is used up, or `AUTO_RESTART` is off. Told once until it has started again. */
  'instance-given-up': InstanceEvent & { reason: string | null };
  'instance-recycled': InstanceEvent & RecycleReason;
  /** `error` tells why there is no answer; `isError`: the tool has answered that it failed. */
  'tool-called': InstanceEvent & { tool: string; elapsedMs: number; error: unknown; isError: boolean };
  /** A reload has added pools, or removed one: `names` are those that there are now. */
  'pools-changed': { names: readonly string[] };
  /** Whether browsers may be started; `reason` tells why not. */
  pressure: { reason: string | undefined };
}

/** The names of all events. */
export const POOL_EVENTS = [
  'lease-granted',
  'lease-refused',
  'lease-ended',
  'lease-leaked',
  'leak-ended',
  'instance-state',
  'instance-owner',
  'instance-started',
  'instance-start-failed',
  'instance-lost',
  'instance-restarting',
  'instance-given-up',
  'instance-recycled',
  'tool-called',
  'pools-changed',
  'pressure',
] as const satisfies readonly (keyof PoolEvents)[];

export type LossCause = 'crash' | 'unresponsive' | 'reset';
