import { testMatrix } from './fixtures/matrix.js';
import type { Row } from './fixtures/row.js';

const CRASHED = { code: 'INSTANCE_CRASHED', loss: 'crash' } as const;
const FOUND = { code: 'INSTANCE_CRASHED', loss: 'unresponsive' } as const;

const MATRIX: readonly Row[] = [
  {
    driver: 'embedded',
    fault: 'browser killed',
    outcomes: { idle: { loss: 'crash' }, leased: CRASHED, evaluate: CRASHED, navigation: CRASHED },
  },
  {
    driver: 'embedded',
    fault: 'browser stopped',
    outcomes: {
      idle: { loss: 'unresponsive' },
      leased: FOUND,
      evaluate: { code: 'CALL_TIMEOUT', loss: 'unresponsive' },
      navigation: { code: 'NAVIGATION_TIMEOUT', loss: 'unresponsive' },
    },
  },
  {
    driver: 'embedded',
    fault: 'page process killed',
    outcomes: {
      idle: { code: 'EXECUTION_ERROR' },
      leased: { code: 'EXECUTION_ERROR' },
      evaluate: { code: 'EXECUTION_ERROR' },
      navigation: { code: 'EXECUTION_ERROR' },
    },
  },
  {
    driver: 'embedded',
    fault: 'page process stopped',
    outcomes: {
      idle: { loss: 'unresponsive' },
      leased: { code: 'CALL_TIMEOUT' },
      evaluate: { code: 'CALL_TIMEOUT' },
      navigation: { code: 'NAVIGATION_TIMEOUT' },
    },
  },
  {
    driver: 'embedded, packed',
    fault: 'browser killed',
    outcomes: { idle: { loss: 'crash' }, leased: CRASHED, evaluate: CRASHED, navigation: CRASHED },
  },
  {
    driver: 'embedded, packed',
    fault: 'browser stopped',
    outcomes: {
      idle: { loss: 'unresponsive' },
      evaluate: { code: 'CALL_TIMEOUT', loss: 'unresponsive' },
    },
  },
  {
    driver: 'embedded',
    fault: 'GPU process stopped',
    outcomes: {
      idle: { loss: 'unresponsive' },
      leased: { code: 'CALL_TIMEOUT', loss: 'unresponsive' },
      evaluate: { code: 'CALL_TIMEOUT', loss: 'unresponsive' },
      navigation: { code: 'NAVIGATION_TIMEOUT', loss: 'unresponsive' },
    },
  },
];

testMatrix(MATRIX, ({ driver, fault }) => `${driver}, ${fault}:`);
