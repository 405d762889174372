import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { reasonOf } from '../errors.js';
import { definitionOf } from './keys.js';
import { LayerBuilder } from './layer.js';
import { VARIABLE_PREFIX } from './place.js';
import { valueFromText } from './values.js';
import { parseVariable } from './variable-name.js';
import type { Violation } from './violations.js';

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads every variable that starts with `PW_MCP_PROXY_`. All others are left alone: the `PLAYWRIGHT_*` names that
 * seed 000 migrates from are also Playwright's own.
 */
export function readVariables(source: 'environment' | 'dotenv', variables: Variables): LayerBuilder {
  const builder = new LayerBuilder(source);
  for (const [name, text] of Object.entries(variables)) {
    if (text === undefined || !name.startsWith(VARIABLE_PREFIX)) continue;
    const parsed = parseVariable(name);
    if ('violation' in parsed) builder.violations.push(parsed.violation);
    else {
      const { place, key } = parsed;
      builder.add(place, key, name, valueFromText(definitionOf(key), text), text);
    }
  }
  return builder;
}

/** The variables of the `.env` file in `directory`: none if there is no file, a violation if it cannot be read. */
export function readDotenvFile(directory: string): { variables: Variables; violations: Violation[] } {
  const path = join(directory, '.env');
  try {
    // A byte order mark would become part of the first name, which would then be overlooked.
    return { variables: parseEnv(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')), violations: [] };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { variables: {}, violations: [] };
    }
    const violation: Violation = {
      code: 'DOTENV_UNREADABLE',
      message: `The .env file cannot be read: ${reasonOf(error)}`,
      variable: path,
      fix: 'Make it a readable file, or remove it.',
    };
    return { variables: {}, violations: [violation] };
  }
}
