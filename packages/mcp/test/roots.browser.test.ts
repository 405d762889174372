import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server } from '@modelcontextprotocol/server';
import { FakeClock } from '@pwpool/core/testing';
import { describe, expect, it } from 'vitest';
import { ClientRoot } from '../src/client-root.js';
import { onSharedServer } from './fixtures/shared-server.js';
import { packedPool, pool, StdioServer, temporaryDirectory, textOf } from './fixtures/stdio-server.js';

const test = onSharedServer(packedPool('MAIN', 2));

const page = (title: string) => `data:text/html,<title>${title}</title><input type=file>`;

/** What is in a directory and below, files only, without the parts of names that tell the time. */
async function filesIn(directory: string): Promise<string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .map((name) => name.replace(/\d{4}-\d\d-\d\dT[\d-]+Z/, 'TIME'))
    .sort();
}

describe('the roots of a client', () => {
  it('decide what file names mean, what may be uploaded and where output goes [arch-file-01]', async () => {
    await using root = await temporaryDirectory();
    await writeFile(join(root.path, 'letter.txt'), 'Dear Ada');
    const pool = packedPool('MAIN', 2, { SNAPSHOT_INLINE_KB: '0' });
    await using server = await StdioServer.start(pool, () => [root.path]);
    await writeFile(join(server.directory, 'secret.txt'), 'not for upload');
    await server.text('browser_navigate', { url: page('here') });
    const upload = async (path: string) => {
      await server.call('browser_click', { target: 'input' });
      return await server.call('browser_file_upload', { paths: [path] });
    };
    const chosen = () =>
      server.text('browser_evaluate', {
        function: 'async () => document.querySelector("input").files[0]?.text()',
      });

    expect((await upload('letter.txt')).isError).toBeUndefined();
    expect(await chosen()).toContain('Dear Ada');
    const denied = await server.call('browser_file_upload', {
      paths: [join(server.directory, 'secret.txt')],
    });
    expect(denied.isError).toBe(true);

    await server.text('browser_take_screenshot', { filename: 'shots/one.png', scale: 'css' });
    await server.text('browser_take_screenshot', { scale: 'css' });
    await server.text('browser_take_screenshot', { browser_instance: '1', scale: 'css' });
    // Snapshots beside them, one for each answer that links one.
    expect(new Set(await filesIn(root.path))).toEqual(
      new Set([
        '.pwpool/MAIN-1/page-TIME.png',
        '.pwpool/browser-1/page-TIME.png',
        '.pwpool/browser-1/page-TIME.yml',
        'letter.txt',
        'shots/one.png',
      ]),
    );
    expect(await filesIn(server.directory)).not.toContainEqual(expect.stringContaining('.pwpool'));
  });

  it('hold for sessions that start after they have changed', { tags: ['at-length'] }, async () => {
    await using first = await temporaryDirectory();
    await using second = await temporaryDirectory();
    let roots = [first.path];
    await using server = await StdioServer.start(packedPool('MAIN', 2), () => roots);
    const shoot = (sessionId: string) =>
      server.text('browser_take_screenshot', { sessionId, filename: `${sessionId}.png`, scale: 'css' });
    await server.text('start_browser', { sessionId: 'ada' });
    roots = [second.path];
    await server.client.sendRootsListChanged();
    await server.text('start_browser', { sessionId: 'bob' });
    await shoot('ada');
    await shoot('bob');
    expect([await readdir(first.path), await readdir(second.path)]).toEqual([['ada.png'], ['bob.png']]);
  });

  it('are not asked for with IGNORE_ROOTS', { tags: ['at-length'] }, async () => {
    await using root = await temporaryDirectory();
    await using server = await StdioServer.start(
      { ...pool('MAIN', 1), PW_MCP_PROXY_IGNORE_ROOTS: 'true' },
      () => [root.path],
    );
    await server.text('browser_take_screenshot', { filename: 'one.png', scale: 'css' });
    expect(await readdir(root.path)).toEqual([]);
    expect(await readdir(server.directory)).toContain('one.png');
  });

  it('are given up after five seconds when the client does not name them, and that is logged once', {
    tags: ['at-length'],
  }, async () => {
    const clock = new FakeClock();
    const server = new Server({ name: 'server', version: '1' }, { capabilities: {} });
    const client = new Client({ name: 'client', version: '1' }, { capabilities: { roots: {} } });
    client.setRequestHandler(ListRootsRequestSchema, () => new Promise(() => {}));
    const log: string[] = [];
    server.onerror = ({ message }) => log.push(message);
    const root = new ClientRoot(server, clock);
    const [one, other] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    const read = root.read();
    await clock.advance(5_000);
    expect([await read, await root.read()]).toEqual([undefined, undefined]);
    expect(log).toEqual([expect.stringContaining('PW_MCP_PROXY_IGNORE_ROOTS=true')]);
    await client.close();
  });
});

describe('a file that a session names', () => {
  test('never overwrites one that is not its own, and says where it is instead [arch-file-02]', {
    tags: ['at-length'],
  }, async ({ server }) => {
    const inDirectory = (name: string) => readFile(join(server.directory, name), 'utf8');
    await writeFile(join(server.directory, 'page.yml'), 'mine');
    await server.text('start_browser', { sessionId: 'ada', navigationUrl: page('ada') });
    await server.text('start_browser', { sessionId: 'bob', navigationUrl: page('bob') });
    const save = async (sessionId: string, title: string) =>
      textOf(
        await server.call('browser_evaluate', {
          sessionId,
          filename: 'page.yml',
          function: `() => '${title}'`,
        }),
      );

    expect(await save('ada', 'one')).toContain(
      'page.yml is not of this session and was kept: this is in page-2.yml.',
    );
    expect(await save('bob', 'two')).toContain('this is in page-3.yml.');
    expect(await save('ada', 'three')).toContain('this is in page-2.yml.');
    expect(await inDirectory('page.yml')).toBe('mine');
    expect(await inDirectory('page-2.yml')).toBe('"three"');
    expect(await inDirectory('page-3.yml')).toBe('"two"');

    const fresh = { sessionId: 'ada', filename: 'own.json', function: '() => 1' };
    await server.text('browser_evaluate', fresh);
    expect(await server.text('browser_evaluate', fresh)).not.toContain('was kept');
    expect(await readdir(server.directory)).not.toContain('own-2.json');
  });

  test('names alike at the same time do not meet', async ({ server }) => {
    const sessions = ['ada', 'bob'];
    for (const sessionId of sessions) await server.text('start_browser', { sessionId });
    await mkdir(join(server.directory, 'out'));
    await Promise.all(
      sessions.map((sessionId) =>
        server.text('browser_evaluate', {
          sessionId,
          filename: 'out/who.json',
          function: `() => '${sessionId}'`,
        }),
      ),
    );
    const written = await Promise.all(
      ['who.json', 'who-2.json'].map((name) => readFile(join(server.directory, 'out', name), 'utf8')),
    );
    expect(written.sort()).toEqual(['"ada"', '"bob"']);
  });
});
