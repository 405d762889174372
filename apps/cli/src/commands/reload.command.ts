import { type Declaration, examples, withServer } from '../declaration.js';

export const declareReload: Declaration = (program, action) => {
  withServer(
    program
      .command('reload')
      .summary('have a running server take its changed configuration in')
      .description(
        'Have a running server read its configuration again: .env and the configuration file, not the environment, which a process keeps. ' +
          'Only what differs changes; whoever holds a browser is not disturbed before LEASE_TIMEOUT.',
      ),
  )
    .option('--json', 'print { success, changed, poolsAdded, poolsRemoved, needsRestart, instances } as JSON')
    .action(action(async () => (await import('./reload.js')).reload))
    .addHelpText(
      'after',
      `${examples(['pwpool reload', ''], ['kill -HUP 4711', 'the same, told in the log of the server'])}

A configuration that is not valid is refused whole, with every violation, and the server goes on with the one before. WATCH_CONFIG=true has the server reload by itself when a file changes.

Exit status: 0 reloaded, 1 a browser did not start, 2 no server runs, 64 several servers run, 78 not valid.`,
    );
};
