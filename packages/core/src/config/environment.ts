import { definitionOf } from './keys.js';
import { LayerBuilder } from './layer.js';
import { VARIABLE_PREFIX } from './place.js';
import { valueFromText } from './values.js';
import { misspeltPrefix, parseVariable } from './variable-name.js';

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads every variable that starts with `PW_MCP_PROXY_`, and warns of those that seem meant to. All others are left
 * alone: `PLAYWRIGHT_*` names are also Playwright's own [000-migration-01].
 */
export function readVariables(source: 'environment' | 'dotenv', variables: Variables): LayerBuilder {
  const builder = new LayerBuilder(source);
  for (const [name, text] of Object.entries(variables)) {
    if (text === undefined) continue;
    if (!name.startsWith(VARIABLE_PREFIX)) {
      const warning = misspeltPrefix(name);
      if (warning) builder.warnings.push(warning);
      continue;
    }
    const parsed = parseVariable(name);
    if ('violation' in parsed) builder.violations.push(parsed.violation);
    else {
      const { place, key } = parsed;
      builder.add(place, key, name, valueFromText(definitionOf(key), text), text);
    }
  }
  return builder;
}
