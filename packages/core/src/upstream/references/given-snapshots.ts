import { elementsIn, type SeenElement } from '../snapshots/snapshot-elements.js';
import { kindOfTarget } from './element-reference.js';

/** Characters of snapshots that are kept: about four pages of 2,000 links. */
const KEPT = 1_000_000;

/** An element that a snapshot had. */
export interface GivenElement extends SeenElement {
  /** No other in the snapshot had the same role and name. */
  only: boolean;
  /** The others of the snapshot, with references as upstream has them. */
  beside: readonly SeenElement[];
}

/** The snapshots that were given out last, to tell what an element was whose reference is no longer good. */
export class GivenSnapshots {
  /** The latest first. */
  #snapshots: readonly { readonly stamp: string; readonly text: string }[] = [];

  /** @param text the snapshot, its references without the stamp */
  keep(stamp: string, text: string): void {
    let left = KEPT;
    this.#snapshots = [{ stamp, text }, ...this.#snapshots].filter((given) => {
      left -= given.text.length;
      return left >= 0;
    });
  }

  find(reference: string): GivenElement | undefined {
    const target = kindOfTarget(reference);
    if (target.kind !== 'stamped') return undefined;
    for (const { stamp, text } of this.#snapshots) {
      const elements = stamp === target.stamp ? elementsIn(text) : [];
      const found = elements.find(({ ref }) => ref === target.bare);
      if (!found) continue;
      const beside = elements.filter((each) => each !== found);
      const only = !beside.some(({ role, name }) => role === found.role && name === found.name);
      return { ...found, ref: reference, only, beside };
    }
    return undefined;
  }
}
