import { testMatrix } from './fixtures/matrix.js';
import { GONE, PAGE_GONE, PAGE_STUCK, STUCK, STUCK_IN_USE } from './fixtures/outcomes.js';

/** Over there it is told as long as nobody has seen it; then there is a blank page. */
const untold = { told: ['EXECUTION_ERROR', 'answer'] } as const;
const crashed = { told: 'INSTANCE_CRASHED', loss: 'crash' } as const;

testMatrix({
  'tools over HTTP': {
    'server killed': GONE,
    'server stopped': STUCK,
    'browser killed': { idle: crashed, leased: crashed, evaluate: crashed, navigation: crashed },
    'browser stopped': { ...STUCK_IN_USE, idle: { told: 'CALL_TIMEOUT', loss: 'unresponsive' } },
    'page process killed': { ...PAGE_GONE, idle: untold, leased: untold },
    'page process stopped': { ...PAGE_STUCK, idle: { told: 'CALL_TIMEOUT' } },
    'connection cut': GONE,
    'connection silent': STUCK,
  },
});
