import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReceipt } from '../src/receipt.mjs';
import { Verdict } from '../src/verdict.mjs';

const alice = { user: 'alice', password: '', basket: { teapot: 1, mug: 2 } };
const snapshot = `- paragraph [ref=e2]: Signed in as alice
- heading "Receipt R-1007" [level=1] [ref=e3]
- paragraph [ref=e4]: Ordered by alice
- table "What you bought" [ref=e5]:
  - row "Item Quantity" [ref=e6]:
    - columnheader "Item" [ref=e7]
  - row "Teapot 1 €34.00 €34.00" [ref=e8]:
    - rowheader "Teapot" [ref=e9]
    - cell "1" [ref=e10]
    - cell "€34.00" [ref=e11]
    - cell "€34.00" [ref=e12]
  - row [ref=e13]:
    - rowheader "Mug" [ref=e14]
    - cell "2" [ref=e15]
  - row [ref=e16]:
    - rowheader "Total" [ref=e17]
    - cell "€59.00" [ref=e18]`;

test('a receipt is read from the snapshot of its page', () => {
  const receipt = { user: 'alice', number: 'R-1007', items: ['1 Teapot', '2 Mug'], total: '€59.00' };
  assert.deepEqual(readReceipt(snapshot), receipt);
});

test('a page and a receipt of the right user pass', () => {
  const verdict = new Verdict();
  verdict.checkRead('alice', snapshot);
  verdict.checkReceipt(alice, readReceipt(snapshot));
  assert.deepEqual({ ...verdict }, { reads: 1, crossTalk: 0, receipts: 1, problems: [] });
});

test('a page of another user, of two users and of nobody are problems; the last is no cross-talk', () => {
  const verdict = new Verdict();
  verdict.checkRead('bob', snapshot);
  verdict.checkRead('alice', `${snapshot}\n- paragraph: Ordered by bob`);
  verdict.checkRead('alice', '- heading "Log in"');
  assert.equal(verdict.crossTalk, 2);
  assert.deepEqual(verdict.problems, [
    'read 1: expected a page of bob, saw one of alice',
    'read 2: expected a page of alice, saw one of alice, bob',
    'read 3: expected a page of alice, saw one of nobody',
  ]);
});

test('wrong items, a wrong total, a wrong user and an empty page are wrong receipts', () => {
  const verdict = new Verdict();
  for (const [right, wrong] of [
    ['cell "2"', 'cell "3"'],
    ['€59.00', '€60.00'],
    ['Ordered by alice', 'Ordered by bob'],
    [snapshot, ''],
  ]) {
    verdict.checkReceipt(alice, readReceipt(snapshot.replace(right, wrong)));
  }
  assert.equal(verdict.problems.length, 4);
  assert.equal(
    verdict.problems[0],
    'receipt R-1007: expected 1 Teapot, 2 Mug for €59.00 by alice; saw 1 Teapot, 3 Mug for €59.00 by alice',
  );
});
