import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure } from './reporters/failure.mjs';

const LONG = 'x'.repeat(5_000);

test('of a long message of the test, what the assertion says is told', () => {
  const { reason } = failure('t', { message: `{\n  "page": "${LONG}"\n}: expected 'late' to be 'right'` });
  assert.ok(reason.length < 300, reason);
  assert.match(reason, /^\{ "page": "x.*expected 'late' to be 'right'$/);
  assert.equal(failure('t', {}).reason, 'no reason given');
});

test('of long lines, where they part is told', () => {
  const diff = `Expected: "${LONG}{"b":2}${LONG}"\nReceived: "${LONG}{"b":1}${LONG}"`;
  const { changes } = failure('t', { message: '', diff });
  assert.deepEqual(
    changes.map((line) => line.slice(0, 24)),
    [`- …${'x'.repeat(15)}{"b":2`, `+ …${'x'.repeat(15)}{"b":1`],
  );
  assert.ok(changes.join('\n').length < 500);
});

test('of a value, the lines that differ are told', () => {
  const diff =
    '- Expected\n+ Received\n\n  {\n    "a": 1,\n-   "c": 5,\n+   "c": 4,\n  },\n- []\n+ [\n+   1,\n+ ]';
  const { changes } = failure('t', { message: 'expected { …(3) } to deeply equal { …(3) }', diff });
  assert.deepEqual(changes, ['-   "c": 5,', '+   "c": 4,', '- []', '+ [', '+   1,', '+ ]']);
});
