import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { startSite } from './fixtures/site.js';
import { titleOf } from './fixtures/stdio-server.js';
import { Desk } from './shared/windows.js';

const page = (title: string) => ({ url: `data:text/html,<title>${title}</title><h1>${title}` });

it('windows that open at once share one server, each with sessions and folder of its own; it ends after the last [arch-shared-01, arch-shared-04, arch-shared-07, arch-shared-08]', async () => {
  await using desk = await Desk.set();
  // Few people have set TMPDIR.
  const bare = { TMPDIR: undefined };
  const windows = await Promise.all(['a', 'b'].map((project) => desk.openWindow(bare, project)));
  const [first, second] = windows;
  if (!first || !second) throw new Error('no windows');
  const titles = await Promise.all(
    [first, second].map(async (window, index) =>
      titleOf(await window.text('browser_navigate', page(`page ${index}`))),
    ),
  );
  expect(titles).toEqual(['page 0', 'page 1']);
  expect(titleOf(await first.text('browser_snapshot'))).toBe('page 0');
  expect(JSON.parse(await first.text('list_sessions'))).toMatchObject({
    sessions: [{ sessionId: 'browser-1' }],
  });
  expect(await second.text('browser_take_screenshot', { filename: 'b.png' })).toContain('b.png');
  expect(await desk.filesOf('b')).toContain('b.png');

  const servers = await desk.servers();
  expect(servers).toHaveLength(1);
  expect(servers[0]?.status?.sessions).toHaveLength(2);
  const windowsTold = servers[0]?.status?.windows?.map(({ process_id, cwd }) => [process_id, basename(cwd)]);
  expect(windowsTold).toEqual(
    expect.arrayContaining([
      [first.processId, 'a'],
      [second.processId, 'b'],
    ]),
  );
  for (const { client } of windows) await client.close();
  expect(await desk.leftovers()).toEqual([]);
});

it('after kill -9 of the server a running call fails, the next one is served by another, and sessions come back once told [arch-shared-05, arch-shared-06, arch-run-04]', async () => {
  await using desk = await Desk.set();
  await using site = await startSite();
  const window = await desk.openWindow();
  await window.text('start_browser', { sessionId: 'a' });
  await window.text('browser_navigate', { sessionId: 'a', ...page('kept') });
  const pid = (await desk.servers())[0]?.entry.pid ?? Number.NaN;
  const running = window.error('browser_navigate', { sessionId: 'a', url: `${site.origin}/hang` });
  await expect.poll(() => site.requests).toContain('/hang');
  process.kill(pid, 'SIGKILL');
  expect(await running).toMatchObject({
    code: 'INSTANCE_CRASHED',
    hint: expect.stringContaining('Call again'),
  });

  const answer = await window.text('browser_snapshot', { sessionId: 'a' });
  expect(answer).toContain('kept');
  expect(answer).toContain('### Session restored');
  expect(await window.text('browser_snapshot', { sessionId: 'a' })).not.toContain('### Session restored');
  expect((await desk.servers()).map(({ entry }) => entry.pid)).not.toContain(pid);
  await window.client.close();
  expect(await desk.leftovers()).toEqual([]);
});
