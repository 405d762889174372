import { type Declaration, examples, wholeNumber, withServer } from '../declaration.js';

export const declareLogs: Declaration = (program, action) => {
  withServer(
    program
      .command('logs')
      .summary('show the log of a running server')
      .description(
        'Show the latest lines of the log of a running server: each call, and what becomes of its browsers.',
      ),
  )
    .option('--lines <count>', 'how many of the latest, up to 1000', wholeNumber, 100)
    .option('--follow', 'go on with those that come, until Ctrl-C')
    .option('--json', 'one JSON object a line')
    .action(action(async () => (await import('./follow.js')).logs))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool logs --follow', ''],
        ['pwpool logs --json | jq -r \'select(.code) | .tool + " " + .code\'', 'what has failed'],
      )}

LOG_LEVEL says what is logged, LOG_FILE has it written to a file as well.

Exit status: 0 shown, 1 the server has ended, 2 no server runs, 64 several servers run.`,
    );
};

export const declareEvents: Declaration = (program, action) => {
  withServer(
    program
      .command('events')
      .summary('show what happens to the pools of a running server')
      .description(
        'Show what happens to the pools of a running server, as it happens: leases, starts, losses, restarts, calls.',
      ),
  )
    .option('--follow', 'until Ctrl-C, which is what it does in any case')
    .option('--pool <name>', 'only of this pool')
    .option('--json', 'one JSON object a line')
    .action(action(async () => (await import('./follow.js')).events))
    .addHelpText(
      'after',
      `${examples(['pwpool events --follow --json | jq \'select(.event == "instance-lost")\'', ''])}

Exit status: 0 ended by Ctrl-C, 1 the server has ended, 2 no server runs, 64 several servers run.`,
    );
};
