import { mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeFile } from '../../src/control/remove-file.js';

it('removes a socket, if it is there, and modules are found behind it as before', async () => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'pwpool-remove-')));
  const path = join(directory, 'one.sock');
  const server = createServer();
  try {
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await mkdir(join(directory, 'real'));
    for (const name of ['first.cjs', 'second.cjs'])
      await writeFile(join(directory, 'real', name), 'module.exports = __filename;');
    await symlink(join(directory, 'real'), join(directory, 'link'));
    const load = createRequire(join(directory, 'x.js'));
    load('./real/first.cjs');
    await removeFile(path);
    await removeFile(path);
    expect(load('./link/second.cjs')).toBe(join(directory, 'real', 'second.cjs'));
    await expect(stat(path)).rejects.toThrow('ENOENT');
  } finally {
    server.close();
    await rm(directory, { recursive: true, force: true });
  }
});
