import { once } from 'node:events';
import { lstat, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type ControlSource, openControlEndpoint } from '../../src/control/control-endpoint.js';
import { socketPathOf } from '../../src/control/socket-path.js';
import { PwpoolError } from '../../src/errors.js';
import { temporaryDirectory } from './temporary-directory.js';

const SOURCE: ControlSource = { status: () => ({ pools: [] }) };

async function openEndpoint(source: ControlSource = {}) {
  const directory = await temporaryDirectory();
  const socketPath = socketPathOf(directory, '1-00000000');
  const endpoint = await openControlEndpoint({
    socketPath,
    source: { ...SOURCE, ...source },
    version: '1.2.3',
  });
  onTestFinished(() => endpoint[Symbol.asyncDispose]());
  return { directory, socketPath, endpoint };
}

async function send(socketPath: string, path: string, method = 'GET') {
  const outgoing = request({ socketPath, path, method, agent: false }).end();
  const [response] = await once(outgoing, 'response');
  return {
    status: response.statusCode,
    type: response.headers['content-type'],
    body: JSON.parse(await text(response)),
  };
}

test('answers version and status in JSON, from a source that is synchronous or not', async () => {
  const { socketPath } = await openEndpoint();
  const later = await openEndpoint({ status: async () => ({ pools: ['a'] }) });
  expect(await send(socketPath, '/version')).toEqual({
    status: 200,
    type: 'application/json; charset=utf-8',
    body: { version: '1.2.3', pid: process.pid },
  });
  expect(await send(socketPath, '/status?x=1')).toMatchObject({ status: 200, body: { pools: [] } });
  expect(await send(later.socketPath, '/status')).toMatchObject({ status: 200, body: { pools: ['a'] } });
});

test('the socket is open to its user only', async () => {
  const { socketPath } = await openEndpoint();
  const found = await lstat(socketPath);
  expect(found.isSocket()).toBe(true);
  expect(found.mode & 0o777).toBe(0o600);
});

test.each([
  ['GET', '/nothing'],
  ['GET', '/status/'],
  ['GET', '//'],
  ['POST', '/status'],
])('%s %s is unknown, and the answer names what there is', async (method, path) => {
  const { socketPath } = await openEndpoint();
  expect(await send(socketPath, path, method)).toMatchObject({
    status: 404,
    body: {
      code: 'INVALID_ARGUMENTS',
      message: `This pwpool server has no operation ${method} ${path}.`,
      hint: 'It has: GET /version, GET /status.',
    },
  });
});

test('a source that fails gives the wire form of its error, and the endpoint lives on', async () => {
  const { socketPath } = await openEndpoint({
    status: () => Promise.reject(new PwpoolError('SHUTTING_DOWN', 'Going.', { hint: 'Wait.' })),
  });
  const broken = await openEndpoint({
    status: () => {
      throw new Error('broken');
    },
  });
  expect(await send(socketPath, '/status')).toMatchObject({
    status: 500,
    body: { code: 'SHUTTING_DOWN', message: 'Going.', hint: 'Wait.' },
  });
  expect(await send(broken.socketPath, '/status')).toMatchObject({
    status: 500,
    body: { code: 'EXECUTION_ERROR', message: 'broken' },
  });
  expect(await send(socketPath, '/version')).toMatchObject({ status: 200 });
});

test('an answer that JSON cannot hold is an error, and no answer at all is null', async () => {
  const { socketPath } = await openEndpoint({ status: () => 1n });
  const silent = await openEndpoint({ status: () => undefined });
  expect(await send(socketPath, '/status')).toMatchObject({ status: 500, body: { code: 'EXECUTION_ERROR' } });
  expect(await send(silent.socketPath, '/status')).toMatchObject({ status: 200, body: null });
});

test('rubbish on the socket does not harm it', async () => {
  const { socketPath } = await openEndpoint();
  const client = connect(socketPath).end('\0\0rubbish\r\n\r\n');
  expect(await text(client)).toContain('400');
  expect(await send(socketPath, '/version')).toMatchObject({ status: 200 });
});

test('disposing closes silent, waiting and idle connections at once and removes the socket', async () => {
  let answer = (_: string) => {};
  let asked = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const { directory, socketPath, endpoint } = await openEndpoint({
    status: () =>
      new Promise<string>((resolve) => {
        answer = resolve;
        asked();
      }),
  });
  const silent = connect(socketPath);
  const idle = connect(socketPath);
  idle.write('GET /version HTTP/1.1\r\nhost: pwpool\r\n\r\n');
  await Promise.all([once(silent, 'connect'), once(idle, 'data')]);
  const pending = expect(send(socketPath, '/status')).rejects.toMatchObject({ code: 'ECONNRESET' });
  await waiting;

  const closed = Promise.all([silent, idle].map((each) => once(each.resume(), 'close')));
  await endpoint[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
  answer('too late');
  await Promise.all([closed, pending]);
  expect(await readdir(directory)).toEqual([]);
});

test('a path that is too long for a socket is refused, to the byte', async () => {
  const limit = process.platform === 'linux' ? 107 : 103;
  const id = '1-00000000';
  const longest = `/${'d'.repeat(limit - '/'.length - `/${id}.sock`.length)}`;
  expect(Buffer.byteLength(socketPathOf(longest, id))).toBe(limit);
  const tooLong = { code: 'CONFIG_INVALID', hint: 'Set PWPOOL_RUNTIME_DIR to a shorter path.' };
  expect(() => socketPathOf(`${longest}d`, id)).toThrow(expect.objectContaining(tooLong));
  // Bytes count, not characters.
  expect(() => socketPathOf(longest.replace('d', 'é'), id)).toThrow(expect.objectContaining(tooLong));
});

test('a socket that cannot be opened is an error that says what to do', async () => {
  const socketPath = join(await temporaryDirectory(), 'taken.sock');
  await writeFile(socketPath, '');
  await expect(openControlEndpoint({ socketPath, source: SOURCE, version: '1.2.3' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('EADDRINUSE'),
    hint: expect.stringContaining('PWPOOL_RUNTIME_DIR'),
  });
});
