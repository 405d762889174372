import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { browserType } from '../../src/driver/launch/engine.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { ownDirectories, startSite, textOf } from '../driver/embedded-fixture.js';
import { executablePath } from '../driver/fixtures/browsers.js';

it('browser_close frees the profile for another program, and the next call of the session starts the browser with its logins [002-close-02]', {
  tags: ['at-length'],
}, async () => {
  const { output } = await ownDirectories();
  await using site = await startSite();
  const profileDir = join(output, 'profiles');
  const pools = await BrowserPools.create({
    outputDir: output,
    pools: { WEB: { instances: 1, isDefault: true, isolated: false, profileDir, timeoutSettle: 0 } },
  });
  const sessions = new SessionManager(pools);
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]();
    await pools.close();
  });
  const lost: unknown[] = [];
  pools.on('instance-lost', (event) => lost.push(event));
  const instance = () => pools.status().pools[0]?.instances[0];
  const { session } = await sessions.start({ client: 'a', sessionId: 'alice' });
  await session.callTool('browser_navigate', { url: `${site.origin}/login` });
  await session.callTool('browser_tabs', { action: 'new', url: `${site.origin}/second` });
  const directory = join(profileDir, 'WEB', '0');
  expect(await readdir(directory)).toContain('SingletonLock');

  const { result } = await session.callTool('browser_close', {});
  expect(textOf(result)).toContain('No open tabs');
  expect(instance()).toMatchObject({ status: 'stopped', leased: true, process_id: null });
  expect(await readdir(directory)).not.toContain('SingletonLock');
  const other = await browserType('chromium').launchPersistentContext(directory, { executablePath });
  const [page] = other.pages();
  await page?.goto(site.origin);
  expect(await page?.locator('p').first().textContent()).toBe('cookie: who=ada');

  const refused = await session.callTool('browser_snapshot', {}).catch((error: Error) => error);
  expect(refused).toMatchObject({ code: 'BROWSER_NOT_READY', message: expect.stringContaining(directory) });
  await other.close();

  const tabs = await session.callTool('browser_tabs', { action: 'list' });
  expect(textOf(tabs.result)).toMatch(/0: \(current\).*about:blank/);
  expect(tabs.restored).toBeUndefined();
  await session.callTool('browser_navigate', { url: `${site.origin}/again` });
  const cookie = await session.callTool('browser_evaluate', { function: '() => document.cookie' });
  expect(textOf(cookie.result)).toContain('who=ada');
  expect(instance()).toMatchObject({ status: 'healthy', leased: true });
  expect(lost).toEqual([]);

  // The last thing that the session does: the next one gets a browser as well.
  await session.callTool('browser_close', {});
  await sessions.close('a', 'alice');
  expect(instance()).toMatchObject({ status: 'stopped', leased: false });
  const { session: bob } = await sessions.start({ client: 'b', sessionId: 'bob' });
  expect((await bob.page()).url()).toBe('about:blank');
});
