import type { Command } from 'commander';
import { CONFIGURATION, type Declaration, examples, wholeNumber, withConfiguration } from '../declaration.js';

export const declareToken: Declaration = (program, action) => {
  const token = program
    .command('token')
    .summary('the tokens of those who may call over HTTP')
    .description(
      `Make, list and revoke the tokens of those who may call over HTTP. A running server follows within a second.\n${CONFIGURATION}`,
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      `${examples(
        ['pwpool token add alice', ''],
        ['pwpool token list', ''],
        ['pwpool token revoke alice', ''],
      )}\n\nExit status: 0 done, 64 the name is taken, or has no token, 78 invalid configuration or file of tokens.`,
    );
  withFile(token.command('add'))
    .summary('make a token and print it')
    .description('Make a token and print it, the only time that it is shown: the file keeps its hash.')
    .argument('<name>', 'whose it is: lower-case letters, digits, hyphens and underscores')
    .option('--pool <name...>', 'the pools that it may use (default: all)')
    .option('--sessions <count>', 'how many sessions it may have open', wholeNumber)
    .option('--waiting-calls <count>', 'how many of its calls may wait for a browser', wholeNumber)
    .option('--calls-per-minute <count>', 'how many calls it may make in a minute', wholeNumber)
    .option('--admin', 'let it operate the server')
    .action(action(async () => (await import('./token.js')).addToken))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool token add alice', ''],
        ['pwpool token add ci --pool SCRAPE --sessions 4 --calls-per-minute 600', ''],
      )}\n\nExit status: 0 made, 64 the name is taken, 78 invalid configuration or file of tokens.`,
    );
  withFile(token.command('list'))
    .summary('show whose tokens there are, and what each may use')
    .description('Show whose tokens there are, and what each may use; the tokens themselves are not kept.')
    .option('--json', 'print { file, tokens: […] } as JSON')
    .action(action(async () => (await import('./token.js')).listTokens))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool token list', ''],
        ["pwpool token list --json | jq -r '.tokens[].name'", ''],
      )}\n\nExit status: 0 shown, 64 no file of tokens, 78 invalid configuration or file of tokens.`,
    );
  withFile(token.command('revoke'))
    .summary('take a token back')
    .description('Take a token back: a running server refuses it within a second.')
    .argument('<name>', 'whose it is')
    .action(action(async () => (await import('./token.js')).revokeToken))
    .addHelpText(
      'after',
      `${examples(['pwpool token revoke alice', ''])}\n\nExit status: 0 revoked, 64 nobody of that name has one, 78 invalid configuration or file of tokens.`,
    );
};

function withFile(command: Command): Command {
  return withConfiguration(command).option('--file <path>', 'the file of tokens (default: HTTP_TOKENS_FILE)');
}
