import { OPTION_GROUPS } from './option.js';
import { UPSTREAM_OPTIONS } from './options.js';

/** The options of playwright-mcp that pwpool takes as flags, grouped, a line each: for `--help`. */
export function optionsHelp(): string {
  const shown = UPSTREAM_OPTIONS.flatMap(({ group, flag, help }) =>
    flag !== undefined && help !== undefined ? [{ group, flag: flag.replace('...', ''), help }] : [],
  );
  const width = Math.max(...shown.map(({ flag }) => flag.length));
  const blocks = OPTION_GROUPS.map((group) => {
    const lines = shown
      .filter((option) => option.group === group)
      .map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}`);
    return `${group}:\n${lines.join('\n')}`;
  });
  return `Options of playwright-mcp, for the default pool; docs/migration.md tells what each is here.\n\n${blocks.join('\n\n')}\n`;
}
