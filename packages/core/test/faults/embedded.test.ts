import { testMatrix } from './fixtures/matrix.js';
import { GONE, PAGE_GONE, PAGE_STUCK, STUCK, STUCK_IN_USE, UNHARMED } from './fixtures/outcomes.js';

testMatrix({
  embedded: {
    'browser killed': GONE,
    'browser stopped': STUCK,
    'page process killed': PAGE_GONE,
    'page process stopped': PAGE_STUCK,
    'GPU process stopped': STUCK_IN_USE,
  },
  'embedded, packed': {
    'browser killed': GONE,
    'browser stopped': STUCK,
    'page process killed': PAGE_GONE,
    'page process stopped': PAGE_STUCK,
  },
  'embedded, profile': {
    'profile removed': UNHARMED,
    // On the profile that was removed: it is made anew.
    'browser killed': GONE,
  },
});
