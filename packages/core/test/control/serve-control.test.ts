import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { askServers } from '../../src/control/control-client.js';
import { serveControl } from '../../src/control/serve-control.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { temporaryDirectory } from './temporary-directory.js';

const SOURCE = { status: () => ({ pools: [] }) };
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const CHILD = fileURLToPath(new URL('control-child.ts', import.meta.url));

/** Starts a server in a process of its own and waits until it serves. */
async function startChild(directory: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', TSX, CHILD], {
    env: { ...process.env, PWPOOL_RUNTIME_DIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  return child;
}

test('a server is found and answers, and nothing is left when it ends [arch-run-06]', async () => {
  const directory = join(await temporaryDirectory(), 'run');
  const env = { PWPOOL_RUNTIME_DIR: directory };
  const clock = new FakeClock();
  const httpAddress = 'http://127.0.0.1:8931';
  const control = await serveControl({ source: SOURCE, version: '1.2.3', httpAddress, env, clock });

  const answers = await askServers('/status', { timeoutMs: 1000, clock, env });
  expect(answers).toEqual([
    {
      entry: expect.objectContaining({
        pid: process.pid,
        version: '1.2.3',
        httpAddress,
        startedAt: '2026-01-02T10:15:30.000Z',
      }),
      ok: true,
      body: { pools: [] },
    },
  ]);
  expect(clock.pendingTimers).toBe(0);
  await control[Symbol.asyncDispose]();
  expect(await readdir(directory)).toEqual([]);
  expect(await askServers('/status', { timeoutMs: 1000, clock, env })).toEqual([]);
});

test('ending closes the connections that are open', async () => {
  const env = { PWPOOL_RUNTIME_DIR: await temporaryDirectory() };
  const clock = new FakeClock();
  const control = await serveControl({ source: SOURCE, version: '1.2.3', env, clock });
  const [answer] = await askServers('/version', { timeoutMs: 1000, clock, env });
  const client = connect(answer?.entry.socketPath ?? '');
  await once(client, 'connect');
  const closed = once(client.resume(), 'close');
  await control[Symbol.asyncDispose]();
  await closed;
});

test('a server that cannot be registered leaves no socket', async () => {
  const directory = await temporaryDirectory();
  // What Node does when the working directory has been removed.
  const cwd = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw new Error('ENOENT: no such file or directory, uv_cwd');
  });
  onTestFinished(() => cwd.mockRestore());
  const env = { PWPOOL_RUNTIME_DIR: directory };
  const serving = serveControl({ source: SOURCE, version: '1.2.3', env, clock: new FakeClock() });
  await expect(serving).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('uv_cwd'),
  });
  expect(await readdir(directory)).toEqual([]);
});

test('two servers, one killed with SIGKILL: its entry and socket go, the other answers [arch-run-05, arch-run-08]', async () => {
  const directory = await temporaryDirectory();
  const env = { PWPOOL_RUNTIME_DIR: directory };
  const [first, second] = await Promise.all([startChild(directory), startChild(directory)]);
  const ask = () => askServers('/status', { timeoutMs: 20_000, clock: systemClock, env });
  expect((await ask()).map((answer) => answer.ok && answer.body)).toEqual(
    expect.arrayContaining([{ of: first.pid }, { of: second.pid }]),
  );

  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(await readdir(directory), 'left by the killed server').toHaveLength(4);
  expect(await ask()).toMatchObject([{ ok: true, body: { of: second.pid } }]);
  expect((await readdir(directory)).every((name) => name.startsWith(`${second.pid}-`))).toBe(true);
  expect(await readdir(directory)).toHaveLength(2);
});

test.skipIf(process.platform === 'win32')(
  'a stopped server is late, not stale: it answers when it goes on',
  async () => {
    const directory = await temporaryDirectory();
    const env = { PWPOOL_RUNTIME_DIR: directory };
    const child = await startChild(directory);
    child.kill('SIGSTOP');
    const clock = new FakeClock();
    const asking = askServers('/status', { timeoutMs: 2000, clock, env });
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await clock.advance(2000);
    expect(await asking).toMatchObject([
      { entry: { pid: child.pid }, ok: false, error: { code: 'CALL_TIMEOUT' } },
    ]);

    child.kill('SIGCONT');
    const answers = await askServers('/status', { timeoutMs: 20_000, clock: systemClock, env });
    expect(answers).toMatchObject([{ ok: true, body: { of: child.pid } }]);
  },
);

test('a runtime directory that cannot be made is an error, not a crash', async () => {
  const file = join(await temporaryDirectory(), 'file');
  await writeFile(file, '');
  const env = { PWPOOL_RUNTIME_DIR: join(file, 'run') };
  const serving = serveControl({ source: SOURCE, version: '1.2.3', env, clock: new FakeClock() });
  await expect(serving).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('a runtime directory too deep for a socket is an error that leaves nothing', async () => {
  const directory = join(await temporaryDirectory(), 'd'.repeat(100));
  const env = { PWPOOL_RUNTIME_DIR: directory };
  const serving = serveControl({ source: SOURCE, version: '1.2.3', env, clock: new FakeClock() });
  await expect(serving).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    hint: expect.stringContaining('shorter'),
  });
  expect(await readdir(directory)).toEqual([]);
});

test('the directory, the entry and the socket are for their user only [arch-run-06]', async () => {
  const directory = join(await temporaryDirectory(), 'run');
  const env = { PWPOOL_RUNTIME_DIR: directory };
  const control = await serveControl({ source: SOURCE, version: '1.2.3', env, clock: new FakeClock() });
  onTestFinished(() => control[Symbol.asyncDispose]());
  expect((await lstat(directory)).mode & 0o777).toBe(0o700);
  const names = await readdir(directory);
  expect(names).toHaveLength(2);
  for (const name of names) expect((await lstat(join(directory, name))).mode & 0o777).toBe(0o600);
});
