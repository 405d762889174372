import type { Variables } from '../environment.js';
import { nearest } from '../suggest.js';
import type { ConfigWarning } from '../violations.js';
import { valueOfText } from './forms.js';
import type { GivenOption } from './option-layer.js';
import { UPSTREAM_OPTIONS } from './options.js';

/** What upstream's variables start with. */
const UPSTREAM_PREFIX = 'PLAYWRIGHT_MCP_';

const NAMES: ReadonlySet<string> = new Set(
  UPSTREAM_OPTIONS.flatMap(({ variable }) =>
    variable === undefined ? [] : [`${UPSTREAM_PREFIX}${variable}`],
  ),
);

/**
 * Reads the `PLAYWRIGHT_MCP_…` variables that upstream knows. As there, an empty one is not set. One that it does not know
 * is worth a warning only: Playwright may have more of them some day.
 */
export function readUpstreamVariables(
  variables: Variables,
  cwd: string,
): { given: GivenOption[]; warnings: ConfigWarning[] } {
  const given = UPSTREAM_OPTIONS.flatMap((option): GivenOption[] => {
    if (option.variable === undefined) return [];
    const name = `${UPSTREAM_PREFIX}${option.variable}`;
    const text = variables[name]?.trim();
    if (text === undefined || text === '') return [];
    return [{ option, name, written: text, value: () => valueOfText(option.form, text, cwd) }];
  });
  const warnings = Object.keys(variables)
    .filter((name) => name.startsWith(UPSTREAM_PREFIX) && !NAMES.has(name))
    .map(unknownVariable);
  return { given, warnings };
}

function unknownVariable(name: string): ConfigWarning {
  const near = nearest(name, NAMES)?.name;
  return {
    code: 'UNKNOWN_UPSTREAM_VARIABLE',
    message: `${name} is not a variable of playwright-mcp`,
    variable: name,
    fix: near ? `Did you mean ${near}?` : 'Remove it.',
  };
}
