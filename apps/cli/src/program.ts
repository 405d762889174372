import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { declareCall, declareScreenshot, declareTools } from './commands/call.command.js';
import { declareCompletion } from './commands/completion.command.js';
import { declareConfig } from './commands/config.command.js';
import { declareDoctor } from './commands/doctor.command.js';
import { declareEvents, declareLogs } from './commands/follow.command.js';
import { declareInit } from './commands/init.command.js';
import { declareInstances, declarePools } from './commands/instances.command.js';
import { declareMcp } from './commands/mcp.command.js';
import { declareMigrate } from './commands/migrate.command.js';
import { declareReload } from './commands/reload.command.js';
import { declareRun } from './commands/run.command.js';
import { declareServe } from './commands/serve.command.js';
import { declareSessions } from './commands/sessions.command.js';
import { declareStatus } from './commands/status.command.js';
import { declareStop } from './commands/stop.command.js';
import { declareToken } from './commands/token.command.js';
import { declareValidate } from './commands/validate.command.js';
import { type Action, type Declaration, examples } from './declaration.js';
import { EXIT, EXIT_MEANINGS, statusOfCode } from './exit-status.js';
import { complain, describeError, foldFor } from './output.js';

/** Columns of a help text that goes to no terminal: what commander takes for those that it folds itself. */
const HELP_WIDTH = 80;

/** Every command, as `--help` lists them. Each is declared beside its work, which is loaded when it runs. */
const COMMANDS: Readonly<Record<string, readonly Declaration[]>> = {
  'Set up:': [declareInit, declareValidate, declareConfig, declareDoctor, declareMigrate, declareCompletion],
  'Serve:': [declareMcp, declareServe],
  'Look and operate:': [
    declareStatus,
    declareLogs,
    declareEvents,
    declareSessions,
    declareInstances,
    declarePools,
    declareReload,
    declareStop,
    declareToken,
  ],
  'Call tools:': [declareCall, declareScreenshot, declareTools],
  'Run scripts:': [declareRun],
};

/**
 * Runs the command that `argv` asks for, and tells on stderr what went wrong.
 * @returns the exit status
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let status: number = EXIT.ok;
  const program = describeProgram((load) => async (...args) => {
    const run = await load();
    status = await run(...args);
  });
  try {
    await program.parseAsync([...argv]);
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) return await fail(error, program.opts()['verbose'] === true);
    // Commander has said what it had to say: a help text that was asked for, or what is wrong and the nearest name.
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

/** Tells what went wrong, and returns the exit status for it. */
async function fail(error: unknown, verbose: boolean): Promise<number> {
  // Loaded here, not above: core brings Playwright with it, which --help and --version do not need.
  const { PwpoolError } = await import('@pwpool/core');
  const known = error instanceof PwpoolError;
  complain(known ? describeError(error) : `pwpool failed: ${error instanceof Error ? error.message : error}`);
  if (verbose) complain(inspect(error));
  else if (!known) complain('Run it with --verbose to see where.');
  return known ? statusOfCode(error.code) : EXIT.failure;
}

/** Declares the program and its commands. */
export function describeProgram(action: Action): Command {
  const program = new Command('pwpool')
    .description('A pool of browsers for agents, scripts and people.')
    .version(version(), '-v, --version', 'show the version')
    .option('--verbose', 'show the stack of what fails')
    .helpOption('-h, --help', 'show this text')
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('Run it with --help to see what it takes.')
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => process.stdout.write(foldFor(process.stdout, text, HELP_WIDTH)),
      writeErr: (text) => process.stderr.write(foldFor(process.stderr, text)),
    })
    .addHelpText(
      'after',
      examples(
        ['pwpool init', 'a configuration, and an entry for an agent'],
        ['pwpool validate', 'is the configuration right?'],
        ['pwpool config', 'what is in force, and what set it'],
        ['pwpool mcp', 'serve browsers to an MCP client over stdio'],
        ['pwpool serve', 'serve browsers to many clients over HTTP'],
        ['pwpool status', 'what runs, and who uses it'],
        ['pwpool run steps.yaml', 'run a script on a browser of its own'],
      ) +
        `\n\nExit status: ${Object.entries(EXIT_MEANINGS)
          .map(([status, meaning]) => `${status} ${meaning}`)
          .join(', ')}.`,
    );
  for (const [group, declarations] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const declare of declarations) declare(program, action);
  }
  return program;
}

function version(): string {
  return (createRequire(import.meta.url)('../package.json') as { version: string }).version;
}
