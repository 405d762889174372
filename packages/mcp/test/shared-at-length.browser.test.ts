// @module-tag at-length
import { cp, mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { askOperation, systemClock } from '@pwpool/core/internal';
import { expect, it } from 'vitest';
import { BIN, titleOf } from './fixtures/stdio-server.js';
import { Desk, type Window } from './shared/windows.js';

const page = (title: string) => ({ url: `data:text/html,<title>${title}</title><h1>${title}` });

/** A dozen processes start, or one after the other: on a busy machine for more than a minute. */
const SLOW = { timeout: 240_000 };

it(
  'ten windows that open at once have one server and one set of browsers, and all work [arch-shared-01]',
  SLOW,
  async () => {
    await using desk = await Desk.set();
    const pool = { PW_MCP_PROXY__DEFAULT_INSTANCES: '10', PW_MCP_PROXY__DEFAULT_CONTEXTS_PER_BROWSER: '10' };
    const names = Array.from({ length: 10 }, (_, index) => `window ${index}`);
    const windows = await Promise.all(names.map(() => desk.openWindow(pool)));
    await Promise.all(
      windows.map((window, index) => window.text('browser_navigate', page(names[index] ?? ''))),
    );
    const titles = await Promise.all(
      windows.map(async (window) => titleOf(await window.text('browser_snapshot'))),
    );
    expect(titles).toEqual(names);
    const servers = await desk.servers();
    expect(servers).toHaveLength(1);
    const [pools] = servers[0]?.status?.pools ?? [];
    expect(new Set(pools?.instances.map(({ process_id }) => process_id)).size).toBe(1);
    await Promise.all(windows.map(({ client }) => client.close()));
    expect(await desk.leftovers()).toEqual([]);
  },
);

it('a server that was reloaded is found by windows that open afterwards, and gives the others new browsers in turn [arch-operate-01]', async () => {
  await using desk = await Desk.set();
  const env = join(desk.path, 'project', '.env');
  const patient = { PW_MCP_PROXY_LEASE_TIMEOUT: '1000' };
  const first = await desk.openWindow(patient);
  await first.text('browser_navigate', page('before'));
  await writeFile(env, 'PW_MCP_PROXY__DEFAULT_VIEWPORT=800x600\n');
  const [server] = await desk.servers();
  if (!server) throw new Error('no server');
  const report = await askOperation(server.entry, 'reload', {}, { clock: systemClock });
  expect(report).toMatchObject({ success: true, changed: [{ key: 'VIEWPORT' }], needsRestart: [] });

  const second = await desk.openWindow(patient);
  expect(second.stderr).toBe('');
  await second.text('browser_navigate', page('after'));
  const width = { function: '() => innerWidth' };
  expect(await second.text('browser_evaluate', width)).toContain('800');
  expect(await first.text('browser_evaluate', width)).toContain('800');
  expect(titleOf(await first.text('browser_snapshot'))).toBe('before');
  expect((await desk.servers()).map(({ entry }) => entry.pid)).toEqual([server.entry.pid]);
  await Promise.all([first, second].map(({ client }) => client.close()));
  expect(await desk.leftovers()).toEqual([]);
});

it('a window that is killed keeps its sessions for SESSION_GRACE, and the others go on [arch-shared-04]', async () => {
  await using desk = await Desk.set();
  const grace = { PW_MCP_PROXY_SESSION_GRACE: '300' };
  const [killed, other] = [await desk.openWindow(grace), await desk.openWindow(grace)];
  await Promise.all([killed, other].map((window) => window.text('start_browser', { sessionId: 'a' })));
  const sessions = async () => (await desk.servers())[0]?.status?.sessions.map(({ client }) => client) ?? [];
  expect(await sessions()).toHaveLength(2);
  const { processId } = other;
  killed.kill();
  await expect.poll(sessions).toEqual([expect.stringContaining(`${processId}-`)]);
  await other.text('browser_navigate', page('still here'));
  await other.client.close();
  expect(await desk.leftovers()).toEqual([]);
});

it('a window with another configuration or version has a server of its own and is told why; a lock that was left is in nobody’s way [arch-shared-03, arch-shared-02]', async () => {
  await using desk = await Desk.set();
  const first = await desk.openWindow();
  await first.text('start_browser');
  // As somebody leaves it who was killed while starting a server.
  const [name] = (await desk.runtimeFiles()).filter(
    (file) => file.startsWith('shared-') && file.endsWith('.sock'),
  );
  if (name === undefined) throw new Error('no socket');
  const lock = join(desk.runtimeDirectory, `${name.replace('.sock', '')}.lock`);
  await mkdir(lock);
  await utimes(lock, 0, 0);

  const configured = await desk.openWindow({ PW_MCP_PROXY_SESSION_LIMIT: '3' });
  expect(configured.stderr).toContain('The shared server that runs has another configuration');
  const updated = await desk.openWindow({}, 'project', await binOfVersion(desk.path, '9.9.9'));
  expect(updated.stderr).toContain('has version 0.0.0: this window starts one of its own');
  expect((await desk.servers()).map(({ entry }) => entry.version).sort()).toEqual([
    '0.0.0',
    '0.0.0',
    '9.9.9',
  ]);

  const [server] = await desk.servers();
  process.kill(server?.entry.pid ?? Number.NaN, 'SIGKILL');
  // The window may learn of it by this call.
  await first.call('list_sessions');
  expect(await first.text('list_sessions')).toContain('crashed');
  // The first browser of a server sweeps up behind the one that was killed.
  await first.text('browser_snapshot');
  for (const { client } of [first, configured, updated]) await client.close();
  expect(await desk.leftovers()).toEqual([]);
});

/** The command of another version of this package, as an update would install it. */
async function binOfVersion(directory: string, version: string): Promise<string> {
  const source = dirname(dirname(BIN));
  const copy = join(directory, 'updated');
  for (const part of ['bin', 'dist']) await cp(join(source, part), join(copy, part), { recursive: true });
  await symlink(join(source, 'node_modules'), join(copy, 'node_modules'));
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as object;
  await writeFile(join(copy, 'package.json'), JSON.stringify({ ...manifest, version }));
  return join(copy, 'bin', 'pwpool-mcp.js');
}

it(
  'five kills of the server at random: no window is shown another page than its own, and nothing is left [arch-shared-05, arch-shared-06]',
  SLOW,
  async () => {
    await using desk = await Desk.set();
    const windows = await Promise.all(['a', 'b', 'c'].map((project) => desk.openWindow({}, project)));
    await Promise.all(windows.map((window) => window.text('start_browser', { sessionId: 's' })));
    let isOver = false;
    const visits = windows.map((window, index) => visit(window, `window ${index}`, () => isOver));
    for (let kill = 0; kill < 5; kill++) {
      await expect
        .poll(async () => (await desk.servers()).filter(({ error }) => error === null))
        .toHaveLength(1);
      // Behind one of the calls of that window; whatever the others are doing then.
      await windows[kill % windows.length]?.call('browser_snapshot', { sessionId: 's' });
      const [server] = await desk.servers();
      process.kill(server?.entry.pid ?? Number.NaN, 'SIGKILL');
    }
    isOver = true;
    for (const { wrong, pages } of await Promise.all(visits)) {
      expect(wrong).toEqual([]);
      expect(pages).toBeGreaterThan(0);
    }
    // Another window may learn of the last kill by its next call.
    for (const window of windows) await window.call('browser_snapshot', { sessionId: 's' });
    // The next server sweeps up behind the one that was killed last.
    for (const window of windows) await window.text('browser_snapshot', { sessionId: 's' });
    await Promise.all(windows.map(({ client }) => client.close()));
    expect(await desk.leftovers()).toEqual([]);
  },
);

/** Visits a page after the other, and looks at each; a call that was lost is made again. */
async function visit(window: Window, name: string, isOver: () => boolean) {
  const wrong: string[] = [];
  let pages = 0;
  const call = async (tool: string, args: Record<string, unknown>): Promise<string | undefined> => {
    const result = await window.call(tool, { sessionId: 's', ...args });
    const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    if (!result.isError) return text;
    if (!text.includes('INSTANCE_CRASHED')) wrong.push(text);
    return undefined;
  };
  while (!isOver()) {
    const title = `${name} page ${pages}`;
    if ((await call('browser_navigate', page(title))) === undefined) continue;
    const seen = await call('browser_snapshot', {});
    if (seen === undefined) continue;
    pages += 1;
    if (titleOf(seen) !== title) wrong.push(`${title}: ${seen}`);
  }
  return { wrong, pages };
}
