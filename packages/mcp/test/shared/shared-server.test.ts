import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ConfigInput, resolveConfig } from '@pwpool/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PoolServer } from '../../src/pool-server.js';
import { greetingLine, leaveLine } from '../../src/shared/handshake.js';
import { lineOf } from '../../src/shared/messages.js';
import { SharedServer } from '../../src/shared/shared-server.js';
import { temporaryDirectory } from '../fixtures/stdio-server.js';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** A shared server in this process, without any browser; gone with the test. */
async function startShared(config: ConfigInput = {}) {
  const directory = await temporaryDirectory();
  const socketPath = join(directory.path, 's');
  const server = await PoolServer.start(resolveConfig(config), { log: () => {} });
  const shared = await SharedServer.listen({ server, socketPath, log: () => {} });
  onTestFinished(async () => {
    await shared[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });
  const enter = async (name: string, cwd = directory.path): Promise<Socket> => {
    const socket = connect(socketPath);
    onTestFinished(() => void socket.destroy());
    socket.write(greetingLine({ name, pid: process.pid, cwd }));
    const [welcome] = await once(socket, 'data');
    expect(JSON.parse(String(welcome))).toEqual({ pwpool: 'server', pid: process.pid });
    return socket;
  };
  return { server, shared, socketPath, enter };
}

const A = '4711-0123456789abcdef';
const B = '4712-0123456789abcdef';

describe('the shared server', () => {
  it('answers each end as over stdio, in order of its own [arch-shared-01]', async () => {
    const { enter } = await startShared();
    const [first, second] = [await enter(A), await enter(B)];
    const answers = [first, second].map((end) => once(end, 'data'));
    for (const end of [first, second]) end.write(lineOf(INITIALIZE));
    for (const [answer] of await Promise.all(answers)) {
      expect(JSON.parse(String(answer))).toMatchObject({ id: 1, result: { serverInfo: { name: 'pwpool' } } });
    }
  });

  it('ends when the last end has left and SHARED_LINGER has passed, and not while one is away [arch-shared-04]', async () => {
    const { enter, shared, server } = await startShared({ sharedLinger: 20, sessionGrace: 20 });
    const [first, second] = [await enter(A), await enter(B)];
    let isDeserted = false;
    void shared.deserted.then(() => {
      isDeserted = true;
    });
    first.write(leaveLine());
    await once(first, 'close');
    // The other one is killed: its sessions are kept, then it counts as gone.
    second.destroy();
    await shared.deserted;
    expect(isDeserted).toBe(true);
    expect(server.sessions.all()).toEqual([]);
  });

  it('takes no one who does not say who it is', async () => {
    const { socketPath } = await startShared();
    for (const words of [
      'GET / HTTP/1.1\n',
      lineOf(INITIALIZE),
      greetingLine({ name: '../x', pid: 1, cwd: '/' }),
    ]) {
      const socket = connect(socketPath);
      socket.write(words);
      socket.resume();
      await once(socket, 'close');
    }
  });

  it('is found at another place after a reload, and those who are connected stay', async () => {
    const { enter, shared, socketPath } = await startShared();
    const first = await enter(A);
    const next = `${socketPath}2`;
    await shared.moveTo(next);
    expect((await stat(next)).mode & 0o777).toBe(0o600);
    const second = connect(next);
    onTestFinished(() => void second.destroy());
    second.write(greetingLine({ name: B, pid: process.pid, cwd: '/' }));
    await once(second, 'data');
    const [refused] = await once(connect(socketPath), 'error');
    expect(refused).toMatchObject({ code: 'ENOENT' });
    const answer = once(first, 'data');
    first.write(lineOf(INITIALIZE));
    expect(String(await answer)).toContain('"serverInfo"');
    expect(shared.windows()).toHaveLength(2);
    // Where another one listens it does not go, and is still found.
    const { shared: other } = await startShared();
    await expect(other.moveTo(next)).rejects.toMatchObject({ code: 'BROWSER_NOT_READY' });
    expect(shared.windows()).toHaveLength(2);
  });

  it('is reached by this user only, and takes the place of one that was killed [arch-shared-02]', async () => {
    const { socketPath } = await startShared();
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    const { server } = await startShared();
    const listening = SharedServer.listen({ server, socketPath, log: () => {} });
    await expect(listening).rejects.toMatchObject({ code: 'BROWSER_NOT_READY' });

    await using directory = await temporaryDirectory();
    const stale = join(directory.path, 's');
    const killed = createServer().listen(stale);
    await once(killed, 'listening');
    // As kill -9 leaves it: the file without anybody behind it.
    await new Promise((resolve) => killed.close(resolve));
    await writeFile(stale, '');
    await using shared = await SharedServer.listen({ server, socketPath: stale, log: () => {} });
    const socket = connect(stale);
    await once(socket, 'connect');
    socket.destroy();
    shared.close();
  });
});
