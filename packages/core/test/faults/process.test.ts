import { testMatrix } from './fixtures/matrix.js';
import type { Row } from './fixtures/row.js';

const CRASHED = { code: 'INSTANCE_CRASHED', loss: 'crash' } as const;
const FOUND = { code: 'INSTANCE_CRASHED', loss: 'unresponsive' } as const;
const IN_NAVIGATION = { code: 'NAVIGATION_TIMEOUT', loss: 'unresponsive' } as const;
const IDLE_CRASHED = { loss: 'crash' } as const;

const MATRIX: readonly Row[] = [
  {
    driver: 'process',
    fault: 'tool server killed',
    outcomes: { leased: CRASHED, evaluate: CRASHED },
  },
  {
    driver: 'process',
    fault: 'tool server stopped',
    outcomes: { leased: FOUND, navigation: IN_NAVIGATION },
  },
  {
    driver: 'process',
    fault: 'browser killed',
    outcomes: { idle: IDLE_CRASHED, navigation: CRASHED },
  },
  {
    driver: 'process',
    fault: 'browser stopped',
    // The tool server still answers; it is given up when it does not get its browser going again.
    outcomes: { leased: { code: 'CALL_TIMEOUT', loss: 'unresponsive' } },
  },
  {
    driver: 'process',
    fault: 'page process killed',
    outcomes: { evaluate: { code: 'EXECUTION_ERROR' } },
  },
  {
    driver: 'process',
    fault: 'GPU process stopped',
    outcomes: { leased: { code: 'CALL_TIMEOUT', loss: 'unresponsive' } },
  },
];

testMatrix(MATRIX, ({ driver, fault }) => `${driver}, ${fault}:`);
