import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { cancelled } from '../waiting/abort.js';
import { Entry, EntryGrant, type EntryState } from './entry.js';
import type { AcquireOptions, Grant, GrantReleaseOptions } from './grant.js';
import { IdleEntries } from './idle-entries.js';
import type { LeaseStrategy } from './idle-order.js';
import type { LeaseCounts, LeaseTimeoutInfo, LineFullInfo, WaitingInfo } from './lease-counts.js';
import { comesBefore, type Waiter } from './line.js';
import { type ErrorFor, type LeaseFairness, Waiters } from './waiters.js';

export type { LeaseStrategy } from './idle-order.js';
export type { LeaseCounts, LeaseTimeoutInfo, LineFullInfo, WaitingInfo } from './lease-counts.js';
export type { LeaseFairness } from './waiters.js';

export interface LeaseQueueOptions {
  clock: Clock;
  /** Default `fifo`. */
  strategy?: LeaseStrategy;
  /** Default `principal`. */
  fairness?: LeaseFairness;
  /** At most this many wait at a time. No limit by default. */
  limit?: number | undefined;
  /** Words the error of a caller that would have to wait while the line is full. */
  onFull: (info: LineFullInfo) => PwpoolError;
  /** Words the error of a wait that ran out of time: the owner knows who holds what, the queue does not. */
  onTimeout: (info: LeaseTimeoutInfo) => PwpoolError;
  /** A cold entry is granted: called before anyone else gets one, so this is where the owner may hold the others. */
  onCold?: (grant: Grant) => void;
}

export interface AddEntryOptions {
  /** Start out `reserved`: known by its key, so that callers can wait for it, but not leased before `restore`. */
  reserve?: boolean;
  /** Start out cold: its browser is not running. Default false. */
  cold?: boolean;
}

export interface RestoreEntryOptions {
  /** Whether its browser is not running now. By default the entry is as cold as it was. */
  cold?: boolean;
}

/**
 * Leases named entries, each to one holder at a time [000-lease-01, 000-lease-03, 000-lease-04].
 *
 * What it guarantees:
 * - An entry has one holder at most. A grant that is over can never free the lease of a later holder.
 * - Waiters are served by turns of their principals, and those of one principal in order of arrival, keyed and unkeyed
 *   together: an entry that comes back goes to the principal that has waited longest since it began to or had its last
 *   turn, of those with a waiter that may have it, and there to the earliest. So between two grants to one principal every
 *   other that waits for the entry has one, however many wait for the first; where all are of one principal, or with
 *   `arrival`, order of arrival is all there is.
 * - No entry that may be granted is idle while someone waits who could take it, so an acquire that is granted at once
 *   overtakes nobody. Only cold entries may not be granted, and only while `holdCold` is on; when it ends they are served
 *   out in the same order.
 * - An unkeyed acquire takes a warm idle entry, by the strategy, before a cold one, whose browser is not running. The
 *   grant makes a cold entry warm: the owner starts its browser.
 * - A wait ends by a grant, its deadline, its signal, `rejectWaiters`, `remove` or `close`, and leaves neither timer
 *   nor listener behind. The first of these decides: an abort after the grant changes nothing, `acquire` resolves,
 *   and the caller owns the entry and releases it.
 * - Acquire, release, cancel, reserve, restore and revoke take constant time, however many entries and waiters there
 *   are. Unkeyed waiters stand in one line and keyed ones in a line of their entry, in each of which a principal has a
 *   linked list, so the next that may have an entry is one of two heads. Where several principals wait, a turn costs time
 *   logarithmic in their number, in each line where the one that had it has more waiters. To lay an entry among the idle
 *   ones or take it out costs time logarithmic in their number with `round-robin` and `least-used`, and among the cold
 *   ones.
 *
 * Every change happens synchronously within the call that causes it; only the callers' promises settle later.
 *
 * The owner's calls that name a key throw `INSTANCE_NOT_FOUND` if there is no such entry.
 */
export class LeaseQueue {
  readonly #waiters: Waiters;
  /** In the order they were added. */
  readonly #entries = new Map<string, Entry>();
  readonly #idle: IdleEntries;
  readonly #onCold: (grant: Grant) => void;
  readonly #entriesIn: Record<EntryState, number> = { idle: 0, leased: 0, reserved: 0 };
  #added = 0;
  #grants = 0;
  #closedBy: PwpoolError | undefined;

