import { describe, expect, it } from 'vitest';
import { renderTree } from '../../src/snapshot/render-tree.js';
import { flattened, nested } from '../../src/snapshot/tree-forms.js';
import { type AriaRow, parseTree } from '../../src/upstream/snapshots/parse-tree.js';

/** The rows with all that is read of them. */
const plain = (rows: readonly AriaRow[]) => rows.map(({ depth, node }) => ({ depth, node }));

/** As Playwright prints it. */
const PAGE = String.raw`- generic [active] [ref=kqbze1]:
  - banner [ref=kqbze2]:
    - 'heading "Shop: \"all\" of it''s" [level=1] [ref=kqbze3]'
    - 'link "Price: 3 € # now" [ref=kqbze4] [cursor=pointer]':
      - /url: https://a.example/?q=1#top
      - text: "Price: 3 € # now"
  - 'textbox "It''s: here" [invalid=spelling] [ref=kqbze5]':
    - /placeholder: "yes"
    - text: typed
  - checkbox "All" [checked=mixed] [disabled] [ref=kqbze6]
  - text: "- no item"
  - text: "two\nlines\x00 and \\ a tab\tin \"quotes\""
  - paragraph [ref=kqbze7]: plain text [ref=kqbze1] and a 'quote'
  - paragraph [ref=kqbze8]: "12"
  - iframe [ref=kqbze9]:
    - button "In the frame\nbelow" [pressed] [ref=kqbzf1e2] [box=8,8,21,21]
    - generic [ref=kqbzf1e3]: ""
  - listitem "\ud800 alone \u0000" [ref=kqbze10]
- 'button "{" [ref=kqbze11]'`;

describe('the tree of a page', () => {
  it('is rendered as it was read', () => {
    expect(renderTree(parseTree(PAGE))).toBe(PAGE);
    expect(renderTree(parseTree(''))).toBe('');
  });

  it('is nodes with role, name, reference, attributes, properties and text', () => {
    const [root] = nested(parseTree(PAGE));
    const children = (root?.['children'] ?? []) as object[];
    expect(root).toMatchObject({ role: 'generic', active: true, ref: 'kqbze1' });
    const [banner, textbox, , dash, lines, paragraph, number, iframe] = children;
    expect(banner).toMatchObject({
      children: [
        { role: 'heading', name: 'Shop: "all" of it\'s', level: 1, ref: 'kqbze3' },
        {
          role: 'link',
          name: 'Price: 3 € # now',
          ref: 'kqbze4',
          cursor: 'pointer',
          url: 'https://a.example/?q=1#top',
        },
      ],
    });
    expect(textbox).toMatchObject({ name: "It's: here", invalid: 'spelling', placeholder: 'yes' });
    expect(dash).toEqual({ role: 'text', text: '- no item' });
    expect(lines).toEqual({ role: 'text', text: 'two\nlines\0 and \\ a tab\tin "quotes"' });
    expect(paragraph).toMatchObject({ ref: 'kqbze7', text: "plain text [ref=kqbze1] and a 'quote'" });
    expect(number).toMatchObject({ text: '12' });
    expect(iframe).toMatchObject({
      children: [
        { name: 'In the frame\nbelow', pressed: true, box: { x: 8, y: 8, width: 21, height: 21 } },
        {},
      ],
    });
  });

  it('is a list when it is flattened, each node with its depth and what it is in', () => {
    const list = flattened(parseTree(PAGE)).map(({ node }) => node);
    expect(list[3]).toMatchObject({ role: 'link', attributes: { depth: 2, path: 'banner' } });
    expect(list.at(-1)).toMatchObject({ role: 'button', attributes: { depth: 0 } });
    expect(list.find(({ name }) => name?.startsWith('In the'))?.attributes).toMatchObject({
      depth: 2,
      path: 'iframe',
    });
  });

  it.each([
    ['what is no line of a snapshot', 'no line\n  - button "open\n- x [y\n-\n'],
    ['a depth that nothing leads to', '        - button "deep" [ref=e1]'],
    ['quotes that do not end', `- 'button "x" [ref=e1]`],
    ['properties of nothing', '- /url: x'],
  ])('takes %s for text, and fails at nothing', (_, text) => {
    const rows = parseTree(text);
    expect(rows).toHaveLength(text.split('\n').length);
    expect(plain(parseTree(renderTree(rows)))).toEqual(plain(rows));
  });

  it('holds 100,000 nodes, texts of 10 MB and nesting without end', () => {
    const many = Array.from(
      { length: 100_000 },
      (_, i) => `  - link "Link ${i}: it's" [ref=kqbze${i}]: text`,
    );
    const long = `"${'\\x00 \\"'.repeat(50_000)}${'x'.repeat(10_000_000)}"`;
    const deep = Array.from({ length: 3_000 }, (_, i) => `${'  '.repeat(i)}- generic [ref=kqbze${i}]:`);
    const text = ['- main [ref=kqbze1]:', ...many, `- text: ${long}`, ...deep].join('\n');
    const rows = parseTree(text);
    expect(rows).toHaveLength(1 + 100_000 + 1 + 3_000);
    expect(flattened(rows)).toHaveLength(rows.length);
    expect(nested(rows)).toHaveLength(3);
    expect(rows[100_001]?.node.text).toHaveLength(10_150_000);
  });
});
