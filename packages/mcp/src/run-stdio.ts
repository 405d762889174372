import { PwpoolError } from '@pwpool/core';
import { serveStdio } from './serve-stdio.js';

/** EX_CONFIG of sysexits.h: something is wrong with the configuration. */
const EXIT_CONFIG = 78;

/**
 * Runs the stdio server as this process, and ends the process with it: exit status 0, 78 or 1.
 * @param args flags as playwright-mcp has them
 */
export async function runStdio(args: readonly string[] = []): Promise<never> {
  const log = (line: string) => void process.stderr.write(`pwpool: ${line}\n`);
  // Nobody may be left to read it, which is no reason to end.
  process.stderr.on('error', () => {});
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stop.abort());
  // One tenant's stray rejection is nobody else's: it is written down, and the server goes on.
  process.on('unhandledRejection', (reason) =>
    log(
      `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    ),
  );
  try {
    await serveStdio({ args, signal: stop.signal, log });
    return process.exit(0);
  } catch (error) {
    log(
      error instanceof PwpoolError
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error),
    );
    return process.exit(error instanceof PwpoolError && error.code === 'CONFIG_INVALID' ? EXIT_CONFIG : 1);
  }
}
