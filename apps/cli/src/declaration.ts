import { type Command, InvalidArgumentError } from 'commander';

/** A command's work; resolves to the exit status. */
export type Run<Arguments extends unknown[]> = (...args: Arguments) => number | Promise<number>;

/** Makes what commander calls, out of the way to a command's work: its module is loaded when the command runs. */
export type Action = <Arguments extends unknown[]>(
  load: () => Promise<Run<Arguments>>,
) => (...args: Arguments) => Promise<void>;

/** Tells commander of a command. What it imports is loaded for every `--help`: nothing heavy. */
export type Declaration = (program: Command, action: Action) => void;

/** For commands that read the configuration. */
export const CONFIGURATION =
  'The configuration is that of --set, then of PW_MCP_PROXY_… variables, of .env and of pwpool.config.yaml here.';

/** Declares the options of a command that reads the configuration: `ConfigOptions` has them. */
export function withConfiguration(command: Command): Command {
  return command
    .option('--config <file>', 'read this configuration file, in place of pwpool.config.yaml')
    .option('--env-file <file>', 'read variables from this file, in place of .env')
    .option('--set <key=value>', 'set headless, SHOP.headless or SHOP.0.headless; repeatable', gathered);
}

/** Declares the option of a command about a running server: `ServerOptions` has it. */
export function withServer(command: Command): Command {
  return command.option(
    '--server <pid>',
    'the server with this process id (default: the only one)',
    processId,
  );
}

function processId(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('A process id is a whole number above 0.');
  return Number(text);
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

export function seconds(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It is a number of seconds.');
  return Number(text);
}

function gathered(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** A command line, and what it is for, if that does not go without saying. */
export type Example = readonly [command: string, purpose: string];

/** A help text's section of examples, aligned. */
export function examples(...lines: readonly Example[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  const shown = lines.map(([command, purpose]) => `  ${command.padEnd(width)}  ${purpose}`.trimEnd());
  return `\nExamples:\n${shown.join('\n')}`;
}
