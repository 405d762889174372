import { Option } from 'commander';
import { type Declaration, examples, wholeNumber } from '../declaration.js';

/** The names of `AGENT_CLIENTS`, which is loaded when the command runs. */
const CLIENTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'gemini'] as const;

export const declareInit: Declaration = (program, action) => {
  program
    .command('init')
    .summary("write a configuration, and tell an agent's client of pwpool")
    .description(
      "Ask a few questions, write pwpool.config.yaml, and add pwpool to the servers of an agent's client.\n" +
        'A file that is there already is kept; of a client nothing but the one entry is changed.',
    )
    .option('-y, --yes', 'ask nothing: take what is given here, and defaults')
    .option('--instances <count>', 'how many browsers', wholeNumber)
    .option('--browser <name>', 'chromium, chrome, msedge, firefox or webkit')
    .option('--headed', 'show the windows')
    .option('--keep-logins', 'keep a profile on disk for each browser')
    .addOption(new Option('--client <name...>', "the agent's client").choices(CLIENTS))
    .option('--print', "print the client's entry rather than write it")
    .action(action(async () => (await import('./init.js')).init))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool init', ''],
        ['pwpool init --yes --client claude-code', 'nothing asked'],
        ['pwpool init --yes --client codex --print', 'the entry alone, to put in by hand'],
      )}\n\nExit status: 0 done, 1 a file could not be written, 64 nobody to ask, 130 cancelled.`,
    );
};
