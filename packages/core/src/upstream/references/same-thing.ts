import type { SeenElement } from '../snapshots/snapshot-elements.js';
import { bareOf } from './element-reference.js';
import type { GivenElement } from './given-snapshots.js';

/** Letters by which two words with other endings are the same word: "Save", "Saving". */
const STEM = 3;

/**
 * Whether a node that was given another name is still the thing that it was. A counter or a switch is; a list that
 * shows other rows in the same nodes, and a step that gives way to the next one, are not.
 *
 * Where the name says the same with another number or ending, elements of that kind must be as they were. Where it says
 * something else, all others must.
 * @param after what the page shows now
 */
export function isSameThing(was: GivenElement, now: SeenElement, after: readonly SeenElement[]): boolean {
  if (was.role !== now.role) return false;
  const isMoved = after.some(({ role, name }) => role === was.role && name === was.name);
  if (isMoved) return false;
  const isLike = ({ role, name }: SeenElement) => role === was.role && sayTheSame(was.name, name);
  const witnesses = isLike(now) ? was.beside.filter(isLike) : was.beside;
  const there = new Set(after.map(({ ref }) => bareOf(ref)));
  return witnesses.every(({ ref }) => there.has(ref));
}

/** "Add to cart (1)" and "Add to cart (2)", "Follow" and "Following". */
function sayTheSame(one: string, other: string): boolean {
  const [ones, others] = [wordsOf(one), wordsOf(other)];
  return (
    ones.length === others.length &&
    ones.every((word, index) => {
      const second = others[index];
      return word === second || word.slice(0, STEM) === second?.slice(0, STEM);
    })
  );
}

/** Without numbers and signs. */
function wordsOf(name: string): string[] {
  return name.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
}
