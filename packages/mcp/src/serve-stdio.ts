import { PassThrough, type Readable, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio';
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
  const parts = { pools, sessions, toolset, sites, inFlight };
  const ended = untilEnded(options.signal, stdin, stdout);
  const onerror = oncePerError((error) => options.log(`MCP: ${error.message}`));
  // The SDK's transport drops the running calls when its input ends; here they have SHUTDOWN_GRACE to be answered.
  const input = stdin.pipe(new PassThrough(), { end: false });
  const transport = new StdioServerTransport(input, stdout);
  const connection = serveTransport(
    ({ era }) => {
      const server = createMcpServer('stdio', parts, era);
      server.onerror = onerror;
      return server;
    },
    { transport, onerror },
  );
  await ended;
  const { shutdownGrace } = config.server;
  const cancelDeadline = pools.clock.after(shutdownGrace + CLOSE_MS, () => {
    options.log(`Not closed within ${shutdownGrace + CLOSE_MS} ms; leaving.`);
    process.exit(1);
  });
  await inFlight.finish(pools.clock, shutdownGrace);
  await pools.close();
  await connection.close();
  stdin.unpipe(input);
  cancelDeadline();
}

/** The SDK tells of one error both as the connection's and as the server's. */
function oncePerError(report: (error: Error) => void): (error: Error) => void {
  let last: Error | undefined;
  return (error) => {
    if (error !== last) report(error);
    last = error;
  };
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
