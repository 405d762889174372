import { CONFIGURATION, type Declaration, examples } from '../declaration.js';

export const declareServe: Declaration = (program, action) => {
  program
    .command('serve')
    .summary('serve browsers to many MCP clients over HTTP')
    .description(
      `Serve a pool of browsers to many MCP clients over Streamable HTTP, at /mcp, as pwpool-mcp --http does.\n${CONFIGURATION}`,
    )
    .usage('[options]')
    // pwpool reads them itself: it tells every fault of the configuration at once, theirs included.
    .argument('[flags...]')
    .allowUnknownOption()
    .helpOption(false)
    .option('-h, --help', 'show this text')
    .action(action(async () => (await import('./serve.js')).serve))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool serve', 'at http://127.0.0.1:8931/mcp'],
        ['pwpool serve --host 0.0.0.0 --port 9000', 'beyond this machine: needs tokens and TLS'],
        ['claude mcp add --transport http browsers http://127.0.0.1:8931/mcp', ''],
        ['curl -s http://127.0.0.1:8931/readyz', 'can its pools serve?'],
      )}

Exit status: 0 ended by a signal, 78 invalid configuration or address, 1 failed.`,
    );
};
