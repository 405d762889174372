import { describe, expect, it } from 'vitest';
import { changesBetween } from '../../src/snapshot/changes.js';

const BEFORE = `- main [active] [ref=kqbze1]:
  - list "Cart" [ref=kqbze2]:
    - listitem [ref=kqbze3]: apple
    - listitem [ref=kqbze4]: pear
  - button "Buy" [ref=kqbze5]
  - status [ref=kqbze6]: 2 items`;

describe('what changed on a page', () => {
  it('is what came, with references, and what went, without, each in the element that it is in', () => {
    const after = `- main [active] [ref=kqbze1]:
  - list "Cart" [ref=kqbze2]:
    - listitem [ref=kqbze4]: pear
    - listitem [ref=kqbze7]:
      - link "plum" [ref=kqbze8]:
        - /url: /plum
  - button "Buy" [disabled] [ref=kqbze5]
  - status [ref=kqbze6]: 2 items`;
    expect(changesBetween(BEFORE, after)).toBe(
      `@ list "Cart" [ref=kqbze2]
- - listitem: apple
@ main [active] [ref=kqbze1]
- - button "Buy"
@ list "Cart" [ref=kqbze2]
+ - listitem [ref=kqbze7]:
+   - link "plum" [ref=kqbze8]:
+     - /url: /plum
@ main [active] [ref=kqbze1]
+ - button "Buy" [disabled] [ref=kqbze5]`,
    );
  });

  it('is one line for the focus, and nothing where nothing did', () => {
    expect(changesBetween(BEFORE, BEFORE)).toBe('');
    const focused = BEFORE.replace(' [active]', '').replace('"Buy"', '"Buy" [active]');
    expect(changesBetween(BEFORE, focused)).toBe('* button "Buy" [active] [ref=kqbze5]');
  });

  it('is not told of another page', () => {
    const lines = (name: string) =>
      Array.from({ length: 2_000 }, (_, i) => `- link "${name} ${i}"`).join('\n');
    expect(changesBetween(lines('a'), lines('b'))).toBeUndefined();
  });
});
