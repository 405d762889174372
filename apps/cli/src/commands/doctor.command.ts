import { type Declaration, examples, withConfiguration } from '../declaration.js';

export const declareDoctor: Declaration = (program, action) => {
  withConfiguration(
    program
      .command('doctor')
      .summary('check this machine: browsers, memory, ports, profiles')
      .description(
        'Check that what is configured works on this machine, and tell what to do where it does not: Node, each browser ' +
          '(it is started once), sandbox, fonts, /dev/shm, memory, ports, profiles, servers that do not answer.',
      ),
  )
    .option('--json', 'print { healthy, findings: [{ check, status, message, fix }] } as JSON')
    .action(action(async () => (await import('./doctor.js')).doctor))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool doctor', ''],
        ["pwpool doctor --json | jq -r '.findings[] | select(.fix) | .fix'", 'what to do'],
      )}\n\nExit status: 0 all works, 1 something does not, 78 invalid configuration.`,
    );
};
