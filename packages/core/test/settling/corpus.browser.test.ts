// @module-tag at-length
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { CORPUS } from './corpus/index.js';
import { accountOf, CorpusRun, type Outcome } from './corpus-run.js';
import type { Row } from './row.js';

/** Contexts, in pairs, that share the one browser. */
const PAIRS = 4;

const JUDGED = CORPUS.filter(({ untraceable }) => !untraceable);

let run: CorpusRun;
beforeAll(async () => {
  run = await CorpusRun.start(CORPUS, PAIRS, (input) => BrowserPools.create(input));
});
afterAll(() => run?.[Symbol.asyncDispose]());

describe('an answer tells what the action came to, as upstream’s does after its fixed wait', () => {
  let outcomes: Map<Row, Outcome>;
  beforeAll(async () => {
    outcomes = await run.judge(JUDGED);
  }, 600_000);

  it.each(JUDGED)('$name', (row) => {
    const outcome = outcomes.get(row);
    expect(outcome && accountOf(outcome)).toEqual({ verdict: 'right' });
  });
});
