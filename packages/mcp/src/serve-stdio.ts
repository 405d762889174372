import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  BrowserPools,
  loadConfig,
  PlaywrightToolset,
  PwpoolError,
  SessionManager,
  SiteLimits,
} from '@pwpool/core';
import { type ServerStatus, serveControl } from '@pwpool/core/internal';
import { InFlight } from './in-flight.js';
import { logEvents } from './log-events.js';
import { createMcpServer } from './server.js';
import { VERSION } from './version.js';

/** Milliseconds that closing may take beyond `SHUTDOWN_GRACE`; then the process ends as it is. */
const CLOSE_MS = 10_000;

export interface ServeStdioOptions {
  /** Flags as playwright-mcp has them. Default: none. */
  args?: readonly string[];
  /** Ends the server, as SIGTERM does. */
  signal: AbortSignal;
  stdin?: Readable;
  stdout?: Writable;
  /** Where a person reads what goes wrong; never stdout, which carries the protocol. */
  log: (line: string) => void;
}

/**
 * Serves one client, the parent process, over stdio until it leaves, the signal aborts or stdout breaks. When this
 * resolves, every browser that was started is closed.
 * @throws PwpoolError `CONFIG_INVALID`, before anything is started
 */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout } = options;
  const config = loadConfig({
    args: options.args,
    onWarning: ({ message, fix }) => options.log(`${message}. ${fix}`),
  });
  const { sitesFile } = config.server;
  const sites = sitesFile === undefined ? undefined : await SiteLimits.load(sitesFile);
  const toolset = await PlaywrightToolset.load(config.server);
  await using pools = BrowserPools.start(config);
  logEvents(pools, options.log);
  await using sessions = new SessionManager(pools);
  await using _control = await beFound(pools, sessions, options.log);
  const inFlight = new InFlight();
  const server = createMcpServer('stdio', { pools, sessions, toolset, sites, inFlight });
  const ended = untilEnded(options.signal, stdin, stdout);
  server.onerror = (error) => options.log(`MCP: ${error.message}`);
  await server.connect(new StdioServerTransport(stdin, stdout));
  await ended;
  const { shutdownGrace } = config.server;
  const cancelDeadline = pools.clock.after(shutdownGrace + CLOSE_MS, () => {
    options.log(`Not closed within ${shutdownGrace + CLOSE_MS} ms; leaving.`);
    process.exit(1);
  });
  await inFlight.finish(pools.clock, shutdownGrace);
  await pools.close();
  await server.close();
  cancelDeadline();
}

/** Makes the server findable by `pwpool status`. One that cannot be found serves its client all the same. */
async function beFound(
  pools: BrowserPools,
  sessions: SessionManager,
  log: (line: string) => void,
): Promise<AsyncDisposable> {
  const source = {
    status: async (): Promise<ServerStatus> => ({
      ...(await pools.checkedStatus()),
      sessions: sessions.all(),
      waiting: pools.waiting(),
    }),
  };
  try {
    return await serveControl({ source, version: VERSION, clock: pools.clock });
  } catch (error) {
    if (!(error instanceof PwpoolError)) throw error;
    log(`This server does not show in "pwpool status": ${error.message} ${error.hint ?? ''}`);
    return { [Symbol.asyncDispose]: async () => {} };
  }
}

async function untilEnded(signal: AbortSignal, stdin: Readable, stdout: Writable): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => resolve();
    signal.addEventListener('abort', end, { once: true });
    stdin.once('end', end).once('close', end).once('error', end);
    stdout.once('close', end).once('error', end);
  });
}
