import { describe, expect, it } from 'vitest';
import { pageOf } from '../../src/snapshot/snapshot-page.js';
import type { View } from '../../src/snapshot/view-arguments.js';
import { errorIn } from '../pool/pool-fixture.js';

const PAGE = `- main [ref=kqbze1]:
  - list "Fruit" [ref=kqbze2]:
    - listitem [ref=kqbze3]: apple
    - listitem [ref=kqbze4]:
      - link "Pear 12" [ref=kqbze5]:
        - /url: /pear
    - listitem [ref=kqbze6]: plum
  - button "Buy" [disabled] [ref=kqbze7]`;

const page = (view: Partial<View> = {}, { offset = 0, size = 10_000, of = PAGE } = {}) =>
  pageOf(
    of,
    { flatten: false, query: undefined, format: 'yaml', limit: undefined, ...view },
    { offset, size },
  );
const query = (expression: string) => page({ flatten: true, query: expression, format: 'json' });

describe('a page of a snapshot', () => {
  it('is the nodes from the offset on, below those that they are in', () => {
    expect(page({ limit: 2 }, { offset: 3 })).toEqual({
      total: 7,
      count: 2,
      text: [
        '- main [ref=kqbze1]:',
        '  - list "Fruit" [ref=kqbze2]:',
        '    - listitem [ref=kqbze4]:',
        '      - link "Pear 12" [ref=kqbze5]:',
        '        - /url: /pear',
      ].join('\n'),
    });
    expect(page().text).toBe(PAGE);
    expect(page({}, { offset: 7 })).toEqual({ total: 7, count: 0, text: '' });
  });

  it('shows every node once, however it is cut', () => {
    const shown: string[] = [];
    for (let offset = 0; offset < 7; ) {
      const { text, count } = page({ flatten: true }, { offset, size: 120 });
      expect(count).toBeGreaterThan(0);
      shown.push(text);
      offset += count;
    }
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.join('\n')).toBe(page({ flatten: true }).text);
  });

  it('is a list with depth and path when it is flattened [arch-answer-02]', () => {
    expect(page({ flatten: true, limit: 2 }, { offset: 4 }).text).toBe(
      [
        '- link "Pear 12" [ref=kqbze5] [depth=3] [path=main/list/listitem]:',
        '  - /url: /pear',
        '- listitem [ref=kqbze6] [depth=2] [path=main/list]: plum',
      ].join('\n'),
    );
  });

  it('is nodes as data in JSON, nested or in a list [arch-answer-02]', () => {
    expect(JSON.parse(page({ format: 'json', limit: 1 }, { offset: 4 }).text)).toEqual([
      {
        role: 'main',
        ref: 'kqbze1',
        children: [
          {
            role: 'list',
            name: 'Fruit',
            ref: 'kqbze2',
            children: [
              {
                role: 'listitem',
                ref: 'kqbze4',
                children: [{ role: 'link', name: 'Pear 12', ref: 'kqbze5', url: '/pear' }],
              },
            ],
          },
        ],
      },
    ]);
    expect(JSON.parse(page({ format: 'json', flatten: true, limit: 1 }, { offset: 6 }).text)).toEqual([
      { role: 'button', name: 'Buy', disabled: true, ref: 'kqbze7', depth: 1, path: 'main' },
    ]);
  });

  it('is what a query finds: over the tree, or over the list of nodes [arch-answer-02]', () => {
    expect(page({ query: '[].children[].{role: role, name: name}' }).text).toBe(
      '- role: list\n  name: Fruit\n- role: button\n  name: Buy',
    );
    expect(query("[?role=='listitem'].text")).toEqual({ total: 2, count: 2, text: '["apple",\n"plum"]' });
    expect(query("[?contains(nvl(name, ''), 'Pear')] | [0].ref").text).toBe('"kqbze5"');
    expect(query("[?role=='link'].int(regex_replace('[^0-9]+', '', name))").text).toBe('[12]');
    expect(query("[?role=='button'].str(disabled)").text).toBe('["true"]');
    expect(query('[].int(text)').text).toBe('[]');
    expect(query('missing')).toEqual({ total: 0, count: 0, text: 'null' });
  });

  it.each([
    ["[?contains(name, 'x')]", /contains\(\) expected argument 1/],
    ["regex_replace('(', '', 'x')", /Invalid regular expression/],
    [
      "regex_replace('^(a+)+$', '', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')",
      /it takes longer than 1 s/,
    ],
  ])(
    'is refused for a query that fails, and ends one that would not end [arch-answer-04]: %s',
    (expression, message) => {
      const error = errorIn(() => query(expression));
      expect(error.code).toBe('INVALID_ARGUMENTS');
      expect(error.message).toMatch(message);
      expect(error.hint).toContain("nvl(name, '')");
    },
  );

  it('shows the beginning of a text that is too long for it', () => {
    const of = `- heading "A" [ref=kqbze1]\n- text: ${'ß'.repeat(10_000_000)}\n- button "B" [ref=kqbze2]`;
    const { text, count, total } = page({}, { of, size: 4_000 });
    expect([count, total]).toEqual([3, 3]);
    expect(text).toContain('(9999000 more characters)');
    expect(page({ query: "[?role=='text'].text | [0]", format: 'json' }, { of, size: 4_000 }).text).toMatch(
      /^"ß{1000}… \(9999000 more characters\)"$/,
    );
    const whole = page({ query: '@ | {all: @}', format: 'json' }, { size: 200 });
    expect(whole.text).toMatch(/more characters\)$/);
  });

  it('is refused as nested data where that has no end, and is a list all the same', () => {
    const of = Array.from({ length: 8_000 }, (_, i) => `${'  '.repeat(i)}- generic:`).join('\n');
    const at = { of, offset: 7_999 };
    expect(errorIn(() => page({ format: 'json' }, at)).hint).toContain('flatten: true');
    expect(page({ format: 'json', flatten: true }, at).text).toBe('[{"role":"generic","depth":7999}]');
  });

  it('pages through many nodes', () => {
    const links = Array.from({ length: 20_000 }, (_, i) => `  - link "Link ${i}" [ref=kqbze${i}]`);
    const of = ['- main [ref=kqbze1]:', ...links].join('\n');
    const last = page({ flatten: true }, { of, offset: 19_999 });
    expect([last.count, last.total]).toEqual([2, 20_001]);
    expect(page({ flatten: true, query: "[?name=='Link 17777'].ref", format: 'json' }, { of }).text).toBe(
      '["kqbze17777"]',
    );
  });
});
