import type { Argument, Command, Option } from 'commander';

/** Names that are known only at the moment: `pwpool completion pools` tells them. */
export type NameKind = 'pools' | 'servers' | 'sessions' | 'tools';

/** What an option or an argument takes: one of some words, a name of the moment, a file, or anything. */
export type Values = readonly string[] | NameKind | 'files' | 'anything';

export interface Word {
  text: string;
  help: string;
}

interface OptionWord extends Word {
  /** Absent for one that takes no value. */
  values: Values | undefined;
}

/** What may follow one command, which is told by its path: '' for the program, '/config/keys'. */
export interface Stop {
  path: string;
  commands: readonly Word[];
  options: readonly OptionWord[];
  /** Of the first argument; absent if there is none. */
  argument: Values | undefined;
}

/** By the placeholder in the help: `<file>`, `[pid|url]`. */
const BY_PLACEHOLDER: Readonly<Record<string, Values>> = {
  file: 'files',
  folder: 'files',
  path: 'files',
  flags: 'files',
  pid: 'servers',
  'pid|url': 'servers',
  pool: 'pools',
  'pool[/id]': 'pools',
  session: 'sessions',
  tool: 'tools',
};

/** Every command that `--help` shows, and what may follow it. */
export function stopsOf(command: Command, path = '', global: readonly Option[] = []): Stop[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = [...help.visibleOptions(command), ...global].flatMap((option): OptionWord[] => {
    const { long, description } = option;
    return long ? [{ text: long, help: description, values: valuesOf(option) }] : [];
  });
  const [argument] = command.registeredArguments;
  const own: Stop = {
    path,
    commands: commands.map((each) => ({ text: each.name(), help: each.summary() || each.description() })),
    options,
    argument: argument && valuesOfArgument(argument),
  };
  // What the program takes behind every command as well.
  const passed = path === '' ? command.options.filter(({ long }) => long !== '--version') : global;
  const declared = commands.filter((each) => command.commands.includes(each));
  return [own, ...declared.flatMap((each) => stopsOf(each, `${path}/${each.name()}`, passed))];
}

function valuesOf({ flags, long, required, optional, argChoices }: Option): Values | undefined {
  if (!required && !optional) return undefined;
  if (argChoices) return argChoices;
  if (long === '--pool') return 'pools';
  const placeholder = /[<[](?<name>.+?)(?:\.\.\.)?[>\]]$/.exec(flags)?.groups?.['name'] ?? '';
  return BY_PLACEHOLDER[placeholder] ?? 'anything';
}

function valuesOfArgument(argument: Argument): Values {
  return argument.argChoices ?? BY_PLACEHOLDER[argument.name()] ?? 'anything';
}
