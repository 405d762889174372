import { keepTemporaryFiles } from '@pwpool/core/first-answers';
import { onHangUp } from './hang-up.js';
import { runProcess } from './run-process.js';
import { type ReloadableServer, serveStdio } from './serve-stdio.js';

/** What a server has of the process that it runs as. */
interface ServerProcess {
  /** Aborts when the process is to end. */
  signal: AbortSignal;
  log: (line: string) => void;
  /** Given the server as soon as it serves. */
  onServing: (server: ReloadableServer) => void;
}

/**
 * Runs the server as this process, and ends the process with it: exit status 0, 78 or 1. It speaks over stdio; with `--http`, or
 * with `--port` as playwright-mcp has it, over HTTP.
 * @param args flags as playwright-mcp has them, and `--http`
 */
export async function runMcp(args: readonly string[] = []): Promise<never> {
  const flags = args.filter((arg) => arg !== '--http');
  const overHttp = flags.length < args.length || flags.some((flag) => /^--port(?:=|$)/.test(flag));
  return await (overHttp ? runHttp(flags) : run((own) => serveStdio({ args: flags, ...own })));
}

/** The same for the server that windows share, which their ends start. */
export async function runSharedServer(args: readonly string[] = []): Promise<never> {
  return await run(
    async (own) => await (await import('./shared/serve-shared.js')).serveShared({ args, ...own }),
  );
}

/** Runs the HTTP server in the same way. It is loaded for this alone. */
export async function runHttp(args: readonly string[] = []): Promise<never> {
  return await run(async (own) => await (await import('./http/serve-http.js')).serveHttp({ args, ...own }));
}

async function run(serve: (own: ServerProcess) => Promise<void>): Promise<never> {
  return await runProcess(async ({ stop, log }) => {
    keepTemporaryFiles();
    let server: ReloadableServer | undefined;
    const onServing = (serving: ReloadableServer) => {
      server = serving;
    };
    onHangUp({ reload: () => void server?.reloadAndLog(), end: () => stop.abort() });
    // One tenant's stray rejection is nobody else's: it is written down, and the server goes on.
    process.on('unhandledRejection', (reason) =>
      log(
        `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
      ),
    );
    await serve({ signal: stop.signal, log, onServing });
  });
}
