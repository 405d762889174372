import { Option } from 'commander';
import { type Declaration, examples } from '../declaration.js';

export const declareMigrate: Declaration = (program, action) => {
  program
    .command('migrate')
    .summary('bring old settings over: version 1, or playwright-mcp')
    .description(
      'Print the settings of today for PLAYWRIGHT_… variables of version 1, in the environment or in .env, and for what ' +
        'playwright-mcp is given: PLAYWRIGHT_MCP_… variables, its JSON file, its command line. Nothing is changed.',
    )
    .usage('[options] [-- command line of playwright-mcp]')
    .argument('[command...]', 'as in the configuration of an MCP client')
    .option('--config <file>', "playwright-mcp's JSON file")
    .option('--env-file <file>', 'read variables from this file, in place of .env')
    .option('--pool <name>', 'set them for this pool rather than for all')
    .addOption(new Option('--format <format>', 'variables, or a configuration file').choices(['env', 'yaml']))
    .action(action(async () => (await import('./migrate.js')).migrateSettings))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool migrate --env-file old.env > .env', 'for all pools'],
        ['pwpool migrate --env-file old.env --pool DEFAULT', 'for one'],
        ['pwpool migrate --config mcp.json > pwpool.config.yaml', "playwright-mcp's file"],
        ['pwpool migrate -- npx @playwright/mcp@latest --isolated --caps=pdf', 'its command line'],
      )}\n\nExit status: 0 all brought over, 1 something has no counterpart, told on stderr.`,
    );
};
