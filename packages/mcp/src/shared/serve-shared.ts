import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inspectConfig, loadConfig } from '@pwpool/core';
import { CheckpointStore, isRunning, runningServers, untilAborted } from '@pwpool/core/internal';
import { endInTime } from '../end-in-time.js';
import { PoolServer } from '../pool-server.js';
import { VERSION } from '../version.js';
import { checkpointsIn, sharedAddress } from './address.js';
import { END_NAME } from './handshake.js';
import { SharedServer } from './shared-server.js';

export interface ServeSharedOptions {
  /** Flags of the server. */
  args: readonly string[];
  /** Ends the server, as SIGTERM does. */
  signal: AbortSignal;
  log: (line: string) => void;
  /** Given the server as soon as it serves, to operate it. */
  onServing?: ((server: PoolServer) => void) | undefined;
}

/**
 * Serves the ends of this user's windows on a socket until the last of them has gone, or the signal aborts. Who started it
 * reads on stdout when it listens.
 * @throws PwpoolError `CONFIG_INVALID`, before anything is started; as `SharedServer.listen`
 */
export async function serveShared({ args, signal, log, onServing }: ServeSharedOptions): Promise<void> {
  const config = loadConfig({ args });
  const { directory, name, socketPath } = await sharedAddress(config, VERSION);
  const checkpoints = await CheckpointStore.open({
    directory: checkpointsIn(directory),
    passphrase: config.server.stateKey,
    log,
  });
  await forgetEnded(checkpoints);
  // Looking at them removes the entries of those that were killed.
  await runningServers();
  let shared: SharedServer | undefined;
  await using server = await PoolServer.start(config, {
    log,
    checkpoints,
    windows: () => shared?.windows() ?? [],
    onReloaded: async (now, { needsRestart }) => {
      // Windows that open from now on have settings that this server does not run with: they start one of their own.
      if (needsRestart.length > 0) return;
      const next = await sharedAddress(now, VERSION);
      await shared?.moveTo(next.socketPath).catch(({ message }) => log(message));
    },
    inspect: () => inspectConfig({ args }),
  });
  onServing?.(server);
  shared = await SharedServer.listen({ server, socketPath, log });
  process.stdout.write('ready\n');
  await Promise.race([untilAborted(AbortSignal.any([signal, server.stopping])), shared.deserted]);
  shared.close();
  await endInTime(server, log, async () => {
    await server.drain();
    await shared?.[Symbol.asyncDispose]();
    await rm(join(directory, `${name}.log`), { force: true });
  });
}

/** An end that does not run any more never comes back. */
async function forgetEnded(checkpoints: CheckpointStore): Promise<void> {
  for (const name of checkpoints.clients()) {
    const pid = END_NAME.exec(name)?.groups?.['pid'];
    if (pid !== undefined && !(await isRunning(Number(pid), null))) checkpoints.of(name).forget();
  }
}