  /** @throws PwpoolError `INVALID_ARGUMENTS` if the limit is no whole number */
  constructor({
    clock,
    strategy = 'fifo',
    fairness = 'principal',
    limit,
    onFull,
    onTimeout,
    onCold = () => {},
  }: LeaseQueueOptions) {
    this.#idle = new IdleEntries(strategy);
    this.#onCold = onCold;
    this.#waiters = new Waiters({
      clock,
      fairness,
      limit,
      onFull: ({ key, label, principal }) => onFull({ key, label, principal, counts: this.counts() }),
      onTimeout: ({ caller: { key, label, principal }, position, since }) =>
        onTimeout({ key, label, principal, waitedMs: clock.now() - since, position, counts: this.counts() }),
    });
  }

  counts(): LeaseCounts {
    return { ...this.#entriesIn, held: this.#idle.held, waiting: this.#waiters.count };
  }

  /** Who waits, in order of arrival. Walks the lines: for people, not for the hot path. */
  waiting(): WaitingInfo[] {
    const lines = [...this.#entries.values()].map(({ line }) => line);
    return this.#waiters
      .all(lines)
      .map(({ caller: { key, label, principal }, since }) => ({ key, label, principal, since }));
  }

  /** Whether an acquire of that entry would be granted at once. */
  isFree(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry?.state === 'idle' && !this.#idle.isHeld(entry);
  }

  /** Whoever may have any entry gets a doubtful one only if there is no other. Nothing to do for an entry that is gone. */
  setDoubtful(key: string, doubtful: boolean): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    if (entry.state === 'idle') this.#idle.remove(entry);
    entry.doubtful = doubtful;
    if (entry.state === 'idle') this.#idle.add(entry);
  }

  /** Undefined if there is no such entry. */
  stateOf(key: string): EntryState | undefined {
    return this.#entries.get(key)?.state;
  }

  /**
   * Adds an entry, as the latest returned; it serves the next waiter at once.
   * @throws PwpoolError `INVALID_ARGUMENTS` if the entry is there already
   */
  add(key: string, options: AddEntryOptions = {}): void {
    if (this.#entries.has(key)) {
      throw new PwpoolError('INVALID_ARGUMENTS', `Instance '${key}' is in the queue already.`);
    }
    const entry = new Entry(key, this.#added++);
    entry.cold = options.cold ?? false;
    this.#entries.set(key, entry);
    this.#entriesIn[entry.state] += 1;
    if (!options.reserve) this.#circulate(entry);
  }

  /**
   * Removes an entry, whatever its state. Its grant becomes void, and those who wait for it and no other are rejected
   * with `INSTANCE_NOT_FOUND`.
   */
  remove(key: string): void {
    const entry = this.#entry(key);
    this.#move(entry, 'reserved');
    this.#entriesIn[entry.state] -= 1;
    this.#entries.delete(key);
    this.#waiters.rejectLine(entry.line, this.#notFound(key));
  }

  /**
   * Leases an idle entry, or the entry `key`, waiting for it if need be.
   *
   * Rejects with a PwpoolError: `INSTANCE_NOT_FOUND` (unknown key), `INVALID_ARGUMENTS` (`timeoutMs`), `CANCELLED`
   * (signal; one that has aborted already never joins the line), what `onFull` gives (at once) or `onTimeout`, or the
   * error of `rejectWaiters` or `close`.
   */
  acquire(options: AcquireOptions): Promise<Grant> {
    const refusal = this.#refusal(options);
    if (refusal) return Promise.reject(refusal);
    const { key } = options;
    const wanted = key === undefined ? undefined : this.#entries.get(key);
    if (key !== undefined && !wanted) return Promise.reject(this.#notFound(key));
    const entry = wanted ?? this.#idle.next;
    if (entry?.state === 'idle' && !this.#idle.isHeld(entry))
      return Promise.resolve(this.#grant(entry, options));
    return this.#waiters.join(wanted?.line ?? this.#waiters.anyLine, options);
  }

  /**
   * Takes an idle entry out of circulation. False, and nothing changes, if it is leased or reserved already: the
   * holder hands it over with `release({ reserve: true })`.
   */
  reserve(key: string): boolean {
    const entry = this.#entry(key);
    if (entry.state !== 'idle') return false;
    this.#move(entry, 'reserved');
    return true;
  }

  /** Puts a reserved entry back into circulation, as the latest returned. False if it was not reserved. */
  restore(key: string, options: RestoreEntryOptions = {}): boolean {
    const entry = this.#entry(key);
    if (entry.state !== 'reserved') return false;
    entry.cold = options.cold ?? entry.cold;
    this.#circulate(entry);
    return true;
  }

  /**
   * Takes an entry out of circulation even from its holder: it is `reserved` after this call, whatever it was.
   * True if a grant became void by it; the holder's later release does nothing.
   */
  revoke(key: string): boolean {
    const entry = this.#entry(key);
    const leased = entry.state === 'leased';
    this.#move(entry, 'reserved');
    return leased;
  }

  /** Changes the strategy; the idle entries are in its order from now on. */
  setStrategy(strategy: LeaseStrategy): void {
    this.#idle.setStrategy(strategy);
  }

  /**
   * Changes how many may wait; undefined lifts the limit. Those who wait already stay, also beyond it.
   * @throws PwpoolError `INVALID_ARGUMENTS` if it is no whole number, 0 or more
   */
  setLimit(limit: number | undefined): void {
    this.#waiters.setLimit(limit);
  }

  /**
   * While held, no cold entry is granted, to nobody: whoever could only have one of them waits. Ending the hold serves
   * those who wait, one by one as for an entry that comes back, before it returns, unless `onCold` holds again.
   */
  holdCold(hold: boolean): void {
    const wasHeld = this.#idle.coldHeld;
    this.#idle.coldHeld = hold;
    if (hold || !wasHeld) return;
    for (let next = this.#nextInLine(); next; next = this.#nextInLine()) {
      this.#serve(next.waiter, next.entry);
    }
  }

  /** Rejects everyone who waits, or those who wait for the entry `key` and no other. */
  rejectWaiters(error: PwpoolError | ErrorFor, key?: string): void {
    if (key !== undefined) {
      this.#waiters.rejectLine(this.#entry(key).line, error);
      return;
    }
    this.#waiters.rejectLine(this.#waiters.anyLine, error);
    for (const entry of this.#entries.values()) this.#waiters.rejectLine(entry.line, error);
  }

  /** Rejects everyone who waits, and every later acquire, with the error of the first call. Grants stay valid. */
  close(error: PwpoolError): void {
    this.#closedBy ??= error;
    this.rejectWaiters(this.#closedBy);
  }

  #entry(key: string): Entry {
    const entry = this.#entries.get(key);
    if (!entry) throw this.#notFound(key);
    return entry;
  }

  #notFound(key: string): PwpoolError {
    const keys = [...this.#entries.keys()];
    return new PwpoolError('INSTANCE_NOT_FOUND', `Instance '${key}' not found in pool.`, {
      hint: keys.length === 0 ? 'The pool has no instances.' : `Use one of: ${keys.join(', ')}.`,
      details: { key, keys },
    });
  }

  /** Why an acquire is refused before it looks at any entry. */
  #refusal({ timeoutMs, signal }: AcquireOptions): PwpoolError | undefined {
    if (this.#closedBy) return this.#closedBy;
    if (signal?.aborted) return cancelled(signal, 'The wait for a lease');
    if (!Number.isFinite(timeoutMs) || timeoutMs < 0) {
      return new PwpoolError('INVALID_ARGUMENTS', `A lease cannot wait for ${timeoutMs} ms.`, {
        hint: 'Give timeoutMs as a finite number, 0 or more.',
      });
    }
    return undefined;
  }

  /** The next waiter that an idle entry may be granted to, with the entry. Looks at all: not for the hot path. */
  #nextInLine(): { waiter: Waiter; entry: Entry } | undefined {
    if (this.#idle.coldHeld) return undefined;
    let first: { waiter: Waiter; entry: Entry } | undefined;
    // The map is in the order in which unkeyed waiters take cold entries.
    for (const entry of this.#entries.values()) {
      const waiter = entry.state === 'idle' ? this.#waiters.next(entry.line) : undefined;
      if (waiter && (!first || comesBefore(waiter, first.waiter))) first = { waiter, entry };
    }
    return first;
  }

  /** Gives a free entry to the next waiter that may have it, or else lets it lie idle. */
  #circulate(entry: Entry): void {
    const waiter = this.#idle.isHeld(entry) ? undefined : this.#waiters.next(entry.line);
    if (waiter) this.#serve(waiter, entry);
    else this.#move(entry, 'idle');
  }

  #serve(waiter: Waiter, entry: Entry): void {
    this.#waiters.serve(waiter);
    waiter.resolve(this.#grant(entry, waiter.caller));
  }

  #grant(entry: Entry, { startsItself = false }: Pick<AcquireOptions, 'startsItself'>): Grant {
    this.#move(entry, 'leased');
    const { cold } = entry;
    entry.cold = false;
    entry.grants += 1;
    entry.lastGrant = ++this.#grants;
    const grant = new EntryGrant(entry, this.#giveBack);
    entry.holder = grant;
    if (cold && !startsItself) this.#onCold(grant);
    return grant;
  }

  readonly #giveBack = (entry: Entry, { reserve = false, cold = false }: GrantReleaseOptions): void => {
    this.#move(entry, 'reserved');
    entry.cold = cold;
    if (!reserve) this.#circulate(entry);
  };

  /** The only place where an entry changes its state: keeps idle entries and counts true, and voids the grant. */
  #move(entry: Entry, state: EntryState): void {
    if (entry.state === 'idle') this.#idle.remove(entry);
    if (state === 'idle') this.#idle.add(entry);
    this.#entriesIn[entry.state] -= 1;
    this.#entriesIn[state] += 1;
    entry.state = state;
    entry.holder = undefined;
  }
}
