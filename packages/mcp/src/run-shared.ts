import { randomBytes } from 'node:crypto';
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig, systemClock } from '@pwpool/core/light';
import { runProcess } from './run-process.js';
import { checkpointsIn, sharedAddress } from './shared/address.js';
import { End } from './shared/end.js';
import { findServer } from './shared/find-server.js';
import { versionOnDisk } from './version.js';

/**
 * Runs the end of a window as this process (`--shared`), and ends the process with it: exit status 0, 78 or 1.
 * @param args flags of the server
 */
export async function runShared(args: readonly string[] = []): Promise<never> {
  return await runProcess(async ({ stop, log }) => {
    process.on('SIGHUP', () => stop.abort());
    await serveEnd(args, stop.signal, log);
  });
}

async function serveEnd(
  args: readonly string[],
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  const { server: settings } = loadConfig({
    args,
    onWarning: ({ message, fix }) => log(`${message}. ${fix}`),
  });
  const name = `${process.pid}-${randomBytes(8).toString('hex')}`;
  const options = {
    greeting: { name, pid: process.pid, cwd: process.cwd() },
    // Both may have changed since the window was opened: who needs a server then is to have the one of today.
    address: () => sharedAddress(loadConfig({ args }), versionOnDisk()),
    command: [process.execPath, SERVER, '--shared-server', ...args],
    clock: systemClock,
    log,
  };
  const end = new End({
    input: process.stdin,
    output: process.stdout,
    connect: (left) => findServer(options, left),
    restores: settings.sessionRestore,
    graceMs: settings.shutdownGrace,
    clock: systemClock,
    signal,
    log,
  });
  // Where nobody else can forget its sessions, it does so itself.
  if (!(await end.run())) {
    const { directory } = await options.address();
    await rm(join(checkpointsIn(directory), name), { recursive: true, force: true });
    await rmdir(checkpointsIn(directory)).catch(() => {});
  }
}

const SERVER = fileURLToPath(new URL('../bin/pwpool-mcp.js', import.meta.url));
