import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { Session } from '../../src/session/session.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { makeDirectories, type Site, startSite, textOf } from '../driver/embedded-fixture.js';

let site: Site;
let directories: Awaited<ReturnType<typeof makeDirectories>>;
let pools: BrowserPools;
let sessions: SessionManager;

// Two browsers for the file, as each session has its own by default; a test has sessions of its own.
beforeAll(async () => {
  site = await startSite();
  directories = await makeDirectories();
  const { output } = directories;
  const pool = { instances: 2, isDefault: true, isolated: true, timeoutSettle: 0 };
  pools = await BrowserPools.create({
    outputDir: output,
    stateDir: join(output, 'states'),
    pools: { WEB: pool },
  });
  sessions = new SessionManager(pools);
});
afterEach(() => sessions.closeAll('a'));
afterAll(async () => {
  await sessions[Symbol.asyncDispose]();
  await pools.close();
  await directories[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function kill(session: Session): Promise<void> {
  const found = pools.status().pools[0]?.instances.find(({ id }) => id === session.config.id);
  process.kill(found?.process_id ?? Number.NaN, 'SIGKILL');
  await expect.poll(() => session.hasBrowser).toBe(false);
}
const navigate = (session: Session, path: string) =>
  session.callTool('browser_navigate', { url: `${site.origin}${path}` });

async function read(session: Session, expression: string) {
  const { result, restored } = await session.callTool('browser_evaluate', {
    function: `() => ${expression}`,
  });
  return { text: textOf(result), restored };
}

describe('a session that was started with a state and lost its browser before its first call', () => {
  it.each(['from', 'restore'])('goes on with that state (%s)', async (how) => {
    const { session: alice } = await sessions.start({ client: 'a', sessionId: 'alice' });
    await navigate(alice, '/login');
    if (how === 'restore') await sessions.close('a', 'alice', { save: 'login' });
    const { session } = await sessions.start({
      client: 'a',
      ...(how === 'restore' ? { restore: 'login' } : { from: 'alice' }),
    });
    await kill(session);
    const { text, restored } = await read(session, 'document.cookie');
    expect(text).toContain('who=ada');
    expect(restored).toMatchObject({ after: 'crashed', restoredUrl: `${site.origin}/login`, failed: [] });
  });
});

describe('a session with several tabs', () => {
  /** Works in the second of its three tabs. */
  async function openTabs(session: Session): Promise<void> {
    await navigate(session, '/first');
    for (const path of ['/second', '/third'])
      await session.callTool('browser_tabs', { action: 'new', url: `${site.origin}${path}` });
    await session.callTool('browser_tabs', { action: 'select', index: 1 });
  }

  it('goes on in the tab that it worked in when its browser is lost', async () => {
    const { session } = await sessions.start({ client: 'a' });
    await openTabs(session);
    await kill(session);
    const { text, restored } = await read(session, 'document.title');
    expect(text).toContain('"/second"');
    expect(restored).toMatchObject({ restoredUrl: `${site.origin}/second`, failed: [] });
    expect(textOf((await session.callTool('browser_tabs', { action: 'list' })).result)).toMatch(
      /0: \(current\) \[\/second\].*\n.*1: \[\/first\].*\n.*2: \[\/third\]/,
    );
  });

  it('is copied and saved with the tab that it works in first', { tags: ['at-length'] }, async () => {
    const { session } = await sessions.start({ client: 'a', sessionId: 'alice' });
    await openTabs(session);
    const { session: fork, restored } = await sessions.start({
      client: 'a',
      sessionId: 'fork',
      from: 'alice',
    });
    expect(restored).toEqual({ restoredUrl: `${site.origin}/second`, failed: [] });
    expect((await read(fork, 'document.title')).text).toContain('"/second"');
    await sessions.close('a', 'fork');
    expect(await sessions.close('a', 'alice', { save: 'tabs' })).toEqual({ incomplete: [] });
    const again = await sessions.start({ client: 'a', restore: 'tabs' });
    expect(again.restored?.restoredUrl).toBe(`${site.origin}/second`);
  });
});

describe('a state that lacks something', () => {
  const LACK = 'IndexedDB: the browser did not give it.';
  /** Playwright refuses to read a database whose name is empty. */
  const MAKE_UNREADABLE =
    "new Promise((resolve) => { indexedDB.open('', 1).onsuccess = () => resolve('made'); })";

  it('tells so when it is saved, restored and copied', { tags: ['at-length'] }, async () => {
    const { session } = await sessions.start({ client: 'a', sessionId: 'alice' });
    await navigate(session, '/login');
    await read(session, MAKE_UNREADABLE);
    const copied = await sessions.start({ client: 'a', sessionId: 'fork', from: 'alice' });
    expect(copied.restored?.failed).toEqual([LACK]);
    await sessions.close('a', 'fork');
    expect(await sessions.close('a', 'alice', { save: 'login' })).toEqual({ incomplete: [LACK] });
    const { restored } = await sessions.start({ client: 'a', restore: 'login' });
    expect(restored).toEqual({ restoredUrl: `${site.origin}/login`, failed: [LACK] });
  });
});
