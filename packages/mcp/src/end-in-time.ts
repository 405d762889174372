import type { Backend } from './backend.js';

/** Milliseconds that closing may take beyond `SHUTDOWN_GRACE`; then the process ends as it is. */
const CLOSE_MS = 10_000;

/** Lets a server end, and ends the process if that takes too long. */
export async function endInTime(
  { config, clock }: Pick<Backend, 'config' | 'clock'>,
  log: (line: string) => void,
  end: () => Promise<void>,
): Promise<void> {
  const timeoutMs = config.server.shutdownGrace + CLOSE_MS;
  const cancelDeadline = clock.after(timeoutMs, () => {
    log(`Not closed within ${timeoutMs} ms; leaving.`);
    process.exit(1);
  });
  try {
    await end();
  } finally {
    cancelDeadline();
  }
}
