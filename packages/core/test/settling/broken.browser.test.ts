// @module-tag at-length
import { expect, it } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { CORPUS } from './corpus/index.js';
import { CorpusRun, verdictOn } from './corpus-run.js';

/** Waits that settle wrongly, and pages of the corpus that are to show it. */
const BROKEN = [
  {
    what: 'an answer that waits for nothing',
    timeoutSettle: 0,
    names: ['setTimeout of 450 ms', 'location after 450 ms'],
  },
  {
    what: 'an answer that waits thirty times as long as upstream',
    timeoutSettle: 15_000,
    names: ['a fetch every 100 ms for ever', 'an EventSource with messages'],
  },
];

it.each(BROKEN)('the corpus finds $what', async ({ timeoutSettle, names }) => {
  const rows = CORPUS.filter(({ name }) => names.includes(name));
  await using run = await CorpusRun.start(rows, rows.length, (input) => BrowserPools.create(input), {
    timeoutSettle,
  });
  const outcomes = await run.outcomes(rows);
  expect(outcomes).toHaveLength(names.length);
  expect(outcomes.map(verdictOn)).not.toContain('right');
});
