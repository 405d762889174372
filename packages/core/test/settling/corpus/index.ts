import type { Row } from '../row.js';
import { ENDLESS } from './endless.js';
import { FRAMES } from './frames.js';
import { FRAMEWORKS } from './frameworks.js';
import { HOSTILE } from './hostile.js';
import { NAVIGATION } from './navigation.js';
import { QUEUES } from './queues.js';
import { RENDERING } from './rendering.js';
import { REQUESTS } from './requests.js';
import { TIMERS } from './timers.js';
import { TOOLS } from './tools.js';
import { WINDOWS } from './windows.js';
import { WORKERS } from './workers.js';

/** Pages, an action on each, and what its answer has to tell: what decides whether settling is right. */
export const CORPUS: readonly Row[] = [
  ...TIMERS,
  ...REQUESTS,
  ...NAVIGATION,
  ...RENDERING,
  ...QUEUES,
  ...WORKERS,
  ...FRAMES,
  ...WINDOWS,
  ...FRAMEWORKS,
  ...TOOLS,
  ...ENDLESS,
  ...HOSTILE,
];
