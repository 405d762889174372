import type { CancelTimer } from '../clock.js';
import type { PwpoolError } from '../errors.js';
import { LinkedList, type ListNode } from '../waiting/linked-list.js';
import type { AcquireOptions, Grant } from './grant.js';
import { Heap, type HeapNode } from './heap.js';

/** One caller in line: what it asked for, where it stands, and how to settle its promise. */
export interface Waiter extends ListNode<Waiter> {
  readonly caller: AcquireOptions;
  readonly place: Place;
  /** Order of arrival over all lines. */
  readonly sequence: number;
  /** Number of waiters, in all lines, when this one joined. */
  readonly position: number;
  /** When it joined, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly cancelTimer: CancelTimer;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (error: PwpoolError) => void;
}

/** Those who take turns as one: the waiters of a principal, in whatever lines they stand. */
export class Party {
  /** The principal's; `undefined` for all who have none. */
  readonly name: string | undefined;
  /** Orders those that wait: when they began to, or were served last. No two have the same. */
  turn = 0;
  /** Where it has waiters. */
  readonly places = new Set<Place>();

  constructor(name: string | undefined) {
    this.name = name;
  }
}

/** The waiters of one party in one line, in order of arrival. */
export class Place implements HeapNode {
  heapIndex = 0;
  readonly line: Line;
  readonly party: Party;
  readonly waiters = new LinkedList<Waiter>();

  constructor(line: Line, party: Party) {
    this.line = line;
    this.party = party;
  }
}

/**
 * Those who wait for one entry, or for any. Turns go round: the next one is of the party whose turn was longest ago, and of
 * its waiters the one that came first.
 */
export class Line {
  readonly #places = new Map<Party, Place>();
  readonly #order = new Heap<Place>((a, b) => a.party.turn - b.party.turn);
  /** The next of the order, at hand: with one party it is all that a hand-over looks at. */
  #next: Place | undefined = undefined;

  get first(): Waiter | undefined {
    return this.#next?.waiters.first;
  }

  /** Where the waiters of a party stand; `undefined` if it has none here. */
  placeOf(party: Party): Place | undefined {
    const next = this.#next;
    return next?.party === party ? next : this.#places.get(party);
  }

  /** A place for the first waiter of a party, which has a turn. One without waiters is left to `remove`. */
  open(party: Party): Place {
    const place = new Place(this, party);
    this.#places.set(party, place);
    party.places.add(place);
    this.putBack(place);
    return place;
  }

  remove(place: Place): void {
    this.takeOut(place);
    this.#places.delete(place.party);
    place.party.places.delete(place);
  }

  /** Takes a place out of the order while the turn of its party changes; `putBack` ends it. */
  takeOut(place: Place): void {
    this.#order.remove(place);
    this.#next = this.#order.next;
  }

  putBack(place: Place): void {
    this.#order.add(place);
    this.#next = this.#order.next;
  }

  /** Party by party. Walks the line: for people, not for the hot path. */
  *[Symbol.iterator](): Generator<Waiter> {
    for (const { waiters } of this.#places.values()) {
      for (let waiter = waiters.first; waiter; waiter = waiter.next) yield waiter;
    }
  }
}

/** Whether it comes before another one that may have the same entry. */
export function comesBefore(a: Waiter, b: Waiter): boolean {
  const { party } = a.place;
  const { party: other } = b.place;
  return party === other ? a.sequence < b.sequence : party.turn < other.turn;
}
