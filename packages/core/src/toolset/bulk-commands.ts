import type { Command } from '../calls/run-commands.js';
import type { ToolArguments } from '../connection/tool-connection.js';
import { asPwpoolError, PwpoolError } from '../errors.js';
import { faultsOfReferences, hasReferences, resolveReferences } from './command-references.js';
import type { Toolset } from './toolset.js';

/** One command of a bulk, as its caller wrote it [000-bulk-04]. */
export interface BulkCommand {
  tool: string;
  /** In texts, `${0.url}` stands for what command 0 answered (`resolveReferences`). */
  args?: ToolArguments | undefined;
}

/** Which browser is used is said once, for all commands. */
const TARGETS = ['sessionId', 'browser_pool', 'browser_instance'];

/**
 * The commands, ready to be run one after the other. All are checked before the first runs; arguments with references are
 * checked once more when these are known.
 * @throws PwpoolError `INVALID_ARGUMENTS` with every fault of every command
 */
export function bulkCommands(commands: readonly BulkCommand[], toolset: Toolset): Command[] {
  const problems = commands.flatMap((command, index) =>
    faultsOfCommand(command, index, toolset).map((fault) => `commands[${index}]: ${fault}`),
  );
  return checkedCommands(
    commands,
    toolset,
    problems,
    'A command is { tool, args }, the tool one of the browser tools. sessionId, browser_pool and browser_instance go beside commands.',
  );
}

/**
 * The commands, unless there is something wrong with them.
 * @param hint how a command is to be written
 * @throws PwpoolError `INVALID_ARGUMENTS`
 */
export function checkedCommands(
  commands: readonly BulkCommand[],
  toolset: Toolset,
  problems: readonly string[],
  hint: string,
): Command[] {
  if (problems.length > 0) {
    const message = `Nothing was run. ${problems.join(' ')}`;
    throw new PwpoolError('INVALID_ARGUMENTS', message, { hint, details: { problems } });
  }
  return commands.map(({ tool, args = {} }) => ({
    tool,
    args: (answers) => toolset.check(tool, resolveReferences(args, answers)).args,
  }));
}

/** What is wrong with a command, in sentences. */
export function faultsOfCommand({ tool, args = {} }: BulkCommand, index: number, toolset: Toolset): string[] {
  const faults = faultsOfReferences(args, index).map((fault) => `${fault}.`);
  for (const key of TARGETS) if (key in args) faults.push(`'${key}' is not an argument of a command.`);
  // What a reference stands for may be of any type: its command is checked when its turn has come.
  if (faults.length > 0 || (toolset.has(tool) && hasReferences(args))) return faults;
  try {
    toolset.check(tool, args);
    return [];
  } catch (error) {
    const { message, hint } = asPwpoolError(error);
    return [hint === undefined ? message : `${message} ${hint}`];
  }
}
