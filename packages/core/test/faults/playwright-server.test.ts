import { testMatrix } from './fixtures/matrix.js';
import { GONE, PAGE_GONE, PAGE_STUCK, STUCK } from './fixtures/outcomes.js';

testMatrix({
  'Playwright server': {
    'server killed': GONE,
    'server stopped': STUCK,
    'browser killed': GONE,
    'browser stopped': STUCK,
    'page process killed': PAGE_GONE,
    'page process stopped': PAGE_STUCK,
    'connection cut': GONE,
    'connection silent': STUCK,
  },
});
