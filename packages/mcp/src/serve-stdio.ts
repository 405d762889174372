import { PassThrough, type Readable, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio';
import { inspectConfig } from '@pwpool/core/first-answers';
import { loadConfig } from '@pwpool/core/light';
import { DeferredServer } from './deferred-server.js';
import { endInTime } from './end-in-time.js';
import { createMcpServer } from './server.js';

/** A server that serves: what its process may ask of it. */
export interface ReloadableServer {
  /** Reads the configuration again and applies what differs, as SIGHUP does; what came of it is logged. */
  reloadAndLog(): Promise<void>;
}

export interface ServeStdioOptions {
  /** Flags as playwright-mcp has them. Default: none. */
  args?: readonly string[];
  /** Ends the server, as SIGTERM does. */
  signal: AbortSignal;
  stdin?: Readable;
  stdout?: Writable;
  /** Where a person reads what goes wrong; never stdout, which carries the protocol. */
  log: (line: string) => void;
  /** Given the server as soon as it serves, to operate it. */
  onServing?: ((server: ReloadableServer) => void) | undefined;
}

/**
 * Serves one client, the parent process, over stdio until it leaves, the signal aborts or stdout breaks. When this
 * resolves, every browser that was started is closed.
 * @throws PwpoolError `CONFIG_INVALID`, before anything is started; what kept the pools from starting
 */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout } = options;
  const config = loadConfig({
    args: options.args,
    onWarning: ({ message, fix }) => options.log(`${message}. ${fix}`),
  });
  const inspect = () => inspectConfig({ args: options.args });
  await using server = await DeferredServer.prepare(config, { log: options.log, inspect });
  options.onServing?.(server);
  const ended = untilEnded(AbortSignal.any([options.signal, server.stopping]), stdin, stdout);
  const onerror = oncePerError((error) => options.log(`MCP: ${error.message}`));
  // The SDK's transport drops the running calls when its input ends; here they have SHUTDOWN_GRACE to be answered.
  const input = stdin.pipe(new PassThrough(), { end: false });
  const transport = new StdioServerTransport(input, stdout);
  const connection = serveTransport(
    ({ era }) => {
      // The parent process runs on this machine.
      const mcp = createMcpServer({ id: 'stdio', sharesDisk: true }, server, era);
      mcp.onerror = onerror;
      return mcp;
    },
    { transport, onerror },
  );
  await ended;
  await endInTime(server, options.log, async () => {
    try {
      await server.drain();
    } finally {
      await connection.close();
      stdin.unpipe(input);
    }
  });
}

/** The SDK tells of one error both as the connection's and as the server's. */
function oncePerError(report: (error: Error) => void): (error: Error) => void {
  let last: Error | undefined;
  return (error) => {
    if (error !== last) report(error);
    last = error;
  };
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
