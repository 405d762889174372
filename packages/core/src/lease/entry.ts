import type { ListNode } from '../waiting/linked-list.js';
import type { Grant, GrantReleaseOptions } from './grant.js';
import type { HeapNode } from './heap.js';
import { Line } from './line.js';

/** `reserved` is out of circulation for maintenance: neither leased nor to be leased. */
export type EntryState = 'idle' | 'leased' | 'reserved';

/** One leasable name, with the line of those who wait for it and no other. Only the queue changes it. */
export class Entry implements ListNode<Entry>, HeapNode {
  /** Its place among the idle entries, in a list or in a heap. */
  previous: Entry | undefined = undefined;
  next: Entry | undefined = undefined;
  heapIndex = 0;
  readonly key: string;
  /** Orders entries by when they were added. */
  readonly added: number;
  /** Orders idle entries by when they became idle. */
  returned = 0;
  /** Orders entries by their latest grant, from 1; 0 if there was none. */
  lastGrant = 0;
  /** How often it was granted. */
  grants = 0;
  /** Its browser is not running. Changes only while the entry is not idle, as idle entries are ranked by it. */
  cold = false;
  /** Its browser may not answer. Idle entries are ranked by it, so they are taken out while it changes. */
  doubtful = false;
  state: EntryState = 'reserved';
  /** The one grant that is valid; set exactly while leased. */
  holder: Grant | undefined = undefined;
  readonly line = new Line();

  constructor(key: string, added: number) {
    this.key = key;
    this.added = added;
  }
}

/** A grant is valid as long as its entry names it as the holder, so making it void takes one assignment. */
export class EntryGrant implements Grant {
  readonly #entry: Entry;
  readonly #giveBack: (entry: Entry, options: GrantReleaseOptions) => void;

  constructor(entry: Entry, giveBack: (entry: Entry, options: GrantReleaseOptions) => void) {
    this.#entry = entry;
    this.#giveBack = giveBack;
  }

  get key(): string {
    return this.#entry.key;
  }

  get released(): boolean {
    return this.#entry.holder !== this;
  }

  release(options: GrantReleaseOptions = {}): void {
    if (!this.released) this.#giveBack(this.#entry, options);
  }
}
