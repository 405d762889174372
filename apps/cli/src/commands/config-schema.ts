import { configSchema } from '@pwpool/core/internal';
import { EXIT } from '../exit-status.js';
import { printJson } from '../output.js';

/** Prints the JSON schema of a configuration file. */
export function printConfigSchema(): number {
  printJson(configSchema());
  return EXIT.ok;
}
