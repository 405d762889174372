import { testMatrix } from './fixtures/matrix.js';
import type { Row } from './fixtures/row.js';

const CRASHED = { code: 'INSTANCE_CRASHED', loss: 'crash' } as const;
const FOUND = { code: 'INSTANCE_CRASHED', loss: 'unresponsive' } as const;
const IN_CALL = { code: 'CALL_TIMEOUT', loss: 'unresponsive' } as const;
const IN_NAVIGATION = { code: 'NAVIGATION_TIMEOUT', loss: 'unresponsive' } as const;
const IDLE_CRASHED = { loss: 'crash' } as const;
const IDLE_FOUND = { loss: 'unresponsive' } as const;

const MATRIX: readonly Row[] = [
  {
    driver: 'Playwright server',
    fault: 'server killed',
    outcomes: { idle: IDLE_CRASHED, evaluate: CRASHED },
  },
  {
    driver: 'Playwright server',
    fault: 'server stopped',
    outcomes: { leased: FOUND, navigation: IN_NAVIGATION },
  },
  {
    driver: 'Playwright server',
    fault: 'browser killed',
    outcomes: { evaluate: CRASHED },
  },
  {
    driver: 'Playwright server',
    fault: 'connection cut',
    outcomes: { leased: CRASHED, navigation: CRASHED },
  },
  {
    driver: 'Playwright server',
    fault: 'connection silent',
    outcomes: { idle: IDLE_FOUND, evaluate: IN_CALL },
  },
  {
    driver: 'CDP browser',
    fault: 'server killed',
    outcomes: { idle: IDLE_CRASHED, leased: CRASHED, evaluate: CRASHED, navigation: CRASHED },
  },
  {
    driver: 'CDP browser',
    fault: 'server stopped',
    outcomes: { leased: FOUND, evaluate: IN_CALL, navigation: IN_NAVIGATION },
  },
  {
    driver: 'CDP browser',
    fault: 'page process killed',
    outcomes: { leased: { code: 'EXECUTION_ERROR' }, evaluate: { code: 'EXECUTION_ERROR' } },
  },
  {
    driver: 'CDP browser',
    fault: 'connection cut',
    outcomes: { idle: IDLE_CRASHED, evaluate: CRASHED },
  },
  {
    driver: 'tools over HTTP',
    fault: 'server killed',
    outcomes: { idle: IDLE_CRASHED, leased: CRASHED, evaluate: CRASHED },
  },
  {
    driver: 'tools over HTTP',
    fault: 'connection silent',
    outcomes: { idle: IDLE_FOUND, navigation: IN_NAVIGATION },
  },
];

testMatrix(MATRIX, ({ driver, fault }) => `${driver}, ${fault}:`);
