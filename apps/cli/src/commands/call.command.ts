import type { Command } from 'commander';
import { type Declaration, examples, withConfiguration, withServer } from '../declaration.js';

const WHERE = `
It runs on the running server, if there is one, as a client of its own, whose sessions last from one
command to the next; otherwise on a pool of its own, which is closed at the end.`;

const STATUS =
  '\n\nExit status: 0 done, 1 the tool has failed, 64 no such tool or wrong arguments, or several servers run, 78 invalid configuration.';

export const declareCall: Declaration = (program, action) => {
  withHost(
    program
      .command('call')
      .summary('call one tool')
      .description(`Call one tool and print its answer.${WHERE}`)
      .argument('<tool>', 'its name, as "pwpool tools" lists it')
      .argument('[key=value...]', 'its arguments; a value that is JSON is taken as such'),
  )
    .option('--args <json>', 'its arguments as a JSON object')
    .option('--json', 'print the whole answer as JSON')
    .action(action(async () => (await import('./call.js')).call))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool call browser_navigate url=https://example.com', ''],
        [
          'pwpool call browser_snapshot',
          'of the page that the call before it has opened, on a running server',
        ],
        [`pwpool call browser_click --args '{"target":"#send"}'`, ''],
      )}${STATUS}`,
    );
};

export const declareScreenshot: Declaration = (program, action) => {
  withHost(
    program
      .command('screenshot')
      .summary('take a picture of a page')
      .description(`Open an address and write a picture of the page as PNG.${WHERE}`)
      .argument('<url>', 'the address'),
  )
    .option('--out <file>', 'where to write it', 'screenshot.png')
    .option('--full-page', 'all of the page, not only what a window shows')
    .action(action(async () => (await import('./call.js')).screenshot))
    .addHelpText(
      'after',
      `${examples(['pwpool screenshot https://example.com --out example.png', ''])}${STATUS}`,
    );
};

export const declareTools: Declaration = (program, action) => {
  withHost(
    program
      .command('tools')
      .summary('list the tools, or show what one takes')
      .description('List the tools on offer, or show the arguments of one.')
      .argument('[tool]', 'its name'),
  )
    .option('--json', 'print { tools: […] } as JSON')
    .action(action(async () => (await import('./call.js')).tools))
    .addHelpText('after', `${examples(['pwpool tools', ''], ['pwpool tools browser_click', ''])}${STATUS}`);
};

function withHost(command: Command): Command {
  return withConfiguration(withServer(command)).option(
    '--own',
    'on a pool of its own, also if a server runs',
  );
}
