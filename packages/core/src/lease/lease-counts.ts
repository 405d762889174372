import type { Principal } from '../principals/principal.js';

export interface LeaseCounts {
  /** Warm and cold ones. A lease would get one of them at once, but for those in `held`. */
  readonly idle: number;
  /** Those of the idle entries that are not granted for now: the cold ones, while `holdCold` is on. */
  readonly held: number;
  readonly leased: number;
  readonly reserved: number;
  readonly waiting: number;
}

/** What is known of a caller that was refused because the line is full. */
export interface LineFullInfo {
  /** The entry asked for; undefined if any would have done. */
  readonly key: string | undefined;
  readonly label: string | undefined;
  readonly principal: Principal | undefined;
  /** The queue at this moment, the caller itself not counted. */
  readonly counts: LeaseCounts;
}

/** What is known of a wait that reached its deadline. */
export interface LeaseTimeoutInfo extends LineFullInfo {
  readonly waitedMs: number;
  /** Number of waiters in the queue when this one joined. */
  readonly position: number;
}

/** One who waits. */
export interface WaitingInfo {
  /** The entry that it waits for; undefined if any will do. */
  key: string | undefined;
  label: string | undefined;
  principal: Principal | undefined;
  /** Milliseconds since the Unix epoch. */
  since: number;
}
