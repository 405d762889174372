import {
  askOperation,
  keepTemporaryFiles,
  runningServers,
  type ServerEntry,
  systemClock,
} from '@pwpool/core/internal';
import { allLazy, type ConfigOptions, readConfiguration } from './configuration.js';
import { EXIT } from './exit-status.js';
import { complain } from './output.js';
import { onServer, type ServerOptions } from './running-server.js';

/** Where a command calls tools: a running server, or a pool of its own. */
export interface ToolHostOptions extends ServerOptions, ConfigOptions {
  own?: true;
}

/**
 * Carries an operation of `packages/mcp/src/operations` out.
 * @param signal ends it. Default: what ends the command
 */
export type Ask = (
  operation: string,
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
) => Promise<unknown>;

/** Works on the running server that is meant; on a pool of the command's own if it asks for that, or if no server runs. */
export async function onToolHost(
  options: ToolHostOptions,
  signal: AbortSignal,
  work: (ask: Ask) => Promise<number>,
): Promise<number> {
  const isOwn = options.own ?? (options.server === undefined && (await runningServers()).length === 0);
  if (isOwn) return await onOwnPool(options, signal, work);
  return await onServer(options, async (entry) => await work(askingServer(entry, signal)));
}

function askingServer(entry: ServerEntry, ended: AbortSignal): Ask {
  return async (operation, input, signal = ended) =>
    await askOperation(entry, operation, input, { clock: systemClock, signal });
}

/** The browsers are closed when this settles. */
async function onOwnPool(
  options: ConfigOptions,
  signal: AbortSignal,
  work: (ask: Ask) => Promise<number>,
): Promise<number> {
  const config = readConfiguration(options);
  if (!config) return EXIT.config;
  keepTemporaryFiles();
  const { PoolServer } = await import('@pwpool/mcp/internal');
  await using server = await PoolServer.start(allLazy(config), { log: complain, env: null });
  return await work(
    async (operation, input, left = signal) =>
      await server.operations[operation]?.run(input, { tell: () => {}, left }),
  );
}
