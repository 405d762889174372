import { expect, test } from 'vitest';
import { fold } from '../src/fold.js';

test('a line that fits stays as it is, also one that is painted', () => {
  const painted = '\u001b[32mhealthy\u001b[39m';
  expect(fold(`a  b\n${painted}`, 7)).toBe(`a  b\n${painted}`);
});

test('lines are broken between words, and go on where they have begun or a little to the right', () => {
  expect(fold('one two three four', 9)).toBe('one two\nthree\nfour');
  expect(fold('  one two three', 9)).toBe('  one two\n      three');
});

test('the last of several columns is folded in itself where there is room for it', () => {
  const row = '  --out <file>  write results to this file, with a journal beside it';
  expect(fold(row, 40)).toBe(
    '  --out <file>  write results to this\n                file, with a journal\n                beside it',
  );
  expect(fold(row, 30)).toBe(
    '  --out <file>  write results\n      to this file, with a\n      journal beside it',
  );
});

test('a word that is longer than a line is left whole', () => {
  expect(fold('see https://example.com/a/rather/long/path there', 12)).toBe(
    'see\nhttps://example.com/a/rather/long/path\nthere',
  );
});
