import { expect, it } from 'vitest';
import { EmbeddedDriver } from '../../src/driver/embedded/embedded-driver.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { contextOf, instancesOf, ownDirectories, textOf } from './embedded-fixture.js';

const { signal } = new AbortController();

it('a page with a dialog is left alone, until the dialog is answered', async () => {
  const { output } = await ownDirectories();
  const clock = new FakeClock();
  const driver = new EmbeddedDriver({ clock, outputDir: output });
  const [config] = instancesOf({ instances: 1 });
  if (!config) throw new Error('A pool has an instance.');
  await using browser = await driver.start(config, signal);
  const call = async (name: string, args = {}) => textOf(await browser.callTool(name, args, signal));

  await call('browser_navigate', { url: 'data:text/html,<title>asked</title>' });
  expect(await call('browser_evaluate', { function: '() => confirm("Sure?")' })).toContain('Sure?');
  expect(await browser.unblock()).toBe(false);
  await browser.inspect();
  expect(await call('browser_handle_dialog', { accept: true })).not.toContain('Error');
  expect(await call('browser_snapshot')).toContain('Page Title: asked');

  // From now on it is a page as any other: stuck, it is closed.
  const [page] = contextOf(browser).pages();
  if (!page) throw new Error('There is a page.');
  await expect.poll(() => page.evaluate(() => true)).toBe(true);
  void page.evaluate('for (;;);').catch(() => {});
  const unblocked = browser.unblock();
  while (!page.isClosed()) await clock.advance(1_000);
  expect(await unblocked).toBe(true);
});

it('the context of a profile keeps nothing of the holders that it has had', async () => {
  const { output } = await ownDirectories();
  const driver = new EmbeddedDriver({ clock: new FakeClock(), outputDir: output });
  const [config] = instancesOf({ instances: 1, isolated: false, profileDir: output });
  if (!config) throw new Error('A pool has an instance.');
  await using browser = await driver.start(config, signal);
  const context = contextOf(browser) as unknown as NodeJS.EventEmitter;
  const counts = () => context.eventNames().map((name) => [name, context.listenerCount(name)]);
  await browser.reset(signal);
  const before = counts();
  for (let holder = 0; holder < 3; holder++) await browser.reset(signal);
  expect(counts()).toEqual(before);
});

it('a reset that comes too late leaves the pages as they are', { tags: ['at-length'] }, async () => {
  const { output } = await ownDirectories();
  const driver = new EmbeddedDriver({ clock: new FakeClock(), outputDir: output });
  const [isolated] = instancesOf({ instances: 1 });
  const [withProfile] = instancesOf({ instances: 1, isolated: false, profileDir: output });
  for (const config of [isolated, withProfile]) {
    if (!config) throw new Error('A pool has an instance.');
    await using browser = await driver.start(config, signal);
    await browser.callTool('browser_navigate', { url: 'data:text/html,<title>next</title>' }, signal);
    const pages = contextOf(browser).pages();
    await browser.reset(AbortSignal.abort());
    expect(contextOf(browser).pages()).toEqual(pages);
    expect(textOf(await browser.callTool('browser_snapshot', {}, signal))).toContain('Page Title: next');
  }
});
