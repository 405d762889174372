import { optionsHelp } from '@pwpool/core/internal';
import { runStdio } from '@pwpool/mcp';
import type { Command } from 'commander';
import { EXIT } from '../exit-status.js';

/** Serves one MCP client over stdio, and ends the process with it; or shows the help, with all flags. */
export async function mcp(
  flags: readonly string[],
  options: { help?: true },
  command: Command,
): Promise<number> {
  if (!options.help) return await runStdio(flags);
  command.addHelpText('after', `\n${optionsHelp().trimEnd()}`).outputHelp();
  return EXIT.ok;
}
