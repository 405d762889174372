import { CONFIGURATION, type Declaration, examples, withConfiguration } from '../declaration.js';

export const declareConfig: Declaration = (program, action) => {
  const config = withConfiguration(
    program
      .command('config')
      .summary('show the effective configuration and its origins')
      .description(`Show the effective value of every setting and what set it.\n${CONFIGURATION}`),
  )
    .option('--pool <name>', 'only this pool')
    .option('--changed', 'only what somebody set')
    .option('--json', 'print everything, for each instance by itself, as JSON')
    .option('--env', 'print what somebody set as variables, in the form of a .env file')
    .action(action(async () => (await import('./config.js')).config))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool config', ''],
        ['PW_MCP_PROXY_HEADLESS=false pwpool config --changed', 'what would change'],
        ['pwpool config --env > .env', 'from a file to variables'],
        ["pwpool config --json | jq '.pools[].instances[0]'", ''],
      )}\n\nExit status: 0 shown, 64 no such pool, 78 invalid configuration, told as by validate.`,
    );
  config
    .command('keys')
    .summary('list every key')
    .description('List every key: where it may be set, what it takes, its default, and what it is for.')
    .argument('[words...]', 'only keys whose name or help has these words')
    .option('--json', 'print the list as JSON')
    .action(action(async () => (await import('./config-keys.js')).configKeys))
    .addHelpText(
      'after',
      `${examples(['pwpool config keys timeout', ''], ['pwpool config keys --json', ''])}\n\nExit status: 0 listed, 1 no key has these words.`,
    );
  config
    .command('schema')
    .summary('print the JSON schema of the configuration file')
    .description('Print the JSON schema of pwpool.config.yaml, for editors.')
    .action(action(async () => (await import('./config-schema.js')).printConfigSchema))
    .addHelpText(
      'after',
      `${examples(['pwpool config schema > pwpool.config.schema.json', ''])}\n\nExit status: 0 printed.`,
    );
};
