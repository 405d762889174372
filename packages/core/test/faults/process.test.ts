import { testMatrix } from './fixtures/matrix.js';
import {
  GONE,
  PAGE_GONE_OVER_THERE,
  PAGE_STUCK,
  STUCK,
  STUCK_IN_USE,
  UNHARMED,
} from './fixtures/outcomes.js';

testMatrix({
  process: {
    'profile removed': UNHARMED,
    // On the profile that was removed: it is made anew.
    'tool server killed': GONE,
    'tool server stopped': STUCK,
    'browser killed': GONE,
    'browser stopped': STUCK_IN_USE,
    'page process killed': PAGE_GONE_OVER_THERE,
    'page process stopped': PAGE_STUCK,
    'GPU process stopped': STUCK_IN_USE,
  },
});
