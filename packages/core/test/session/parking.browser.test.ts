import { expect, it, onTestFinished } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { Session } from '../../src/session/session.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { ownDirectories, startSite, textOf } from '../driver/embedded-fixture.js';
import { errorOf } from '../pool/pool-fixture.js';

/** Half of what reading a state may take: all that one page gets. */
const PAGE_MS = 7_500;

const LOG_IN = `() => new Promise((resolve) => {
  const opening = indexedDB.open('login', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('users').put('ada', 'name');
  opening.onsuccess = () => { opening.result.close(); resolve('done'); };
})`;
const READ_LOGIN = `() => new Promise((resolve) => {
  const opening = indexedDB.open('login', 1);
  opening.onsuccess = () => {
    const reading = opening.result.transaction('users').objectStore('users').get('name');
    reading.onsuccess = () => resolve('user ' + reading.result);
  };
})`;

/** A session in a real browser, on a clock that stands still. */
async function realSession() {
  const { output } = await ownDirectories();
  const clock = new FakeClock();
  const pool = { instances: 1, isDefault: true, isolated: true, timeoutSettle: 0 };
  const pools = await BrowserPools.create({ outputDir: output, pools: { WEB: pool } }, { clock });
  const sessions = new SessionManager(pools);
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]();
    await pools.close();
  });
  const { session } = await sessions.start({ client: 'a' });
  return { clock, session };
}

const evaluate = async (session: Session, script: string) => {
  const { result, restored } = await session.callTool('browser_evaluate', { function: script });
  return { text: textOf(result), restored };
};

it('a session whose page waits for the answer to a dialog is not parked, and after the answer it is', async () => {
  await using site = await startSite();
  const { clock, session } = await realSession();
  await session.callTool('browser_navigate', { url: `${site.origin}/login` });
  await evaluate(session, LOG_IN);
  expect((await evaluate(session, "() => alert('Leave?')")).text).toContain('Modal state');

  const parked = errorOf(session.park());
  await clock.advance(PAGE_MS);
  expect((await parked).message).toContain(`The storage of the page ${site.origin}/login`);
  expect(session.info().status).toBe('active');

  await session.callTool('browser_handle_dialog', { accept: true });
  await clock.advance(1);
  await expect.poll(() => session.idleMs).toBeGreaterThan(0);
  expect(await session.park()).toBe(true);
  const { text, restored } = await evaluate(session, READ_LOGIN);
  expect(text).toContain('user ada');
  expect(restored).toMatchObject({ after: 'parked', failed: [] });
});
