import { optionsHelp } from '@pwpool/core/internal';
import { runHttp } from '@pwpool/mcp';
import type { Command } from 'commander';
import { EXIT } from '../exit-status.js';

/** Serves MCP clients over HTTP until a signal ends it; or shows the help, with all flags. */
export async function serve(
  flags: readonly string[],
  options: { help?: true },
  command: Command,
): Promise<number> {
  if (!options.help) return await runHttp(flags);
  command.addHelpText('after', `\n${optionsHelp().trimEnd()}`).outputHelp();
  return EXIT.ok;
}
