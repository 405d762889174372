import { createRequire } from 'node:module';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { EXIT, statusOfCode } from './exit-status.js';
import { complain, describeError } from './output.js';

/** A command's work; resolves to the exit status. */
type Run<Arguments extends unknown[]> = (...args: Arguments) => number | Promise<number>;

const CONFIGURATION =
  'The configuration in force is that of the PW_MCP_PROXY_… variables, then of the .env file in the working directory.';

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
    if (!(error instanceof CommanderError)) return await fail(error);
    // Commander has said what it had to say: a help text that was asked for, or what is wrong and the nearest name.
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

/** Tells what went wrong, and returns the exit status for it. */
async function fail(error: unknown): Promise<number> {
  // Loaded here, not above: core brings Playwright with it, which --help and --version do not need.
  const { PwpoolError } = await import('@pwpool/core');
  if (error instanceof PwpoolError) {
    complain(describeError(error));
    return statusOfCode(error.code);
  }
  complain(`pwpool failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return EXIT.failure;
}

/** Declares the commands. Each loads its module when it runs, so that `--help` answers at once. */
function describeProgram(
  action: <Arguments extends unknown[]>(
    load: () => Promise<Run<Arguments>>,
  ) => (...args: Arguments) => Promise<void>,
): Command {
  const program = new Command('pwpool')
    .description('A pool of browsers for agents, scripts and people.')
    .version(version(), '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show this text')
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('Run it with --help to see what it takes.')
    .exitOverride()
    .addHelpText(
      'after',
      examples(
        ['pwpool validate', 'is the configuration right?'],
        ['pwpool config', 'what is in force, and what set it'],
        ['pwpool mcp', 'serve browsers to an MCP client over stdio'],
        ['pwpool status', 'what runs, and who uses it'],
        ['pwpool run steps.yaml', 'run a script on a browser of its own'],
      ) +
        '\n\nExit status: 0 done, 1 failed, 64 wrong usage or script, 78 invalid configuration,\n128 + n ended by signal n.',
    );

  program
    .command('validate')
    .summary('check the configuration')
    .description(
      `Check the configuration, the file of sites that it names, and that its browsers are there; tell all that is wrong.\n${CONFIGURATION}`,
    )
    .option('--json', 'print { valid, violations, warnings, files, pools, browsers } as JSON')
    .option('--no-probe', 'do not look for the browsers')
    .action(action(async () => (await import('./commands/validate.js')).validate))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool validate', ''],
        ["pwpool validate --json | jq -r '.violations[].fix'", ''],
        ['pwpool validate --no-probe', 'where the browsers are not'],
      )}\n\nExit status: 0 valid, 78 not, 1 valid but a browser is missing.`,
    );

  program
    .command('config')
    .summary('show the effective configuration and its origins')
    .description(`Show the effective value of every setting and what set it.\n${CONFIGURATION}`)
    .option('--json', 'print everything, for each instance by itself, as JSON')
    .action(action(async () => (await import('./commands/config.js')).config))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool config', ''],
        ['PW_MCP_PROXY_HEADLESS=false pwpool config', 'what would change'],
        ["pwpool config --json | jq '.pools[].instances[0]'", ''],
      )}\n\nExit status: 0 shown, 78 invalid configuration, told as by validate.`,
    );

  program
    .command('status')
    .summary('show the running servers: instances, leases, sessions, who waits')
    .description(
      'Show every running pwpool server of this user: pools, instances, leases, sessions, and who waits for a browser.',
    )
    .option('--json', 'print { servers: […] } as JSON')
    .option('--pid <pid>', 'only the server with this process id', processId)
    .action(action(async () => (await import('./commands/status.js')).status))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool status', ''],
        ["pwpool status --json | jq '.servers[].summary.available_instances'", ''],
        ['pwpool status --pid 4711', 'one of several'],
      )}

--json prints, for each server, { pid, version, startedAt, cwd, httpAddress, pools, summary, sessions,
waiting, error }: pools and summary as browser_pool_status answers them, and who waits for which
instance since when. For a server that gave no answer, error says why, and what it holds is null.

Exit status: 0 when a server answered, 1 when none did.`,
    );

  program
    .command('run')
    .summary('run a script on a browser of its own')
    .description(
      'Run a list of browser tool calls, in order, on one instance of a pool of its own.\n' +
        'The browser starts once the script has passed its checks, and is closed at the end.',
    )
    .argument('<file>', 'the script, YAML or JSON; "-" reads it from stdin')
    .option('--pool <name>', 'take the settings of this pool (default: the default pool)')
    .option('--instance <id>', 'take the settings of this instance, by id or alias (default: the first)')
    .action(action(async () => (await import('./commands/run.js')).run))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool run steps.yaml', ''],
        ['pwpool run steps.yaml --pool SCRAPE --instance main', ''],
        ["pwpool run - < steps.yaml | jq -r '.steps[-1].content[0].text'", ''],
      )}

A script:
  - tool: browser_navigate
    args: { url: "https://example.com" }
  - tool: browser_snapshot

Prints { success, steps: [{ step, tool, success, content, error }] } as JSON; steps count from 1,
and the first that fails is the last.

Exit status: 0 all steps done, 1 a step failed or no browser started, 64 faulty script or file,
unknown pool or instance, 78 invalid configuration, 130 or 143 ended by SIGINT or SIGTERM.`,
    );

  program
    .command('mcp')
    .summary('serve browsers to an MCP client over stdio')
    .description(
      `Serve a pool of browsers to one MCP client over stdio, as pwpool-mcp does.\nThe client starts it. ${CONFIGURATION}`,
    )
    .usage('[options]')
    // pwpool reads them itself: it tells every fault of the configuration at once, theirs included.
    .argument('[flags...]')
    .allowUnknownOption()
    .helpOption(false)
    .option('-h, --help', 'show this text')
    .action(action(async () => (await import('./commands/mcp.js')).mcp))
    .addHelpText(
      'after',
      `${examples(['claude mcp add browsers -- npx pwpool mcp', 'for an agent'])}

Exit status: 0 ended by the client or by a signal, 78 invalid configuration, 1 failed.`,
    );
  return program;
}

function examples(...lines: readonly (readonly [command: string, purpose: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  const shown = lines.map(([command, purpose]) => `  ${command.padEnd(width)}  ${purpose}`.trimEnd());
  return `\nExamples:\n${shown.join('\n')}`;
}

function processId(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('A process id is a whole number above 0.');
  return Number(text);
}

function version(): string {
  return (createRequire(import.meta.url)('../package.json') as { version: string }).version;
}
