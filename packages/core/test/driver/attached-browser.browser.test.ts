// @module-tag at-length
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { AttachedBrowserDriver } from '../../src/driver/attached/attached-browser-driver.js';
import { CHROMIUM_SWITCHES } from '../../src/driver/launch/chromium-switches.js';
import { browserType } from '../../src/driver/launch/engine.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { isRunning } from '../connection/fixtures/processes.js';
import { errorOf } from '../pool/pool-fixture.js';
import {
  executablePath,
  freePorts,
  instancesOf,
  listen,
  type PoolInput,
  page,
  startChromium,
  startPlaywrightServer,
  temporaryDirectory,
} from './fixtures/browsers.js';

const signal = new AbortController().signal;

/** A browser for each instance of a pool with these settings, until the end of the test. */
async function attach(settings: Partial<PoolInput>) {
  const driver = new AttachedBrowserDriver({ clock: systemClock, outputDir: await temporaryDirectory() });
  const browsers = await Promise.all(instancesOf(settings).map((config) => driver.start(config, signal)));
  onTestFinished(() => leave(browsers));
  return browsers;
}

async function leave(browsers: readonly AsyncDisposable[]) {
  await Promise.all(browsers.map((browser) => browser[Symbol.asyncDispose]()));
}

type Attached = Awaited<ReturnType<typeof attach>>[number];

async function call(browser: Attached | undefined, tool: string, args = {}): Promise<string> {
  return JSON.stringify((await browser?.callTool(tool, args, signal))?.content);
}

/** The titles of the tabs that the tools show. */
async function tabs(browser: Attached | undefined): Promise<string[]> {
  const list = await call(browser, 'browser_tabs', { action: 'list' });
  return [...list.matchAll(/\d+:(?: \(current\))? \[(.*?)\]/g)].map(([, title = '']) => title);
}

it('a shared Playwright server gives each instance a context of its own; leaving takes only that with it [arch-driver-06, arch-driver-07]', async () => {
  const server = await browserType('chromium').launchServer({
    executablePath,
    host: '127.0.0.1',
    args: [...CHROMIUM_SWITCHES],
  });
  onTestFinished(() => server.close());
  const other = await browserType('chromium').connect(server.wsEndpoint());
  const theirs = await (await other.newContext()).newPage();

  const [first, second] = await attach({ endpoint: server.wsEndpoint(), instances: 2 });
  expect(first).toMatchObject({ owned: false, processId: null, sharedBy: 1 });
  expect(await call(first, 'browser_navigate', { url: page('first') })).toContain('Page Title: first');
  await first?.context?.addCookies([{ name: 'user', value: 'ada', url: 'http://127.0.0.1/' }]);
  expect(await second?.context?.cookies()).toEqual([]);

  await first?.ping();
  await first?.inspect();
  await first?.reset(signal);
  expect(await first?.context?.cookies()).toEqual([]);
  expect(await call(first, 'browser_navigate', { url: page('again') })).toContain('Page Title: again');
  expect(await second?.unblock()).toBe(false);

  await leave([first, second].filter((browser) => browser !== undefined));
  expect(isRunning(server.process().pid ?? 0)).toBe(true);
  await theirs.goto(page('theirs'));
  expect(await theirs.title()).toBe('theirs');
});

