import { mkdir } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askServers } from '../../src/control/control-client.js';
import { newServerId, RuntimeRegistry } from '../../src/control/runtime-registry.js';
import { socketPathOf } from '../../src/control/socket-path.js';
import { PwpoolError } from '../../src/errors.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Registers a server that is not pwpool's, and behaves as the test says; without one, nobody listens. */
async function register(directory: string, server: Server | null, version = '1.2.3'): Promise<void> {
  const id = newServerId();
  const socketPath = socketPathOf(directory, id);
  const sockets = new Set<Socket>();
  if (server) {
    server.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
  }
  const details = { id, version, socketPath, httpAddress: null, startedAt: '2026-01-02T10:15:30.000Z' };
  await new RuntimeRegistry(directory).register(details);
}

/** What one server of the given behaviour is reported as. */
async function askOne(answer: RequestListener) {
  const directory = await temporaryDirectory();
  const clock = new FakeClock();
  await register(directory, createHttpServer(answer));
  const answers = await askServers('/status', {
    timeoutMs: 1000,
    clock,
    env: { PWPOOL_RUNTIME_DIR: directory },
  });
  expect(clock.pendingTimers, 'timers left').toBe(0);
  return answers;
}

test('no runtime directory, or an empty one, is no servers, and none is made', async () => {
  const directory = join(await temporaryDirectory(), 'missing');
  const options = { timeoutMs: 1000, clock: new FakeClock(), env: { PWPOOL_RUNTIME_DIR: directory } };
  expect(await askServers('/status', options)).toEqual([]);
  await mkdir(directory, { mode: 0o700 });
  expect(await askServers('/status', options)).toEqual([]);
});

test('a server that accepts and never answers costs its own row only, and its connection is closed', async () => {
  const directory = await temporaryDirectory();
  const clock = new FakeClock();
  let connections = 0;
  let closed = 0;
  const silent = createServer((socket) => {
    connections++;
    socket
      .on('error', () => undefined)
      .on('close', () => closed++)
      .resume();
  });
  await register(directory, silent, 'silent');
  await register(
    directory,
    createHttpServer((_, response) => response.end('{"pools":[]}')),
    'good',
  );
  await register(directory, null, 'gone');
  const asking = askServers('/status', { timeoutMs: 2000, clock, env: { PWPOOL_RUNTIME_DIR: directory } });
  // The two others have answered, each in its way.
  await expect.poll(() => [connections, clock.pendingTimers]).toEqual([1, 1]);
  await clock.advance(1999);
  expect(clock.pendingTimers, 'still waiting').toBe(1);
  await clock.advance(1);

  const rows = new Map((await asking).map((answer) => [answer.entry.version, answer]));
  expect(rows.get('good')).toMatchObject({ ok: true, body: { pools: [] } });
  expect(rows.get('gone')).toMatchObject({
    ok: false,
    error: { code: 'EXECUTION_ERROR', message: expect.stringContaining('ENOENT') },
  });
  expect(rows.get('silent')).toMatchObject({
    ok: false,
    error: {
      code: 'CALL_TIMEOUT',
      message: `The pwpool server ${process.pid} did not answer within 2000 ms.`,
    },
  });
  await expect.poll(() => closed).toBe(1);
  expect(clock.pendingTimers).toBe(0);
});

test('a server that begins an answer and never ends it is held to the same deadline', async () => {
  const directory = await temporaryDirectory();
  const clock = new FakeClock();
  let begun = false;
  const server = createHttpServer((_, response) => {
    response.write('{"pools":', () => {
      begun = true;
    });
  });
  await register(directory, server);
  const asking = askServers('/status', { timeoutMs: 2000, clock, env: { PWPOOL_RUNTIME_DIR: directory } });
  await expect.poll(() => begun).toBe(true);
  await clock.advance(2000);
  expect(await asking).toMatchObject([{ ok: false, error: { code: 'CALL_TIMEOUT' } }]);
});

test('an error that the server reports keeps its code, message, hint and details', async () => {
  const reported = new PwpoolError('SHUTTING_DOWN', 'Going.', { hint: 'Wait.', details: { pools: 1 } });
  const [answer] = await askOne((_, response) => response.writeHead(500).end(JSON.stringify(reported)));
  expect(answer).toMatchObject({ ok: false, error: reported.toJSON() });
});

test('an error code of a later version is told as EXECUTION_ERROR', async () => {
  const body = JSON.stringify({ code: 'NEW_CODE', message: 'Something new.' });
  const [answer] = await askOne((_, response) => response.writeHead(404).end(body));
  expect(answer).toMatchObject({ ok: false, error: { code: 'EXECUTION_ERROR', message: 'Something new.' } });
});

test.each<[string, RequestListener, string]>([
  ['text', (_, response) => response.end('<html>'), 'text that is not JSON'],
  ['nothing', (_, response) => response.end(), 'text that is not JSON'],
  ['an odd status', (_, response) => response.writeHead(302).end('{}'), 'HTTP status 302'],
  [
    'half an answer',
    (_, response) => response.write('{"a":', () => response.destroy()),
    'cannot be asked: aborted',
  ],
  ['no HTTP', (request) => request.socket.end('hello\r\n\r\n'), 'cannot be asked: Parse Error'],
  ['a hang-up', (request) => request.socket.destroy(), 'cannot be asked: socket hang up'],
])('%s instead of an answer is an error in its row', async (_, listener, message) => {
  const [answer] = await askOne(listener);
  expect(answer).toMatchObject({
    ok: false,
    error: { code: 'EXECUTION_ERROR', message: expect.stringContaining(message), hint: expect.any(String) },
  });
});

test('an answer without end is cut off', async () => {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const [answer] = await askOne((_, response) => {
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  });
  expect(answer).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('more than 16777216 bytes') },
  });
});

test('a caller that gives up gets CANCELLED at once', async () => {
  const directory = await temporaryDirectory();
  const clock = new FakeClock();
  let asked = false;
  await register(
    directory,
    createHttpServer(() => {
      asked = true;
    }),
  );
  const controller = new AbortController();
  const options = {
    timeoutMs: 2000,
    clock,
    signal: controller.signal,
    env: { PWPOOL_RUNTIME_DIR: directory },
  };
  const asking = askServers('/status', options);
  const refused = expect(asking).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect.poll(() => asked).toBe(true);
  controller.abort();
  await refused;
  expect(clock.pendingTimers).toBe(0);
  await expect(askServers('/status', options), 'aborted before').rejects.toMatchObject({ code: 'CANCELLED' });
});
