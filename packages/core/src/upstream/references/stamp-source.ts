import { randomInt } from 'node:crypto';

const LETTERS = 26;
const COMBINATIONS = LETTERS ** 4;

/** Shares no factor with 26, so that the walk meets every combination once; large, so that neighbours differ. */
const STRIDE = 282_427;

/** Of how many stamps, the latest, the owner is known. */
const REMEMBERED = 4_096;

/**
 * Hands out stamps, four lower-case letters each, none of them twice before all 456,976 were used.
 *
 * One source serves a whole process (`processStamps`): two sources would give the same stamps some day.
 */
export class StampSource {
  readonly #owners = new Map<string, object>();
  #last = randomInt(COMBINATIONS);

  /** A new stamp for `owner`. */
  next(owner: object): string {
    this.#last = (this.#last + STRIDE) % COMBINATIONS;
    let rest = this.#last;
    let stamp = '';
    for (let place = 0; place < 4; place++) {
      stamp += String.fromCharCode(97 + (rest % LETTERS));
      rest = Math.floor(rest / LETTERS);
    }
    this.#owners.delete(stamp);
    this.#owners.set(stamp, owner);
    if (this.#owners.size > REMEMBERED) {
      for (const oldest of this.#owners.keys()) {
        this.#owners.delete(oldest);
        break;
      }
    }
    return stamp;
  }

  /** Whose stamp this is, or `undefined` when it was never given out, or long ago. */
  ownerOf(stamp: string): object | undefined {
    return this.#owners.get(stamp);
  }
}

/** The stamps of this process. */
export const processStamps = new StampSource();