it('over CDP an instance works in the profile of a browser, and leaves its tabs and dialogs to those who use it [arch-driver-06, arch-driver-07]', async () => {
  const port = await freePorts();
  const browser = await startChromium(port);
  const person = await browserType('chromium').connectOverCDP(`http://127.0.0.1:${port}`);
  const [profile] = person.contexts();
  const theirs = profile?.pages()[0];
  if (!profile || !theirs) throw new Error('The browser has a profile and a tab.');
  await theirs.goto(page('theirs'));
  await profile.addCookies([{ name: 'user', value: 'ada', url: 'http://127.0.0.1/' }]);

  const [attached] = await attach({ endpoint: `http://127.0.0.1:${port}`, isolated: false });
  expect((await attached?.context?.cookies())?.map(({ value }) => value)).toEqual(['ada']);
  expect(await call(attached, 'browser_navigate', { url: page('ours') })).toContain('Page Title: ours');
  const open = "() => { open('about:blank').document.title = 'pop-up'; }";
  await call(attached, 'browser_evaluate', { function: open });
  await expect.poll(() => tabs(attached)).toEqual(['ours', 'pop-up']);

  // The person opens another tab, and is asked something.
  const more = await profile.newPage();
  let asked = 0;
  more.on('dialog', () => void asked++);
  const answer = more.evaluate(() => confirm('Sure?')).catch(() => 'closed');
  await expect.poll(() => asked).toBe(1);
  // No window opens and closes before the person's eyes.
  let opened = 0;
  person.on('context', () => void opened++);
  profile.on('page', () => void opened++);
  await attached?.tryPage();
  expect(opened).toBe(0);
  await attached?.inspect();
  await attached?.unblock();
  expect(await tabs(attached)).toEqual(['ours', 'pop-up']);
  await attached?.reset(signal);
  expect(attached?.context?.pages().map((each) => each.url())).toEqual(['about:blank']);
  expect((await attached?.context?.cookies())?.map(({ value }) => value)).toEqual(['ada']);

  await leave(attached ? [attached] : []);
  await expect.poll(() => profile.pages().length).toBe(2);
  expect(await theirs.title()).toBe('theirs');
  expect(isRunning(browser.pid)).toBe(true);
  await more.close();
  expect(await answer).toBe('closed');
});

/** A person at a browser with two tabs, the second of which is shown. */
async function personAt(port: number) {
  const person = await browserType('chromium').connectOverCDP(`http://127.0.0.1:${port}`, {
    noDefaults: true,
  });
  const [profile] = person.contexts();
  const first = profile?.pages()[0];
  if (!profile || !first) throw new Error('The browser has a profile and a tab.');
  await first.goto(page('first'));
  const second = await profile.newPage();
  await second.goto(page('second'));
  return { profile, first, second };
}

it('ATTACH_TAB=existing drives the tab that is shown, and never closes it [arch-driver-12]', async () => {
  const port = await freePorts();
  await startChromium(port);
  const { profile, first, second } = await personAt(port);
  const endpoint = `http://127.0.0.1:${port}`;
  const [attached] = await attach({ endpoint, isolated: false, attachTab: 'existing' });
  expect(await tabs(attached)).toEqual(['second']);
  await call(attached, 'browser_navigate', { url: page('moved') });
  expect(await second.title()).toBe('moved');

  // What it opens is its own, and closed as ever.
  const open = "() => { open('about:blank').document.title = 'pop-up'; }";
  await call(attached, 'browser_evaluate', { function: open });
  await call(attached, 'browser_tabs', { action: 'new', url: page('own') });
  await expect.poll(() => tabs(attached)).toEqual(['moved', 'pop-up', 'own']);
  await attached?.tryPage();
  await attached?.inspect();
  await attached?.reset(signal);
  expect(await tabs(attached)).toEqual(['moved']);
  await expect.poll(() => profile.pages()).toEqual([first, second]);
  expect(await second.title()).toBe('moved');

  // Not even when it hangs.
  await second.evaluate(
    () =>
      void setTimeout(() => {
        for (;;);
      }),
  );
  expect(await attached?.unblock()).toBe(false);
  await attached?.inspect();
  expect(second.isClosed()).toBe(false);

  await first.bringToFront();
  await attached?.reset(signal);
  expect(await tabs(attached)).toEqual(['first']);
  await leave(attached ? [attached] : []);
  expect(profile.pages()).toEqual([first, second]);
  expect(await first.title()).toBe('first');
});

it('ATTACH_TAB=existing: browser_close and the end of a lease leave the tab where it is [arch-driver-12]', async () => {
  const port = await freePorts();
  const browser = await startChromium(port);
  const { profile, first, second } = await personAt(port);
  const endpoint = `http://127.0.0.1:${port}`;
  const pool = { instances: 1, isDefault: true, isolated: false, timeoutSettle: 0, endpoint };
  await using pools = await BrowserPools.create({
    outputDir: await temporaryDirectory(),
    pools: { WEB: { ...pool, attachTab: 'existing' } },
  });
  const lease = await pools.lease();
  await lease.callTool('browser_tabs', { action: 'new', url: page('own') });
  await lease.callTool('browser_close');
  await expect.poll(() => profile.pages()).toEqual([first, second]);
  expect(await (await lease.page()).title()).toBe('second');
  await lease.callTool('browser_navigate', { url: page('moved') });
  await lease.release();
  await pools.close();
  expect(profile.pages()).toEqual([first, second]);
  expect(await second.title()).toBe('moved');
  expect(isRunning(browser.pid)).toBe(true);
});

