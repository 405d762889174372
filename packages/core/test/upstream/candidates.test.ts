import { describe, expect, it } from 'vitest';
import {
  describeElement,
  elementsOfRole,
  nearestElements,
  wantedBy,
} from '../../src/upstream/evidence/candidates.js';
import { elementsIn } from '../../src/upstream/snapshots/snapshot-elements.js';

const PAGE = elementsIn(`- generic [active] [ref=kqbze1]:
  - heading "Orders" [level=1] [ref=kqbze2]
  - 'button "Save: it''s a \\"draft\\"" [ref=kqbze3] [cursor=pointer]'
  - button "Submit order" [disabled] [ref=kqbze4]
  - link "Sign in" [ref=kqbzf1e5]:
    - /url: /login
  - textbox "E-mail address" [ref=kqbze6]: me@host
  - paragraph [ref=kqbze7]: "Total: 3"
  - text: not an element [ref=kqbze8]
  - generic "[ref=kqbze99]" [ref=kqbze9]`);

const near = (target: string, args: Record<string, unknown> = {}) =>
  nearestElements(PAGE, wantedBy(target, args)).map(({ ref }) => ref);

describe('the elements of a snapshot', () => {
  it('have the role, the name or the text, and the reference of their line', () => {
    expect(PAGE.map((element) => describeElement(element))).toEqual([
      'element [ref=kqbze1]',
      'heading "Orders" [ref=kqbze2]',
      'button "Save: it\'s a \\"draft\\"" [ref=kqbze3]',
      'button "Submit order" [ref=kqbze4]',
      'link "Sign in" [ref=kqbzf1e5]',
      'textbox "E-mail address" [ref=kqbze6]',
      'paragraph "Total: 3" [ref=kqbze7]',
      'element "[ref=kqbze99]" [ref=kqbze9]',
    ]);
  });
});

describe('the candidates for an element that was not found [arch-failure-03]', () => {
  it.each([
    ['#submit-order', {}, ['kqbze4']],
    ['#submitOrderBtn', {}, ['kqbze4']],
    ["getByRole('button', { name: 'Submit orders' })", {}, ['kqbze4', 'kqbze2']],
    ['text=Sign on', {}, ['kqbzf1e5']],
    ['input[name=email]', { element: 'E-Mail field' }, ['kqbze6']],
    ['#x', { element: 'order button' }, ['kqbze4', 'kqbze2']],
    ['div > span', {}, []],
  ])('%s %j', (target, args, expected) => {
    expect(near(target, args)).toEqual(expected);
  });

  it('are four at most, of a page of any size, and short', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => ({
      role: 'button',
      name: `Save ${'x'.repeat(1_000)}`,
      ref: `kqbze${index}`,
    }));
    const found = nearestElements(many, { words: ['save'] });
    expect(found).toHaveLength(4);
    for (const element of elementsOfRole(many, 'button'))
      expect(describeElement(element).length).toBeLessThan(120);
  });
});
