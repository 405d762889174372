import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newServerId, RuntimeRegistry, type ServerEntry } from '../../src/control/runtime-registry.js';
import { readProcessStart } from '../../src/process-identity.js';
import { temporaryDirectory } from './temporary-directory.js';

const STARTED = '2026-01-02T10:15:30.000Z';

function registration(directory: string, id = newServerId(), startedAt = STARTED) {
  return { id, version: '1.2.3', socketPath: join(directory, `${id}.sock`), httpAddress: null, startedAt };
}

function entryOf(pid: number, processStart: number | null, directory: string, id: string): ServerEntry {
  const socketPath = join(directory, `${id}.sock`);
  return { pid, processStart, version: '1.2.3', socketPath, httpAddress: null, startedAt: STARTED, cwd: '/' };
}

/** The pid of a process that has ended and been waited for. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('a registered server is listed until it is disposed of', async () => {
  const directory = await temporaryDirectory();
  const registry = new RuntimeRegistry(directory);
  const details = { ...registration(directory), httpAddress: 'http://127.0.0.1:8931' };
  const registered = await registry.register(details);
  await writeFile(details.socketPath, '');

  const { id, ...facts } = details;
  const processStart = await readProcessStart(process.pid);
  expect(await registry.list()).toEqual([{ ...facts, pid: process.pid, processStart, cwd: process.cwd() }]);
  expect((await lstat(join(directory, `${id}.json`))).mode & 0o777).toBe(0o600);
  expect((await readdir(directory)).sort()).toEqual([`${id}.json`, `${id}.sock`]);

  await registered[Symbol.asyncDispose]();
  await registered[Symbol.asyncDispose]();
  expect(await registry.list()).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});

test('several servers of one process are listed in order of their start', async () => {
  const directory = await temporaryDirectory();
  const registry = new RuntimeRegistry(directory);
  const later = '2026-01-02T10:15:31.000Z';
  await registry.register(registration(directory, newServerId(), later));
  await registry.register(registration(directory, newServerId(), STARTED));
  expect((await registry.list()).map((entry) => entry.startedAt)).toEqual([STARTED, later]);
});

test('what an ended process left is removed: entry, socket, half-written entry [arch-run-08]', async () => {
  const directory = await temporaryDirectory();
  const pid = await deadPid();
  const left = [
    `${pid}-00000001.json`,
    `${pid}-00000001.sock`,
    `${pid}-00000002.sock`,
    `${pid}-00000003.json.tmp`,
  ];
  for (const name of left) await writeFile(join(directory, name), '');
  const entry = entryOf(pid, 1, directory, `${pid}-00000001`);
  await writeFile(join(directory, `${pid}-00000001.json`), JSON.stringify(entry));
  expect(await new RuntimeRegistry(directory).list()).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'an entry whose pid now belongs to another process is removed [arch-run-08]',
  async () => {
    const directory = await temporaryDirectory();
    const id = newServerId();
    const start = (await readProcessStart(process.pid)) ?? 0;
    await writeFile(join(directory, `${id}.sock`), '');
    await writeFile(
      join(directory, `${id}.json`),
      JSON.stringify(entryOf(process.pid, start - 1, directory, id)),
    );
    expect(await new RuntimeRegistry(directory).list()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  },
);

test('without a process start, the pid alone decides', async () => {
  const directory = await temporaryDirectory();
  const id = newServerId();
  await writeFile(join(directory, `${id}.json`), JSON.stringify(entryOf(process.pid, null, directory, id)));
  expect(await new RuntimeRegistry(directory).list()).toHaveLength(1);
});

test('an entry of a later version, with more fields, is read', async () => {
  const directory = await temporaryDirectory();
  const id = newServerId();
  const later = { ...entryOf(process.pid, null, directory, id), colour: 'green' };
  await writeFile(join(directory, `${id}.json`), JSON.stringify(later));
  expect(await new RuntimeRegistry(directory).list()).toEqual([entryOf(process.pid, null, directory, id)]);
});

test.each([
  ['nothing', ''],
  ['no JSON', '{"pid": 1'],
  ['no object', '[]'],
  ['no fields', '{}'],
])(
  'a file that holds %s is no entry; it is removed with its socket once its process has ended',
  async (_, text) => {
    const directory = await temporaryDirectory();
    const dead = `${await deadPid()}-00000001`;
    const running = `${process.pid}-00000001`;
    for (const id of [dead, running]) {
      await writeFile(join(directory, `${id}.json`), text);
      await writeFile(join(directory, `${id}.sock`), '');
    }
    expect(await new RuntimeRegistry(directory).list()).toEqual([]);
    expect((await readdir(directory)).sort()).toEqual([`${running}.json`, `${running}.sock`]);
  },
);

test('an entry that tells of another process than its name is no entry', async () => {
  const directory = await temporaryDirectory();
  const id = `${await deadPid()}-00000001`;
  await writeFile(join(directory, `${id}.json`), JSON.stringify(entryOf(process.pid, null, directory, id)));
  expect(await new RuntimeRegistry(directory).list()).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});

test('the socket of a server that is starting, and files that are not of pwpool, stay', async () => {
  const directory = await temporaryDirectory();
  const others = [
    `${newServerId()}.sock`,
    'notes.json',
    'ssh.sock',
    '0-00000001.sock',
    '12-ABCDEF01.json',
    '1-2.json',
  ];
  for (const name of others) await writeFile(join(directory, name), '{}');
  await mkdir(join(directory, `${await deadPid()}-00000001.json`));
  expect(await new RuntimeRegistry(directory).list()).toEqual([]);
  expect(await readdir(directory)).toEqual(expect.arrayContaining(others));
});

test('a stale entry never leads to the removal of a file elsewhere', async () => {
  const directory = await temporaryDirectory();
  const elsewhere = join(await temporaryDirectory(), 'precious');
  await writeFile(elsewhere, 'text');
  const pid = await deadPid();
  const entry = { ...entryOf(pid, 1, directory, `${pid}-00000001`), socketPath: elsewhere };
  await writeFile(join(directory, `${pid}-00000001.json`), JSON.stringify(entry));
  expect(await new RuntimeRegistry(directory).list()).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
  expect(await readFile(elsewhere, 'utf8')).toBe('text');
});

test('many readers and a server that comes and goes do not disturb each other', async () => {
  const directory = await temporaryDirectory();
  const registry = new RuntimeRegistry(directory);
  const pid = await deadPid();
  await registry.register(registration(directory));
  const stale = JSON.stringify(entryOf(pid, 1, directory, `${pid}-00000001`));
  for (let round = 0; round < 5; round++) {
    await writeFile(join(directory, `${pid}-00000001.json`), stale);
    const [registered, ...lists] = await Promise.all([
      registry.register(registration(directory)),
      ...Array.from({ length: 5 }, () => registry.list()),
    ]);
    for (const list of lists) expect([1, 2]).toContain(list.length);
    expect(await registry.list()).toHaveLength(2);
    await registered[Symbol.asyncDispose]();
  }
  expect(await readdir(directory)).toHaveLength(1);
});

test('no directory is an empty list, and no place for an entry', async () => {
  const directory = join(await temporaryDirectory(), 'missing');
  const registry = new RuntimeRegistry(directory);
  expect(await registry.list()).toEqual([]);
  await expect(registry.register(registration(directory))).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('cannot be registered'),
  });
});

test('a directory that cannot be read is an error', async () => {
  const file = join(await temporaryDirectory(), 'file');
  await writeFile(file, '');
  await expect(new RuntimeRegistry(file).list()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
