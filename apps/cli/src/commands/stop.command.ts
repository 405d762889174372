import { type Declaration, examples, seconds, withServer } from '../declaration.js';

export const declareStop: Declaration = (program, action) => {
  withServer(
    program
      .command('stop')
      .summary('end a running server')
      .description('End a running server: running calls have SHUTDOWN_GRACE, then every browser is closed.'),
  )
    .option('--drain', 'wait for those who hold browsers first; nobody gets a new one meanwhile')
    .option('--timeout <seconds>', 'how long --drain waits for them (default: LEASE_TIMEOUT)', seconds)
    .option('--json', 'print { success, instances: […] } as JSON')
    .action(action(async () => (await import('./stop.js')).stop))
    .addHelpText(
      'after',
      `${examples(['pwpool stop', ''], ['pwpool stop --drain --timeout 300', ''])}

Exit status: 0 ended, 1 failed, 2 no server runs, 64 several servers run.`,
    );
};
