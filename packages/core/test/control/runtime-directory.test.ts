import { chmod, chown, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { findRuntimeDirectory, makeRuntimeDirectory } from '../../src/control/runtime-directory.js';
import { temporaryDirectory } from './temporary-directory.js';

afterEach(() => vi.unstubAllEnvs());

/** What both functions answer to an existing directory. */
async function refusals(directory: string): Promise<unknown[]> {
  const env = { PWPOOL_RUNTIME_DIR: directory };
  const settled = await Promise.allSettled([makeRuntimeDirectory(env), findRuntimeDirectory(env)]);
  return settled.map((each) => (each.status === 'rejected' ? each.reason : each));
}

test('PWPOOL_RUNTIME_DIR comes first and is made with its parents, mode 0700 [arch-run-06]', async () => {
  const root = await temporaryDirectory();
  const env = { PWPOOL_RUNTIME_DIR: join(root, 'a', 'b'), XDG_RUNTIME_DIR: root };
  expect(await makeRuntimeDirectory(env)).toBe(join(root, 'a', 'b'));
  expect((await lstat(join(root, 'a', 'b'))).mode & 0o777).toBe(0o700);
  expect(await makeRuntimeDirectory(env), 'a second time').toBe(join(root, 'a', 'b'));
});

test('XDG_RUNTIME_DIR comes next, if it exists', async () => {
  const root = await temporaryDirectory();
  expect(await makeRuntimeDirectory({ XDG_RUNTIME_DIR: root })).toBe(join(root, 'pwpool'));
});

test.each(['nowhere', 'run/user/1', ''])(
  'without an XDG_RUNTIME_DIR (%j) it is in the temporary directory',
  async (xdg) => {
    const root = await temporaryDirectory();
    vi.stubEnv('TMPDIR', root);
    const env = { XDG_RUNTIME_DIR: xdg === 'nowhere' ? join(root, xdg) : xdg };
    expect(await makeRuntimeDirectory(env)).toBe(join(root, `pwpool-${process.getuid?.() ?? 'user'}`));
  },
);

test('looking for the directory does not make it', async () => {
  const root = await temporaryDirectory();
  const env = { PWPOOL_RUNTIME_DIR: join(root, 'missing') };
  expect(await findRuntimeDirectory(env)).toBeNull();
  expect(await findRuntimeDirectory(env)).toBeNull();
  await makeRuntimeDirectory(env);
  expect(await findRuntimeDirectory(env)).toBe(join(root, 'missing'));
});

test.each(['', 'relative/path'])(
  'a PWPOOL_RUNTIME_DIR that is not absolute (%j) is refused',
  async (path) => {
    const error = {
      code: 'CONFIG_INVALID',
      message: `PWPOOL_RUNTIME_DIR must be an absolute path, not "${path}".`,
    };
    expect(await refusals(path)).toEqual([expect.objectContaining(error), expect.objectContaining(error)]);
  },
);

test.each([0o750, 0o701, 0o777])(
  'a directory that is open to others is refused, with the mend',
  async (mode) => {
    const directory = join(await temporaryDirectory(), 'open');
    await mkdir(directory);
    await chmod(directory, mode);
    const error = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`mode 0${mode.toString(8)}`),
      hint: `Run: chmod 700 ${directory}`,
    });
    expect(await refusals(directory)).toEqual([error, error]);
    expect((await lstat(directory)).mode & 0o777, 'left as it was').toBe(mode);
  },
);

test('a directory of another user is refused', async () => {
  let directory = '/';
  if (process.getuid?.() === 0) {
    directory = await temporaryDirectory();
    await chown(directory, 12_345, 12_345);
  }
  const error = expect.objectContaining({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('belongs to another user'),
  });
  expect(await refusals(directory)).toEqual([error, error]);
});

test.each(['', '/'])('a symbolic link is refused, also with a trailing slash (%j)', async (slash) => {
  const root = await temporaryDirectory();
  await mkdir(join(root, 'target'), { mode: 0o700 });
  await symlink(join(root, 'target'), join(root, 'link'));
  const error = expect.objectContaining({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('is a symbolic link'),
  });
  expect(await refusals(join(root, 'link') + slash)).toEqual([error, error]);
});

test('a file in its place, or in the place of a parent, is refused', async () => {
  const file = join(await temporaryDirectory(), 'file');
  await writeFile(file, '');
  const plain = expect.objectContaining({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('is not a directory'),
  });
  expect(await refusals(file)).toEqual([plain, plain]);
  await expect(makeRuntimeDirectory({ PWPOOL_RUNTIME_DIR: join(file, 'below') })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('cannot be made'),
    hint: expect.stringContaining('PWPOOL_RUNTIME_DIR'),
  });
});
