import { CONFIGURATION, type Declaration, examples } from '../declaration.js';

export const declareMcp: Declaration = (program, action) => {
  program
    .command('mcp')
    .summary('serve browsers to an MCP client over stdio')
    .description(
      `Serve a pool of browsers to one MCP client over stdio, as pwpool-mcp does.\nThe client starts it. ${CONFIGURATION}`,
    )
    .usage('[options]')
    // pwpool reads them itself: it tells every fault of the configuration at once, theirs included.
    .argument('[flags...]')
    .allowUnknownOption()
    .helpOption(false)
    .option('--shared', 'have the browsers in one server that all windows of this user share')
    .option('-h, --help', 'show this text')
    .action(action(async () => (await import('./mcp.js')).mcp))
    .addHelpText(
      'after',
      `${examples(
        ['claude mcp add browsers -- npx pwpool mcp', 'for an agent'],
        ['claude mcp add browsers -- npx pwpool mcp --shared', 'for agents in many windows'],
      )}

With --shared the first window starts a server in the background, which ends SHARED_LINGER after the last window. Windows with another configuration or version have a server of their own.

Exit status: 0 ended by the client or by a signal, 78 invalid configuration, 1 failed.`,
    );
};
