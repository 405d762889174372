import { definitionOf, type KeyName } from './keys.js';
import { LayerBuilder } from './layer.js';
import { VARIABLE_PREFIX } from './place.js';
import { valueFromText } from './values.js';
import { misspeltPrefix, parseVariable } from './variable-name.js';
import { renamedVariable } from './version-1.js';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Names that seeds promised to users beside those with the prefix [002-security-01]. */
const OTHER_NAMES: Readonly<Record<string, KeyName>> = { BROWSER_ALLOW_EXTERNAL: 'ALLOW_EXTERNAL' };

/**
 * Reads every variable that starts with `PW_MCP_PROXY_`, and warns of those that seem meant to, and of those of version 1
 * [000-migration-02]. All others are left alone: `PLAYWRIGHT_*` names are also Playwright's own [000-migration-01].
 * @param locationOf where in a file a variable stands, if it is in one
 */
export function readVariables(
  source: 'environment' | 'dotenv',
  variables: Variables,
  locationOf: (name: string) => string | undefined = () => undefined,
): LayerBuilder {
  const builder = new LayerBuilder(source, {
    locationOf: (name) => (variables[name] === undefined ? undefined : locationOf(name)),
  });
  for (const [name, text] of Object.entries(variables)) {
    if (text === undefined) continue;
    const key = OTHER_NAMES[name];
    if (key !== undefined) {
      // The one with the prefix is meant for pwpool alone.
      if (variables[VARIABLE_PREFIX + key] !== undefined) continue;
      builder.add({ level: 'global' }, key, name, valueFromText(definitionOf(key), text), text);
      continue;
    }
    if (!name.startsWith(VARIABLE_PREFIX)) {
      const warning = misspeltPrefix(name) ?? renamedVariable(name, variables);
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
