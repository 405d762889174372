// @module-tag at-length
import { expect, onTestFinished, test } from 'vitest';
import { captureState } from '../../src/session/state/capture-state.js';
import { restoreState } from '../../src/session/state/restore-state.js';
import { StateStore } from '../../src/session/state/state-store.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { launchChromium } from '../driver/fixtures/browsers.js';
import { greeting, logIn, newContext, storedAtStart } from './browser-fixture.js';
import { startLoginSite } from './login-site.js';
import { temporaryDirectory } from './state-fixture.js';

const READ_LETTER = () =>
  new Promise<unknown>((resolve, reject) => {
    const opening = indexedDB.open('letters');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const store = opening.result.transaction('sent').objectStore('sent');
      const reading = store.index('by-receiver').get('Bob');
      reading.onerror = reject;
      reading.onsuccess = () => {
        const { at, body } = reading.result as { at: Date; body: Uint8Array };
        resolve({ version: opening.result.version, at: at.getTime(), body: [...body] });
      };
    };
  });

test('a login that was saved works in another browser, with everything that its site had stored', async () => {
  const site = await startLoginSite();
  onTestFinished(() => site[Symbol.asyncDispose]());
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const storeOptions = { directory: directory.path, passphrase: 'correct horse battery staple' };
  const options = { clock: new FakeClock(), timeoutMs: 10_000 };

  const first = await launchChromium();
  onTestFinished(() => first.close());
  const context = await first.newContext();
  const before = await logIn(context, site.origin);
  await before.goto(`${site.origin}/home`);
  const partitioned = {
    name: 'chat',
    value: '1',
    url: 'https://chat.test/',
    secure: true,
    sameSite: 'None',
  } as const;
  await context.addCookies([{ ...partitioned, partitionKey: 'https://shop.test' }]);
  const saved = await captureState(context, options);
  await new StateStore(storeOptions).save('ada', saved);
  await first.close();

  const second = await launchChromium();
  onTestFinished(() => second.close());
  const loaded = await new StateStore(storeOptions).load('ada');
  const restored = await newContext(second);
  expect(await restoreState(restored, loaded, options)).toEqual({
    restoredUrl: `${site.origin}/home`,
    failed: [],
  });

  const [page] = restored.pages();
  if (!page) throw new Error('No page was opened.');
  expect(await greeting(page)).toBe('Hello, Ada');
  const stored = { local: { theme: 'dark' }, session: { draft: 'half a letter' } };
  expect(await storedAtStart(page)).toEqual(stored);
  expect(await page.evaluate(READ_LETTER)).toEqual({ version: 3, at: 0, body: [1, 2, 3] });
  // Nothing is lost on the way, however often: the copy of a copy is the same.
  const again = await captureState(restored, options);
  const sorted = ({ cookies, ...rest }: typeof again) => ({
    ...rest,
    cookies: cookies
      .map((cookie) => ({ ...cookie, expires: Math.floor(cookie.expires) }))
      .sort((a, b) => a.name.localeCompare(b.name)),
  });
  expect(sorted(again)).toEqual(sorted(loaded));
});
