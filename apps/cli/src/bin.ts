import { EXIT, statusOfCode } from './exit-status.js';
import { complain, describeError, flushOutput, surviveBrokenPipes } from './output.js';
import { runProgram } from './program.js';

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

surviveBrokenPipes();
const status = await runProgram(process.argv).catch(fail);
await flushOutput();
// Upstream's tools leave timers behind that would keep the process up for seconds.
process.exit(status);
