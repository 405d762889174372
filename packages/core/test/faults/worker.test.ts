// Loading it makes a process listen to its signals, for good.
import 'proper-lockfile';
import { testMatrix } from './fixtures/matrix.js';
import { GONE, PAGE_GONE, PAGE_STUCK, STUCK, UNHARMED } from './fixtures/outcomes.js';

testMatrix({
  worker: {
    'profile removed': UNHARMED,
    // On the profile that was removed: it is made anew.
    'browser killed': GONE,
    'browser stopped': STUCK,
    'page process killed': PAGE_GONE,
    'page process stopped': PAGE_STUCK,
  },
});
