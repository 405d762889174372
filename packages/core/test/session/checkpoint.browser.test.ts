import { expect, it } from 'vitest';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { startSite, textOf } from '../driver/embedded-fixture.js';
import { evaluate, realSession } from './killable-session.js';

it('a dialog that is open in any tab delays no call [arch-session-01]', async () => {
  await using site = await startSite();
  // Whatever waits for a page that owes an answer waits for ever on a clock that stands still.
  const { session } = await realSession({ clock: new FakeClock() });
  await session.callTool('browser_navigate', { url: `${site.origin}/asking` });
  expect((await evaluate(session, "() => alert('Leave?')")).text).toContain('Modal state');
  expect(textOf((await session.callTool('browser_snapshot', {})).result)).toContain('Leave?');
  await session.callTool('browser_tabs', { action: 'new', url: `${site.origin}/calm` });
  for (let call = 0; call < 3; call++)
    expect((await evaluate(session, '() => document.title')).text).toContain('"/calm"');
  await session.callTool('browser_tabs', { action: 'select', index: 0 });
  await session.callTool('browser_handle_dialog', { accept: true });
  expect((await evaluate(session, '() => document.title')).text).toContain('"/asking"');
});

it('where a page went by itself since the last answer is where the session comes back', async () => {
  await using site = await startSite();
  // On a clock that stands still, so that no checkpoint tells where the page is.
  const { session, kill } = await realSession({ clock: new FakeClock() });
  const page = await session.page();
  await session.callTool('browser_navigate', { url: `${site.origin}/first` });
  await page.evaluate((url) => {
    location.href = url;
  }, `${site.origin}/second`);
  await page.waitForURL('**/second');
  kill();
  await expect.poll(() => session.hasBrowser).toBe(false);
  const { restored } = await evaluate(session, '() => 1');
  expect(restored).toMatchObject({ after: 'crashed', restoredUrl: `${site.origin}/second` });
});

it('what was known of tabs and storage comes back with the answered URLs', async () => {
  await using site = await startSite();
  const clock = new FakeClock();
  const { session, kill } = await realSession({ clock });
  await session.callTool('browser_navigate', { url: `${site.origin}/login` });
  await evaluate(session, "() => sessionStorage.setItem('draft', 'half a letter')");
  // Nobody calls for a moment, which is when the checkpoint reads the page.
  await clock.advance(50);
  // Reads the page after the checkpoint has.
  await evaluate(session, '() => 1');
  await session.callTool('browser_tabs', { action: 'new', url: `${site.origin}/second` });
  kill();
  await expect.poll(() => session.hasBrowser).toBe(false);
  const { text, restored } = await evaluate(session, '() => [document.title, document.cookie].join()');
  expect(text).toContain('"/second,who=ada"');
  expect(restored).toMatchObject({ restoredUrl: `${site.origin}/second`, failed: [] });
  await session.callTool('browser_tabs', { action: 'select', index: 1 });
  expect((await evaluate(session, "() => sessionStorage.getItem('draft')")).text).toContain('half a letter');
});
