import { describe, expect, it } from 'vitest';
import { ariaTree } from '../../src/compact/aria-tree.js';

const ALL = { stamp: 'abcd', limit: 100, offset: 0 };

/** As Playwright 1.65.1 answers it. */
const PAGE = [
  {
    role: 'generic',
    active: true,
    ref: 'e1',
    children: [
      {
        role: 'navigation',
        name: 'Main Menu',
        ref: 'e2',
        children: [
          { role: 'link', name: 'Home', ref: 'e3', cursor: 'pointer', url: '/' },
          { role: 'link', name: 'About', ref: 'e4', cursor: 'pointer', url: '/about' },
        ],
      },
      { role: 'heading', name: 'Welcome', level: 1, ref: 'e5' },
      { role: 'generic', ref: 'e6', children: ['Email', { role: 'textbox', name: 'Email', ref: 'e7' }] },
      { role: 'textbox', name: 'City', ref: 'e8', text: 'Graz' },
      { role: 'generic', ref: 'e9', cursor: 'pointer', text: 'Row' },
    ],
  },
];

describe('the tree of a compact snapshot', () => {
  it("has the seed's shape: roles, names, states, and references where one can act [002-snapshot-01]", () => {
    expect(ariaTree(PAGE, ALL)).toEqual({
      nextOffset: undefined,
      tree: [
        {
          role: 'navigation',
          name: 'Main Menu',
          children: [
            { role: 'link', name: 'Home', url: '/', ref: 'abcde3' },
            { role: 'link', name: 'About', url: '/about', ref: 'abcde4' },
          ],
        },
        { role: 'heading', name: 'Welcome', level: 1 },
        { role: 'text', name: 'Email' },
        { role: 'textbox', name: 'Email', value: '', ref: 'abcde7' },
        { role: 'textbox', name: 'City', value: 'Graz', ref: 'abcde8' },
        { role: 'generic', text: 'Row', ref: 'abcde9' },
      ],
    });
  });

  it('is paged: each node once, within the nodes that hold it', () => {
    const first = ariaTree(PAGE, { ...ALL, limit: 2 });
    expect(first).toEqual({
      nextOffset: 2,
      tree: [
        {
          role: 'navigation',
          name: 'Main Menu',
          children: [{ role: 'link', name: 'Home', url: '/', ref: 'abcde3' }],
        },
      ],
    });
    expect(ariaTree(PAGE, { ...ALL, limit: 2, offset: 2 })).toEqual({
      nextOffset: 4,
      tree: [
        { role: 'navigation', children: [{ role: 'link', name: 'About', url: '/about', ref: 'abcde4' }] },
        { role: 'heading', name: 'Welcome', level: 1 },
      ],
    });
    expect(ariaTree(PAGE, { ...ALL, offset: 50 })).toEqual({ nextOffset: undefined, tree: [] });
  });

  it('is bounded, whatever the page holds', () => {
    const nodes = Array.from({ length: 100_000 }, (_, index) => ({ role: 'button', name: `${index}` }));
    const { tree, nextOffset } = ariaTree(nodes, { ...ALL, limit: 300 });
    expect([tree.length, nextOffset]).toEqual([300, 300]);
    const wordy = nodes.slice(0, 300).map((node) => ({ ...node, name: 'x'.repeat(1_000) }));
    const page = ariaTree(wordy, { ...ALL, limit: 300 });
    expect(JSON.stringify(page.tree).length).toBeLessThan(25_000);
    expect(page.nextOffset).toBe(page.tree.length);
    const long = 'x'.repeat(10_000_000);
    const texts = [long, { role: 'paragraph', text: long }, { role: 'link', name: long, url: `/${long}` }];
    expect(JSON.stringify(ariaTree(texts, ALL)).length).toBeLessThan(2_000);
    expect(ariaTree([null, 3, { role: 'button', name: 'a\0\ud800' }], ALL).tree).toEqual([
      { role: 'button', name: 'a\0\ud800' },
    ]);
  });
});
