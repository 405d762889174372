import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { asPwpoolError, PwpoolError, reasonOf } from '../errors.js';
import { type ControlOperations, serveOperation } from './control-operation.js';

/**
 * Where the answers come from, by path: `status` answers `GET /status`. An answer, or the promise of one, is sent as JSON,
 * so secrets must be masked by now.
 */
export type ControlSource = Readonly<Record<string, () => unknown>>;

/** What a server answers to whoever may operate it. */
export interface Control {
  source: ControlSource;
  /** What the server can be asked to do. Default: nothing. */
  operations?: ControlOperations | undefined;
  version: string;
}

export interface ControlEndpointOptions extends Control {
  /** From `socketPathOf`. */
  socketPath: string;
}

/** Answers one HTTP request; the path is the name of the operation behind a slash. */
export type ControlHandler = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

/** By method and path, as in `GET /status`. */
type Answers = ReadonlyMap<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>;

/**
 * Answers in JSON: `GET /version`, what the source has, and `POST` for the operations (`serveOperation`). Anything else is
 * answered 404, and a source that throws 500, each with the wire form of a PwpoolError.
 */
export function controlHandler({ version, source, operations = {} }: Control): ControlHandler {
  const questions: ControlSource = { version: () => ({ version, pid: process.pid }), ...source };
  const answers: Answers = new Map([
    ...Object.entries(questions).map(([name, answer]) => [`GET /${name}`, telling(answer)] as const),
    ...Object.entries(operations).map(
      ([name, operation]) =>
        [
          `POST /${name}`,
          (request: IncomingMessage, response: ServerResponse) =>
            serveOperation(operation, request, response),
        ] as const,
    ),
  ]);
  return async (path, request, response) => {
    const operation = `${request.method} ${path}`;
    const answer = answers.get(operation);
    if (!answer) return reply(response, 404, JSON.stringify(unknownOperation(operation, answers)));
    await answer(request, response);
  };
}

/**
 * Answers HTTP requests on the control socket, as `controlHandler` does. Disposing of the result closes the socket and every
 * connection at once.
 * @throws PwpoolError `CONFIG_INVALID` if the socket cannot be opened
 */
export async function openControlEndpoint(options: ControlEndpointOptions): Promise<AsyncDisposable> {
  const { socketPath } = options;
  const handle = controlHandler(options);
  const server = createServer((request, response) => void handle(pathOf(request), request, response));
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

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? url;
}

function telling(answer: () => unknown) {
  return async (_: IncomingMessage, response: ServerResponse) => {
    try {
      reply(response, 200, JSON.stringify(await answer()) ?? 'null');
    } catch (error) {
      reply(response, 500, JSON.stringify(asPwpoolError(error)));
    }
  };
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
