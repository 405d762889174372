import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import type { Principal } from '../principals/principal.js';
import { cancelled } from '../waiting/abort.js';
import { AbortWatch } from '../waiting/abort-watch.js';
import type { AcquireOptions, Grant } from './grant.js';
import { comesBefore, Line, Party, type Place, type Waiter } from './line.js';

/** `LEASE_FAIRNESS`: whether those who wait are served by turns of their principals, or as they came. */
export type LeaseFairness = 'principal' | 'arrival';

/** An error in words for a caller, which is told only what is its own. */
export type ErrorFor = (caller: Principal | undefined) => PwpoolError;

export interface WaitersOptions {
  clock: Clock;
  fairness: LeaseFairness;
  limit: number | undefined;
  /** Words the error of a caller that finds the line full. */
  onFull: (caller: AcquireOptions) => PwpoolError;
  /** Words the error of a waiter that ran out of time and has just left. */
  onTimeout: (waiter: Waiter) => PwpoolError;
}

/** Those who wait, with their deadlines and abort signals. Every way out passes through `leave`. */
export class Waiters {
  /** Those who take any entry; an entry holds the line of those who wait for it. */
  readonly anyLine = new Line();
  readonly #clock: Clock;
  readonly #fairness: LeaseFairness;
  /** Of all who have no principal; with `arrival`, of all. */
  readonly #common = new Party(undefined);
  /** Of the principals that wait, by name. */
  readonly #parties = new Map<string, Party>();
  /** Of the principal that asked last: most often it is the next one too. */
  #latest = this.#common;
  readonly #onFull: (caller: AcquireOptions) => PwpoolError;
  readonly #onTimeout: (waiter: Waiter) => PwpoolError;
  readonly #aborts = new AbortWatch<Waiter>((waiter, signal) => {
    this.#reject(waiter, cancelled(signal, 'The wait for a lease'));
  });
  #limit = Number.POSITIVE_INFINITY;
  #count = 0;
  #arrivals = 0;
  #turns = 0;
  /** Number of parties that wait. */
  #waitingParties = 0;

  /** @throws PwpoolError as `setLimit` */
  constructor({ clock, fairness, limit, onFull, onTimeout }: WaitersOptions) {
    this.#clock = clock;
    this.#fairness = fairness;
    this.#onFull = onFull;
    this.#onTimeout = onTimeout;
    this.setLimit(limit);
  }

  /** Number of waiters in all lines. */
  get count(): number {
    return this.#count;
  }

  /** @throws PwpoolError `INVALID_ARGUMENTS` if it is no whole number, 0 or more */
  setLimit(limit: number | undefined): void {
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) {
      throw new PwpoolError('INVALID_ARGUMENTS', `The queue cannot have a limit of ${limit} waiters.`, {
        hint: 'Give the limit as a whole number, 0 or more, or undefined for none.',
      });
    }
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
  }

  /** Stands a caller in line until it is taken out; refuses it if the lines are full. */
  join(line: Line, caller: AcquireOptions): Promise<Grant> {
    if (this.#count >= this.#limit) return Promise.reject(this.#onFull(caller));
    const party = this.#partyOf(caller.principal);
    const place = line.placeOf(party) ?? this.#open(line, party);
    return new Promise((resolve, reject) => {
      const { timeoutMs, signal, onWait } = caller;
      const waiter: Waiter = {
        previous: undefined,
        next: undefined,
        caller,
        place,
        sequence: this.#arrivals++,
        position: this.#count,
        since: this.#clock.now(),
        cancelTimer: this.#clock.after(timeoutMs, () => this.#timeOut(waiter)),
        resolve,
        reject,
      };
      place.waiters.append(waiter);
      if (signal) this.#aborts.add(signal, waiter);
      this.#count += 1;
      try {
        onWait?.({ position: () => this.#ahead(waiter) });
      } catch (error) {
        // Its caller is gone with the error; the callback may have ended the wait before.
        if (isIn(line, waiter)) this.leave(waiter);
        throw error;
      }
    });
  }

  #partyOf(principal: Principal | undefined): Party {
    if (!principal || this.#fairness === 'arrival') return this.#common;
    const { name } = principal;
    if (this.#latest.name !== name) this.#latest = this.#parties.get(name) ?? new Party(name);
    return this.#latest;
  }

  /** One that begins to wait comes behind those that wait already. */
  #open(line: Line, party: Party): Place {
    if (party.places.size === 0) {
      party.turn = ++this.#turns;
      this.#waitingParties += 1;
      if (party.name !== undefined) this.#parties.set(party.name, party);
    }
    return line.open(party);
  }

  /**
   * Those in the waiter's own line, and for a keyed one also those who take any entry, who come before it: of its own party
   * those who came first, and of every other one as many as have their turns meanwhile.
   */
  #ahead({ place: { line, party }, sequence }: Waiter): number {
    let own = 0;
    const others = new Map<Party, number>();
    for (const each of new Set([line, this.anyLine])) {
      for (const waiter of each) {
        const other = waiter.place.party;
        if (other !== party) others.set(other, (others.get(other) ?? 0) + 1);
        else if (waiter.sequence < sequence) own += 1;
      }
    }
    let ahead = own;
    for (const [{ turn }, waiting] of others) ahead += Math.min(waiting, turn < party.turn ? own + 1 : own);
    return ahead;
  }

  /** The next one of `line` and of those who take any entry. */
  next(line: Line): Waiter | undefined {
    const keyed = line.first;
    const any = this.anyLine.first;
    if (!keyed || !any) return keyed ?? any;
    return comesBefore(keyed, any) ? keyed : any;
  }

  /** Takes one out of its line that has its turn; the caller resolves it. */
  serve(waiter: Waiter): void {
    this.leave(waiter);
    // Alone it comes before whoever comes later, also with the turn that it had.
    if (this.#waitingParties < 2) return;
    const { party } = waiter.place;
    // What a heap is ordered by does not change while it is in there.
    for (const place of party.places) place.line.takeOut(place);
    party.turn = ++this.#turns;
    for (const place of party.places) place.line.putBack(place);
  }

  /** Takes one out of its line; the caller settles it. */
  leave(waiter: Waiter): void {
    const { place, caller } = waiter;
    place.waiters.remove(waiter);
    if (!place.waiters.first) this.#clear(place);
    waiter.cancelTimer();
    if (caller.signal) this.#aborts.delete(caller.signal, waiter);
    this.#count -= 1;
  }

  /** Nobody stands there any more. */
  #clear(place: Place): void {
    const { line, party } = place;
    line.remove(place);
    if (party.places.size > 0) return;
    this.#waitingParties -= 1;
    if (party.name !== undefined) this.#parties.delete(party.name);
  }

  /** Those in these lines and those who take any entry, in order of arrival. */
  all(lines: Iterable<Line>): Waiter[] {
    const waiters = [this.anyLine, ...lines].flatMap((line) => [...line]);
    return waiters.sort((a, b) => a.sequence - b.sequence);
  }

  rejectLine(line: Line, error: PwpoolError | ErrorFor): void {
    for (let waiter = line.first; waiter; waiter = line.first) {
      this.#reject(waiter, typeof error === 'function' ? error(waiter.caller.principal) : error);
    }
  }

  #timeOut(waiter: Waiter): void {
    this.leave(waiter);
    waiter.reject(this.#onTimeout(waiter));
  }

  #reject(waiter: Waiter, error: PwpoolError): void {
    this.leave(waiter);
    waiter.reject(error);
  }
}

function isIn(line: Line, wanted: Waiter): boolean {
  return [...line].includes(wanted);
}
