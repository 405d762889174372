import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import type { View } from './view-arguments.js';

/** Milliseconds from its last use for which a snapshot is kept [000-shared-02]. */
const TTL_MS = 5 * 60_000;

/** Characters of all snapshots together, beyond which those go that were used longest ago. */
const CAPACITY = 32 * 1024 * 1024;

/** A snapshot that a holder was shown, or a part of it. */
export interface KeptSnapshot {
  /** Names it in calls of its holder. */
  readonly key: string;
  readonly text: string;
  /** The page's: as it was given, and as it was in the end. */
  readonly addresses: readonly string[];
  /** Which documents it is of: what the references in it begin with. Unknown where references bear no stamp. */
  readonly stamp: string | undefined;
  /** How it was looked at first, and is looked at again unless a call says otherwise. */
  readonly view: View;
}

interface Entry {
  readonly snapshot: KeptSnapshot;
  readonly holder: string;
  usedAt: number;
  /** The holder was told its key, and may come back to it. */
  told: boolean;
}

/**
 * The snapshots of all holders, in the order of their use, each of them for five minutes from its last use. Each is known
 * to the holder it was made for, whatever browser that has by then [000-bulk-05].
 */
export class SnapshotCache {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry>();
  /** The latest snapshot of the whole page, by holder: what the next one is compared with. */
  readonly #latest = new Map<string, string>();
  #size = 0;

  constructor(clock: Clock, { capacity = CAPACITY }: { capacity?: number } = {}) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /** @param whole whether it is of all of the page, and so what the next one is compared with */
  add(holder: string, snapshot: Omit<KeptSnapshot, 'key'>, whole: boolean): KeptSnapshot {
    const key = randomBytes(5).toString('hex');
    const kept = { ...snapshot, key };
    this.#entries.set(key, { snapshot: kept, holder, usedAt: this.#clock.now(), told: !whole });
    this.#size += kept.text.length;
    if (whole) {
      const former = this.#latest.get(holder);
      if (former !== undefined && !this.#entries.get(former)?.told) this.#forget(former);
      this.#latest.set(holder, key);
    }
    this.#sweep();
    return kept;
  }

  /** The holder is told its key. */
  tell(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) entry.told = true;
  }

  /** The latest snapshot of all of the page that the holder had, unless it was too long ago. */
  latest(holder: string): KeptSnapshot | undefined {
    this.#sweep();
    return this.#entries.get(this.#latest.get(holder) ?? '')?.snapshot;
  }

  /** @throws PwpoolError `SNAPSHOT_EXPIRED` for one that is gone, or of another holder */
  use(holder: string, key: string): KeptSnapshot {
    this.#sweep();
    const entry = this.#entries.get(key);
    // Which keys others have is not told.
    if (entry?.holder !== holder) throw snapshotExpired(key, 'is not known, or no longer kept');
    entry.usedAt = this.#clock.now();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.snapshot;
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#size -= entry.snapshot.text.length;
    if (this.#latest.get(entry.holder) === key) this.#latest.delete(entry.holder);
  }

  #sweep(): void {
    const expired = this.#clock.now() - TTL_MS;
    for (const [key, { usedAt }] of this.#entries) {
      if (usedAt > expired && this.#size <= this.#capacity) return;
      this.#forget(key);
    }
  }
}

/** The error for a `cache_key` that shows nothing any more. */
export function snapshotExpired(key: string, reason: string): PwpoolError {
  return new PwpoolError('SNAPSHOT_EXPIRED', `The snapshot '${key}' ${reason}.`, {
    hint: 'Take browser_snapshot again, and page on with the cache_key of its answer; it is good for 5 minutes from its last use, in the session it was taken in.',
    details: { cache_key: key },
  });
}
