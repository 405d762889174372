import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { systemClock } from '@pwpool/core/light';
import { onTestFinished } from 'vitest';
import { End } from '../../src/shared/end.js';
import { Lines } from '../../src/shared/lines.js';

type Json = Readonly<Record<string, unknown>>;

/** One connection as the server sees it: what was said to it, and a way to say something back. */
export interface Served {
  readonly heard: Json[];
  say(message: Json): void;
  /** Ends as a server that is killed. @returns when the end knows */
  die(): Promise<void>;
}

/**
 * An end in this process, between a client that the test is and servers that do as the test says; gone with the test.
 * @param graceMs that its calls have when the client leaves
 */
export async function startEnd({ graceMs = 100 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'pwpool-end-'));
  const socketPath = join(directory, 's');
  const served: Served[] = [];
  const sockets = new Set<Socket>();
  /** Of the connection that the end has now. */
  let closed = Promise.resolve();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    served.push(
      serve(socket, async () => {
        socket.destroy();
        await closed;
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));

  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers: Json[] = [];
  const lines = new Lines();
  output.on('data', (piece: Buffer) => answers.push(...lines.push(piece).map(parse)));
  const logged: string[] = [];
  const stop = new AbortController();
  let refusal: Error | undefined;
  const end = new End({
    input,
    output,
    connect: async () => {
      if (refusal) throw refusal;
      return await new Promise<Socket>((resolve, reject) => {
        const socket = connect(socketPath, () => resolve(socket)).once('error', reject);
        closed = new Promise((over) => socket.once('close', () => over()));
      });
    },
    restores: true,
    graceMs,
    clock: systemClock,
    signal: stop.signal,
    log: (line) => logged.push(line),
  });
  const running = end.run();
  onTestFinished(async () => {
    stop.abort();
    for (const socket of sockets) socket.destroy();
    await running;
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true });
  });
  return {
    served,
    answers,
    logged,
    running,
    input,
    ask: (message: Json) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    /** Leaves the client without a server from now on, for this reason. */
    refuse: (error: Error | undefined) => {
      refusal = error;
    },
  };
}

function serve(socket: Socket, die: Served['die']): Served {
  const heard: Json[] = [];
  const lines = new Lines();
  socket.on('error', () => {});
  socket.on('data', (piece: Buffer) => heard.push(...lines.push(piece).map(parse)));
  return {
    heard,
    say: (message) => void socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    die,
  };
}

function parse(line: Buffer): Json {
  return JSON.parse(line.toString('utf8')) as Json;
}