it('isolated instances of one CDP browser share no cookies, and do not answer dialogs of each other', async () => {
  const port = await freePorts();
  const browser = await startChromium(port);
  const [first, second] = await attach({
    endpoint: `http://127.0.0.1:${port}`,
    isolated: true,
    instances: 2,
  });
  await first?.context?.addCookies([{ name: 'user', value: 'ada', url: 'http://127.0.0.1/' }]);
  expect(await second?.context?.cookies()).toEqual([]);
  await call(first, 'browser_navigate', { url: page('first') });
  const asked = await call(first, 'browser_evaluate', { function: '() => confirm("Sure?")' });
  expect(asked).toContain('Sure?');
  await second?.ping();
  await second?.inspect();
  expect(await call(first, 'browser_handle_dialog', { accept: true })).not.toContain('Error');
  expect(await tabs(second)).toEqual(['']);

  await leave([first, second].filter((each) => each !== undefined));
  const person = await browserType('chromium').connectOverCDP(`http://127.0.0.1:${port}`);
  expect(person.contexts().flatMap((context) => context.pages().map((each) => each.url()))).toEqual([
    'about:blank',
  ]);
  expect(isRunning(browser.pid)).toBe(true);
});

it('a server that is killed costs the call and the instance; when it is back the pool attaches again [arch-driver-06]', async () => {
  const silence = await listen(createServer());
  const port = await freePorts();
  const clock = new FakeClock();
  const outputDir = await temporaryDirectory();
  const driver = new AttachedBrowserDriver({ clock, outputDir });
  let server = await startPlaywrightServer(port);
  const endpoint = `ws://127.0.0.1:${port}/`;
  const pool = { instances: 1, isDefault: true, endpoint, executablePath, maxRestarts: 20 };
  await using pools = await BrowserPools.create({ outputDir, pools: { WEB: pool } }, { clock, driver });
  const status = () => pools.status().pools[0]?.instances[0];

  for (const killed of ['in a call', 'idle']) {
    await using lease = await pools.lease();
    await lease.callTool('browser_navigate', { url: page(killed) });
    if (killed === 'in a call') {
      const url = `http://127.0.0.1:${silence}/`;
      const running = errorOf(lease.callTool('browser_navigate', { url }));
      await expect.poll(() => lease.context().pages()[0]?.url()).toBe(page(killed));
      await server.kill();
      expect((await running).code).toBe('INSTANCE_CRASHED');
    } else {
      await lease.release();
      await server.kill();
    }
    // How long the back-off is depends on how many tries there were before the server was back.
    const later = async () => {
      if (status()?.status === 'failed') await clock.advance(60_000);
      return status();
    };
    await expect.poll(async () => (await later())?.health_check.error).toContain('refused');
    server = await startPlaywrightServer(port);
    await expect.poll(async () => (await later())?.status).toBe('healthy');
  }
});

it('a frozen browser is found by its health check, and trusted again when it goes on', async () => {
  const port = await freePorts();
  const browser = await startChromium(port);
  const clock = new FakeClock();
  const outputDir = await temporaryDirectory();
  const driver = new AttachedBrowserDriver({ clock, outputDir });
  const pool = { instances: 1, isDefault: true, endpoint: `http://127.0.0.1:${port}`, isolated: true };
  await using pools = await BrowserPools.create({ outputDir, pools: { WEB: pool } }, { clock, driver });
  const instance = () => pools.status().pools[0]?.instances[0];
  await using _lease = await pools.lease();

  browser.child.kill('SIGSTOP');
  await clock.advance(25_000);
  expect(instance()?.health_check).toMatchObject({
    responsive: false,
    error: 'No answer to the health check within 5000 ms.',
  });
  browser.child.kill('SIGCONT');
  await clock.advance(20_000);
  await expect.poll(() => instance()?.health_check).toMatchObject({ responsive: true, error: null });
});
