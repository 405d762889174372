import { PwpoolError } from '@pwpool/core/light';

/** EX_CONFIG of sysexits.h: something is wrong with the configuration. */
const EXIT_CONFIG = 78;

/** What is given to the work of a process. */
export interface OwnProcess {
  /** Aborts when the process is to end. */
  stop: AbortController;
  /** Tells a person something, on stderr: stdout carries the protocol. */
  log: (line: string) => void;
}

/** Runs something as this process, and ends the process with it: exit status 0, 78 or 1. */
export async function runProcess(work: (own: OwnProcess) => Promise<void>): Promise<never> {
  const log = (line: string) => void process.stderr.write(`pwpool: ${line}\n`);
  // Nobody may be left to read it, which is no reason to end.
  process.stderr.on('error', () => {});
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stop.abort());
  try {
    await work({ stop, log });
    return process.exit(0);
  } catch (error) {
    log(describe(error));
    return process.exit(isInvalidConfig(error) ? EXIT_CONFIG : 1);
  }
}

function isInvalidConfig(error: unknown): boolean {
  return error instanceof PwpoolError && error.code === 'CONFIG_INVALID';
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof PwpoolError)) return error.stack ?? error.message;
  // Each violation of a configuration says itself what to do.
  return isInvalidConfig(error) || error.hint === undefined
    ? error.message
    : `${error.message} ${error.hint}`;
}
