import { asConfigFile, asVariables, formatViolations, migrate } from '@pwpool/core/internal';
import { complainOfWarnings } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { complain, print } from '../output.js';

const NOTHING =
  'Nothing to bring over was found: neither PLAYWRIGHT_… variables here or in .env, nor a file or a command line of playwright-mcp.\n' +
  'Name them: --env-file FILE, --config FILE, or the command line itself behind "--".';

interface MigrateOptions {
  config?: string;
  envFile?: string;
  pool?: string;
  format?: 'env' | 'yaml';
}

/** Prints today's settings for old ones: exit status 1 when something has no counterpart [000-migration-02]. */
export function migrateSettings(command: readonly string[], options: MigrateOptions): number {
  const { config, envFile, pool } = options;
  const flags = [...(config === undefined ? [] : ['--config', config]), ...flagsIn(command)];
  const { settings, violations, warnings } = migrate({
    env: process.env,
    cwd: process.cwd(),
    envFile,
    args: flags,
    pool,
  });
  complainOfWarnings(warnings);
  if (violations.length > 0) complain(`Not brought over:\n\n${formatViolations(violations)}\n`);
  const format = options.format ?? (flags.length > 0 ? 'yaml' : 'env');
  if (settings.length > 0) print(format === 'env' ? asVariables(settings) : asConfigFile(settings));
  else if (violations.length === 0) complain(NOTHING);
  return violations.length === 0 ? EXIT.ok : EXIT.failure;
}

/** What stands behind the name of the program: `npx -y @playwright/mcp@latest --isolated`. */
function flagsIn(command: readonly string[]): readonly string[] {
  const program = command.findLastIndex((word) => /playwright[-/]mcp|mcp-server-playwright/.test(word));
  if (program !== -1) return command.slice(program + 1);
  const first = command.findIndex((word) => word.startsWith('--'));
  return first === -1 ? [] : command.slice(first);
}
