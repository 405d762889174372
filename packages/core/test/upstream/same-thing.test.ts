import { describe, expect, it } from 'vitest';
import { isSameThing } from '../../src/upstream/references/same-thing.js';

interface Change {
  /** The names of the buttons then, the one in question first. */
  before: readonly string[];
  /** The names in the same nodes now; `undefined` for one that is gone. */
  after: readonly (string | undefined)[];
}

const button = (name: string, node: number) => ({ role: 'button', name, ref: `e${node}` });

/** Nodes have another reference as soon as they have another name. */
function isSame({ before, after }: Change): boolean {
  const [first, ...beside] = before.map(button);
  const seen = after.map((name, node) => {
    if (name === undefined) return undefined;
    return { role: 'button', name, ref: `kqbze${name === before[node] ? node : node + 100}` };
  });
  const [now, ...others] = seen;
  if (!first || !now) throw new Error('There is nothing to compare.');
  const shown = [now, ...others].filter((each) => each !== undefined);
  return isSameThing({ ...first, only: true, beside }, now, shown);
}

describe('a node with another name', () => {
  it.each<[string, Change]>([
    ['counts', { before: ['Cart (1)', 'Pay'], after: ['Cart (2)', 'Pay'] }],
    [
      'counts, and another thing does something else',
      { before: ['Cart (1)', 'Play'], after: ['Cart (2)', 'Pause'] },
    ],
    ['tells its state', { before: ['Follow', 'Block'], after: ['Following', undefined] }],
    ['switches', { before: ['Play', 'Next'], after: ['Pause', 'Next'] }],
    [
      'switches, and something is added',
      { before: ['Show more', 'Next'], after: ['Show less', 'Next', 'Item'] },
    ],
  ])('is the same thing: it %s [arch-reference-01]', (_, change) => {
    expect(isSame(change)).toBe(true);
  });

  it.each<[string, Change]>([
    ['its list was scrolled', { before: ['Buy item 1', 'Buy item 2'], after: ['Buy item 7', 'Buy item 8'] }],
    [
      'its row was removed from a list',
      { before: ['Delete Ada', 'Delete Bob'], after: ['Delete Bob', undefined] },
    ],
    ['a row was put before it', { before: ['Delete Ada'], after: ['Delete Cy', 'Delete Ada'] }],
    ['two rows were swapped', { before: ['Ada', 'Bob'], after: ['Bob', 'Ada'] }],
    ['the next step has come', { before: ['Next', 'Skip'], after: ['Place order', undefined] }],
    ['all has another language', { before: ['Open', 'Close'], after: ['Öffnen', 'Schließen'] }],
  ])('is not: %s [arch-reference-02]', (_, change) => {
    expect(isSame(change)).toBe(false);
  });

  it('is not when its role is another [arch-reference-02]', () => {
    const was = { ...button('Save', 1), only: true, beside: [] };
    const now = { role: 'link', name: 'Save', ref: 'kqbze2' };
    expect(isSameThing(was, now, [now])).toBe(false);
  });
});
