// @module-tag at-length
import { expect, it } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { CorpusRun } from './corpus-run.js';
import { DETECTION } from './detection.js';
import type { Row } from './row.js';

/** A second action comes while the page writes down whatever is done through its own functions. */
const WATCHFUL: Row = {
  name: 'a page that looks for automation',
  script: DETECTION,
  html: '<button id="second">Second</button>',
};

it('a page finds nothing by which it could tell that it is watched', async () => {
  await using run = await CorpusRun.start([WATCHFUL], 1, (input) => BrowserPools.create(input));
  const { plain, watched } = await run.inspect(WATCHFUL, ['#go', '#second'], 'report()');
  expect(plain).toContain('addEventListener');
  expect(JSON.parse(watched)).toEqual(JSON.parse(plain));
});
