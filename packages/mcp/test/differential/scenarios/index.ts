import type { Scenario } from '../scenario.js';
import { FORMS } from './forms.js';
import { PAGES } from './pages.js';
import { STORAGE } from './storage.js';
import { TESTING } from './testing.js';
import { TRANSFERS } from './transfers.js';
import { WINDOWS } from './windows.js';

export const SCENARIOS: readonly Scenario[] = [
  ...FORMS,
  ...PAGES,
  ...WINDOWS,
  ...TRANSFERS,
  ...STORAGE,
  ...TESTING,
];
