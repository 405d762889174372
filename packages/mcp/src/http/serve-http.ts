import { inspectConfig, loadConfig } from '@pwpool/core';
import { untilAborted } from '@pwpool/core/internal';
import { endInTime } from '../end-in-time.js';
import type { PoolServer } from '../pool-server.js';
import { HttpServer } from './http-server.js';

export interface ServeHttpOptions {
  /** Flags as playwright-mcp has them. Default: none. */
  args?: readonly string[];
  /** Ends the server, as SIGTERM does. */
  signal: AbortSignal;
  /** Where a person reads where it listens, and what goes wrong. */
  log: (line: string) => void;
  /** Given the server as soon as it serves, to operate it. */
  onServing?: ((server: PoolServer) => void) | undefined;
}

/**
 * Serves many clients over HTTP until the signal aborts. When this resolves, every browser that was started is closed.
 * @throws PwpoolError `CONFIG_INVALID`, before a browser is started
 */
export async function serveHttp({ args, signal, log, onServing }: ServeHttpOptions): Promise<void> {
  const config = loadConfig({ args, onWarning: ({ message, fix }) => log(`${message}. ${fix}`) });
  await using server = await HttpServer.start(config, { log, inspect: () => inspectConfig({ args }) });
  onServing?.(server.pool);
  log(`Serving MCP at ${server.address}`);
  await untilAborted(AbortSignal.any([signal, server.pool.stopping]));
  await endInTime(server.pool, log, () => server.drain());
}
