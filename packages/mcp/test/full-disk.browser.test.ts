// @module-tag at-length
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pool, StdioServer, temporaryDirectory, textOf } from './fixtures/stdio-server.js';

const LONG = { function: '() => "long ".repeat(20_000)' };

/** Every call answers, and says of what it could not write that the disk takes no more, by that code. */
async function worksWithoutADisk(server: StdioServer, code: string): Promise<void> {
  const full = `The disk of the server takes no more (${code})`;
  const picture = await server.error('browser_take_screenshot');
  expect(picture).toMatchObject({
    code: 'EXECUTION_ERROR',
    message: `${full}: no file was written.`,
    hint: expect.stringMatching(/browser_snapshot without filename.*make room/),
  });
  const text = await server.text('browser_evaluate', LONG);
  expect(text).toMatch(/^### Result\n"long long /);
  expect(text).toContain(`The rest is lost: ${full}.`);
  expect(await server.text('browser_snapshot')).toContain('heading "Hello"');
  expect(await server.text('browser_click', { target: 'h1' })).toContain('heading "Clicked"');
}

const open = async (server: StdioServer) => {
  const page = `<h1 onclick="this.textContent = 'Clicked'">Hello</h1>`;
  await server.text('browser_navigate', { url: `data:text/html,${encodeURIComponent(page)}` });
};

/** A file system of 64 KB, of the server's own: for that a user needs no rights where namespaces are free to all. */
const SMALL_DISK = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'] as const;
const canMount = spawnSync(SMALL_DISK[0], [...SMALL_DISK.slice(1), 'mount -t tmpfs tmpfs /mnt']).status === 0;

it.runIf(canMount)(
  'a disk that is really full is told, and the server goes on [arch-artifact-04]',
  async () => {
    await using directory = await temporaryDirectory();
    const disk = mkdtempSync(`${directory.path}/disk-`);
    const mount = `mount -t tmpfs -o size=64k tmpfs ${disk} && head -c 60000 /dev/zero > ${disk}/filler && exec "$@"`;
    await using server = await StdioServer.start(
      { ...pool('DEFAULT', 1), PW_MCP_PROXY_OUTPUT_DIR: disk, PW_MCP_PROXY_BLOB_STORAGE_ROOT: disk },
      undefined,
      { under: [...SMALL_DISK, mount, 'sh'] },
    );
    await open(server);
    await worksWithoutADisk(server, 'ENOSPC');
  },
);

it('a disk that takes no more for a while is told, and used again when it does [arch-artifact-04]', async () => {
  await using server = await StdioServer.start(pool('DEFAULT', 1));
  await open(server);
  // Of the server only: its browser has been started before.
  const limit = (bytes: string) =>
    execFileSync('prlimit', ['--pid', String(server.processId), `--fsize=${bytes}:`]);
  limit('1024');
  await worksWithoutADisk(server, 'EFBIG');
  limit('unlimited');
  const result = await server.call('browser_evaluate', LONG);
  expect(result.content.map(({ type }) => type)).toContain('resource_link');
  expect(textOf(result)).not.toContain('is lost');
  await server.text('browser_take_screenshot');
});
