import { expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { Session } from '../../src/session/session.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { ownDirectories, startSite, textOf } from '../driver/embedded-fixture.js';

/** How long after the answer the browser is killed. */
const MOMENTS: Record<string, () => Promise<void>> = {
  'with the answer': async () => {},
  'a microtask later': () => Promise.resolve(),
  'when the checkpoint has begun': () => new Promise((resolve) => setImmediate(resolve)),
  'when the checkpoint may be over': async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  },
};

const ROUNDS = 5;

/** A session in a real browser, and what kills that, whichever it is by then. */
async function realSession(clock?: Clock) {
  const { output } = await ownDirectories();
  // One for each kill, so that none has to wait for a restart.
  const pool = {
    instances: 1 + ROUNDS * Object.keys(MOMENTS).length,
    lazy: true,
    autoRestart: false,
    isDefault: true,
    isolated: true,
    timeoutSettle: 0,
  };
  const pools = await BrowserPools.create(
    { outputDir: output, pools: { WEB: pool } },
    clock ? { clock } : {},
  );
  const sessions = new SessionManager(pools);
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]();
    await pools.close();
  });
  const { session } = await sessions.start({ client: 'a' });
  const kill = () => {
    const used = pools.status().pools[0]?.instances.find(({ id }) => id === session.config.id);
    process.kill(used?.process_id ?? Number.NaN, 'SIGKILL');
  };
  return { session, kill };
}

async function evaluate(session: Session, script: string) {
  const { result, restored } = await session.callTool('browser_evaluate', { function: script });
  return { text: textOf(result), restored };
}

it('a dialog that is open in any tab delays no call [arch-session-01]', async () => {
  await using site = await startSite();
  // Whatever waits for a page that owes an answer waits for ever on a clock that stands still.
  const { session } = await realSession(new FakeClock());
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

it('a kill right behind an answer costs the session no page: it comes back on the answered URL [arch-session-02]', async () => {
  await using site = await startSite();
  const { session, kill } = await realSession();
  await session.callTool('browser_navigate', { url: `${site.origin}/login` });
  for (let round = 0; round < ROUNDS; round++) {
    for (const [moment, wait] of Object.entries(MOMENTS)) {
      const url = `${site.origin}/page-${round}?${encodeURIComponent(moment)}`;
      await session.callTool('browser_navigate', { url });
      await wait();
      kill();
      await expect.poll(() => session.hasBrowser).toBe(false);
      const { text, restored } = await evaluate(session, '() => location.href');
      expect(text).toContain(url);
      expect(restored).toMatchObject({ after: 'crashed', restoredUrl: url });
    }
  }
}, 180_000);

it('what was known of tabs and storage comes back with the answered URLs', async () => {
  await using site = await startSite();
  const { session, kill } = await realSession();
  await session.callTool('browser_navigate', { url: `${site.origin}/login` });
  await evaluate(session, "() => sessionStorage.setItem('draft', 'half a letter')");
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
