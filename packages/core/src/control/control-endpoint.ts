import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PwpoolError, reasonOf } from '../errors.js';

/**
 * Where the answers come from, by path: `status` answers `GET /status`. An answer, or the promise of one, is sent as JSON,
 * so secrets must be masked by now.
 */
export type ControlSource = Readonly<Record<string, () => unknown>>;

export interface ControlEndpointOptions {
  /** From `controlSocketPath`. */
  socketPath: string;
  source: ControlSource;
  version: string;
}

/** By method and path, as in `GET /status`. */
type Answers = ReadonlyMap<string, () => unknown>;

/** Bytes of sun_path less the closing NUL: 108 on Linux, 104 on macOS and the BSDs. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/**
 * Where the server with that id listens: a Unix domain socket in the runtime directory, on Windows a named pipe.
 *
 * @throws PwpoolError `CONFIG_INVALID` if the path is too long for a socket: Node 20 would cut it off without a word
 * (nodejs/node#52347)
 */
export function controlSocketPath(directory: string, id: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\pwpool-${id}`;
  const path = join(directory, `${id}.sock`);
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_SOCKET_PATH_BYTES) {
    throw new PwpoolError(
      'CONFIG_INVALID',
      `The runtime directory ${directory} is too deep: its socket paths have ${bytes} bytes, and the system allows ${MAX_SOCKET_PATH_BYTES}.`,
      { hint: 'Set PWPOOL_RUNTIME_DIR to a shorter path.' },
    );
  }
  return path;
}

/**
 * Answers HTTP requests on the control socket, in JSON: `GET /version`, and what the source has. Anything else is
 * answered 404, and a source that throws 500, each with the wire form of a PwpoolError.
 *
 * Disposing of the result closes the socket and every connection at once.
 * @throws PwpoolError `CONFIG_INVALID` if the socket cannot be opened
 */
export async function openControlEndpoint(options: ControlEndpointOptions): Promise<AsyncDisposable> {
  const { socketPath, version, source } = options;
  const answers: Answers = new Map(
    Object.entries({ version: () => ({ version, pid: process.pid }), ...source }).map(([name, answer]) => [
      `GET /${name}`,
      answer,
    ]),
  );
  const server = createServer((request, response) => void handle(request, response, answers));
  try {
    await new Promise<void>((resolve, reject) => {
      // Stays for good: what fails later, such as an accept without free descriptors, must not end the process.
      server.on('error', reject);
      server.listen(socketPath, resolve);
    });
    if (process.platform !== 'win32') await chmod(socketPath, 0o600);
  } catch (error) {
    await close(server);
    throw new PwpoolError('CONFIG_INVALID', `The control socket cannot be opened: ${reasonOf(error)}.`, {
      hint: 'Set PWPOOL_RUNTIME_DIR to a directory on a local file system that supports sockets.',
      cause: error,
    });
  }
  return { [Symbol.asyncDispose]: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

async function handle(request: IncomingMessage, response: ServerResponse, answers: Answers): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  const operation = `${request.method} ${path}`;
  const answer = answers.get(operation);
  if (!answer) return reply(response, 404, JSON.stringify(unknownOperation(operation, answers)));
  try {
    reply(response, 200, JSON.stringify(await answer()) ?? 'null');
  } catch (error) {
    const failure =
      error instanceof PwpoolError ? error : new PwpoolError('EXECUTION_ERROR', reasonOf(error));
    reply(response, 500, JSON.stringify(failure));
  }
}

function unknownOperation(operation: string, answers: Answers): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `This pwpool server has no operation ${operation}.`, {
    hint: `It has: ${[...answers.keys()].join(', ')}.`,
  });
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
