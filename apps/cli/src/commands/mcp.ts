import type { Command } from 'commander';
import { EXIT } from '../exit-status.js';

/** Serves MCP clients as pwpool-mcp does, and ends the process with it; or shows the help, with all flags. */
export async function mcp(
  flags: readonly string[],
  options: { help?: true; shared?: true },
  command: Command,
): Promise<number> {
  if (options.help) {
    const { optionsHelp } = await import('@pwpool/core/internal');
    command.addHelpText('after', `\n${optionsHelp().trimEnd()}`).outputHelp();
    return EXIT.ok;
  }
  // The end of a window is there at once: it loads nothing of a server.
  if (options.shared) return await (await import('@pwpool/mcp/run-shared')).runShared(flags);
  return await (await import('@pwpool/mcp')).runMcp(flags);
}
