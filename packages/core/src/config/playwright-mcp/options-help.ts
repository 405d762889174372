import { CONFIG_FLAGS } from '../config-flags.js';
import { OPTION_GROUPS } from './option.js';
import { UPSTREAM_OPTIONS } from './options.js';

/** The flags that configure, pwpool's and those of playwright-mcp that it takes, grouped, a line each: for `--help`. */
export function optionsHelp(): string {
  const shown = UPSTREAM_OPTIONS.flatMap(({ group, flag, help }) =>
    flag !== undefined && help !== undefined ? [{ group, flag: flag.replace('...', ''), help }] : [],
  );
  const width = Math.max(...[...shown, ...CONFIG_FLAGS].map(({ flag }) => flag.length));
  const block = (title: string, flags: readonly { flag: string; help: string }[]) =>
    `${title}:\n${flags.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}`).join('\n')}`;
  const blocks = OPTION_GROUPS.flatMap((group) => {
    const flags = shown.filter((option) => option.group === group);
    return flags.length === 0 ? [] : [block(group, flags)];
  });
  return [
    block('Configuration', CONFIG_FLAGS),
    'Options of playwright-mcp, for the default pool; docs/migration.md tells what each is here.',
    `${blocks.join('\n\n')}\n`,
  ].join('\n\n');
}
