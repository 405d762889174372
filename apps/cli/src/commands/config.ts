import { explainConfig } from '@pwpool/core/internal';
import { describeConfig } from '../config-view.js';
import { readConfiguration } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { print, printJson } from '../output.js';

/** Shows every effective value with its origin [000-example-03, arch-config-07]. */
export function config(options: { json?: true }): number {
  const found = readConfiguration();
  if (!found) return EXIT.config;
  const explanation = explainConfig(found);
  if (options.json) printJson(explanation);
  else print(describeConfig(explanation));
  return EXIT.ok;
}
