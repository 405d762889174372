import { testMatrix } from './fixtures/matrix.js';
import { GONE, PAGE_GONE_OVER_THERE, PAGE_STUCK, STUCK, STUCK_IN_USE } from './fixtures/outcomes.js';

/** Who comes in time is told; later there is another browser or connection. */
const perhaps = { told: ['EXECUTION_ERROR', 'answer'] } as const;
const perhapsCrashed = { told: ['INSTANCE_CRASHED', 'answer'], loss: 'crash' } as const;
const cut = { told: 'EXECUTION_ERROR' } as const;
const crashed = { told: 'INSTANCE_CRASHED', loss: 'crash' } as const;

testMatrix({
  'tools over HTTP': {
    'server killed': GONE,
    'server stopped': STUCK,
    'browser killed': {
      idle: perhapsCrashed,
      leased: perhapsCrashed,
      evaluate: crashed,
      navigation: crashed,
    },
    'browser stopped': { ...STUCK_IN_USE, idle: { told: 'CALL_TIMEOUT', loss: 'unresponsive' } },
    'page process killed': PAGE_GONE_OVER_THERE,
    'page process stopped': { ...PAGE_STUCK, idle: { told: 'CALL_TIMEOUT' } },
    // The session stays; what was under way is lost.
    'connection cut': { idle: perhaps, leased: perhaps, evaluate: cut, navigation: cut },
    'connection silent': STUCK,
  },
});
