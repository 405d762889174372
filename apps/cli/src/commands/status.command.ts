import { type Declaration, examples, withServer } from '../declaration.js';

export const declareStatus: Declaration = (program, action) => {
  withServer(
    program
      .command('status')
      .summary('show the running servers: instances, leases, sessions, who waits')
      .description(
        'Show every running pwpool server of this user: pools, instances, leases, sessions, and who waits for a browser.',
      ),
  )
    .option('--pool <name>', 'only this pool')
    .option('--watch', 'draw it again every second, in place, until Ctrl-C')
    .option('--json', 'print { servers: […] } as JSON')
    .option(
      '--all',
      'with --json: of each instance also its holder, page, uses, restarts, memory and last error',
    )
    .action(action(async () => (await import('./status.js')).status))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool status', ''],
        ['pwpool status --watch --pool SHOP', ''],
        ["pwpool status --json | jq '.servers[].summary.available_instances'", ''],
        ['pwpool status --server 4711', 'one of several'],
      )}

--json prints, for each server, { pid, version, startedAt, cwd, httpAddress, pools, summary, sessions, waiting, error }: pools and summary as browser_pool_status answers them, and who waits for which instance since when; with --all also details. For a server that gave no answer, error says why, and what it holds is null. The schema is schema/pwpool.status.schema.json of @pwpool/core.

Exit status: 0 all is well, 1 a server gave no answer, or a browser has failed or does not answer, 2 no server runs.`,
    );
};
