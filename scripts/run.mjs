import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { ROOT } from './workspace.mjs';

/** The environment of every tool: the workspace's own commands first on PATH, nobody is told of this run. */
const TOOL_ENVIRONMENT = {
  ...process.env,
  PATH: [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
};

/** A failure that its message explains in full, with what a quiet command had printed. */
export class CommandFailed extends Error {
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/**
 * Runs a command to its end. A quiet one prints nothing; what it said is in the error when it fails.
 * @throws CommandFailed for an exit status other than 0, a signal, or after `timeoutMs`
 */
export async function run(command, args, { cwd = ROOT, env = {}, quiet = false, timeoutMs } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...TOOL_ENVIRONMENT, ...env },
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    // npx and the commands in node_modules/.bin are .cmd files there, which only a shell can start.
    shell: process.platform === 'win32',
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk));

  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      child.kill();
      // A grandchild may hold the pipes open for longer than its parent lives.
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    timeoutMs ?? 2 ** 31 - 1,
  );
  const ending = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  clearTimeout(timer);
  if (ending === 0) return;
  const reason = late ? `no end after ${timeoutMs / 1000} s` : ending;
  throw new CommandFailed(
    `"${[command, ...args].join(' ')}" failed: ${reason}`,
    Buffer.concat(output).toString(),
  );
}

/** Runs a script's main function; a failure that explains itself is shown without a stack. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.exitCode = 1;
    if (!(error instanceof CommandFailed)) throw error;
    process.stderr.write(error.output);
    console.error(`\n${error.message}`);
  }
}
