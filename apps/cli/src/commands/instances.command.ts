import type { Command } from 'commander';
import {
  type Declaration,
  type Example,
  examples,
  seconds,
  wholeNumber,
  withServer,
} from '../declaration.js';

const TIMEOUT =
  'seconds that holders have to give browsers back before they are taken from them (default: LEASE_TIMEOUT)';

const RESTART: Example = ['pwpool instances restart SHOP', 'one after the other; callers always find one'];
const DRAIN: Example = ['pwpool instances drain SHOP/0 --timeout 60', ''];
const RESUME: Example = ['pwpool instances resume SHOP', ''];
const SCALE: Example = ['pwpool pools scale SHOP 8', ''];
const DRAIN_POOL: Example = ['pwpool pools drain SHOP', ''];

export const declareInstances: Declaration = (program, action) => {
  const instances = program
    .command('instances')
    .summary('restart, drain and resume browsers of a running server')
    .description('Restart browsers of a running server, take them out of service, and back into it.')
    .helpCommand(false);
  const declare = (name: string, summary: string) =>
    timed(instances.command(name).summary(summary).description(summary)).argument(
      '<pool[/id]>',
      'all of a pool, or one instance by its id or alias',
    );
  declare('restart', 'replace browsers by new ones, of a whole pool RESTART_CONCURRENCY at a time')
    .action(action(async () => (await import('./instances.js')).restart))
    .addHelpText('after', helpEnding(RESTART, ['pwpool instances restart SHOP/main', 'one, by its alias']));
  declare('drain', 'take instances out of service, each when its holder is done')
    .action(action(async () => (await import('./instances.js')).drain))
    .addHelpText('after', helpEnding(DRAIN));
  declare('resume', 'take drained and failed instances back into service')
    .action(action(async () => (await import('./instances.js')).resume))
    .addHelpText('after', helpEnding(RESUME));
  instances.addHelpText('after', helpEnding(RESTART, DRAIN, RESUME));
};

export const declarePools: Declaration = (program, action) => {
  const pools = program
    .command('pools')
    .summary('scale and drain pools of a running server')
    .description('Give a pool of a running server more instances or fewer, or take all of it out of service.')
    .helpCommand(false);
  timed(pools.command('scale').summary('change how many instances a pool has'))
    .description(
      'Change how many instances a pool has, until the server is started again: its last ones go first.',
    )
    .argument('<pool>', 'its name')
    .argument('<instances>', 'how many it is to have', wholeNumber)
    .action(action(async () => (await import('./instances.js')).scale))
    .addHelpText('after', helpEnding(SCALE));
  timed(pools.command('drain').summary('take a pool out of service'))
    .description(
      'Take a pool out of service, each instance when its holder is done; "pwpool instances resume POOL" undoes it.',
    )
    .argument('<pool>', 'its name')
    .action(action(async () => (await import('./instances.js')).drain))
    .addHelpText('after', helpEnding(DRAIN_POOL));
  pools.addHelpText('after', helpEnding(SCALE, DRAIN_POOL));
};

function helpEnding(...lines: readonly Example[]): string {
  return `${examples(...lines)}

Ctrl-C ends the command; the server goes on with what it has begun.

Exit status: 0 done, 1 failed for an instance, 2 no server runs, 64 no such pool or instance, or several servers run.`;
}

function timed(command: Command): Command {
  return withServer(command)
    .option('--timeout <seconds>', TIMEOUT, seconds)
    .option('--json', 'print { success, instances: […] } as JSON, in place of what happens');
}
