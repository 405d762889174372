import { Argument } from 'commander';
import { type Declaration, examples } from '../declaration.js';

export const declareCompletion: Declaration = (program, action) => {
  const what = new Argument('<what>', 'the script of a shell, or the names that it asks for');
  program
    .command('completion')
    .summary('print what makes a shell complete this command')
    .description(
      'Print the script that makes a shell complete commands, options and what they take: also the names of pools, servers, sessions and tools, as they are at the moment.',
    )
    .addArgument(what.choices(['bash', 'zsh', 'fish', 'pools', 'servers', 'sessions', 'tools']))
    .action(action(async () => (await import('./completion.js')).completion))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool completion bash > ~/.local/share/bash-completion/completions/pwpool', ''],
        ['pwpool completion zsh > "${fpath[1]}/_pwpool"', ''],
        ['pwpool completion fish > ~/.config/fish/completions/pwpool.fish', ''],
      )}\n\nExit status: 0 printed, 64 not for that shell.`,
    );
};
