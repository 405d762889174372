import { browserPoolStatus } from './browser-pool-status.js';
import { browserExecuteBulk } from './execute-bulk.js';
import { executeSequence } from './execute-sequence.js';
import type { PoolTool } from './pool-tool.js';
import {
  closeAllSessions,
  closeSession,
  listSessions,
  setCurrentSession,
  startBrowser,
  startSession,
} from './sessions.js';

/** Every tool of pwpool's own, in the order of `tools/list`. */
export const POOL_TOOLS: readonly PoolTool[] = [
  browserPoolStatus,
  browserExecuteBulk,
  executeSequence,
  startBrowser,
  startSession,
  listSessions,
  setCurrentSession,
  closeSession,
  closeAllSessions,
];
