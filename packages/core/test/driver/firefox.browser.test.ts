// @module-tag at-length

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PoolInput } from '../../src/config/config-input.js';
import { EmbeddedDriver } from '../../src/driver/embedded/embedded-driver.js';
import {
  makeScratchDirectory,
  removeScratchDirectory,
  sweepScratchDirectories,
} from '../../src/driver/launch/scratch-directory.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { Lease } from '../../src/pool/lease.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { isRunning } from '../connection/fixtures/processes.js';
import { contextOf, instancesOf, ownDirectories, startSite, textOf } from './embedded-fixture.js';

const { signal } = new AbortController();

const pool: PoolInput = { instances: 1, lazy: true, isolated: true, timeoutSettle: 0 };

/** A start of Firefox takes five times the processor time of Chromium's; without the processes it keeps in store, four. */
const firefox = {
  browser: 'firefox',
  // Playwright's own deadline, on the system's clock.
  startTimeout: 100_000,
  launchOptions: {
    firefoxUserPrefs: { 'dom.ipc.processPrelaunch.enabled': false, 'dom.ipc.processCount': 1 },
  },
} as const;

async function chromiumAndFirefox() {
  const clock = new FakeClock();
  const { output } = await ownDirectories();
  const pools = {
    CHROMIUM: { ...pool, isDefault: true },
    FIREFOX: { ...pool, ...firefox },
  } as const;
  return { clock, pools: await BrowserPools.create({ outputDir: output, pools }, { clock }) };
}

const call = async (lease: Lease, name: string, args = {}) => textOf(await lease.callTool(name, args));

async function reference(lease: Lease, name: string): Promise<string | undefined> {
  const snapshot = await call(lease, 'browser_snapshot');
  return new RegExp(`button "${name}" \\[ref=(\\w+)\\]`).exec(snapshot)?.[1];
}

it('a pool of firefox and one of chromium are driven at once, by the same tools; a killed firefox fails the call that runs and is replaced [000-key-06]', async () => {
  await using site = await startSite();
  const { clock, pools: created } = await chromiumAndFirefox();
  await using pools = created;
  const visit = async (name: string) => {
    const lease = await pools.lease({ pool: name });
    await call(lease, 'browser_navigate', { url: `${site.origin}/login` });
    await call(lease, 'browser_navigate', { url: `${site.origin}/home` });
    expect(await call(lease, 'browser_snapshot')).toContain('cookie: who=ada');
    const target = await reference(lease, 'Press');
    await call(lease, 'browser_click', { element: 'Press', target });
    expect(await call(lease, 'browser_evaluate', { function: '() => document.title' })).toContain('pressed');
    await call(lease, 'browser_navigate', { url: `${site.origin}/other` });
    const late = lease.callTool('browser_click', { element: 'Press', target });
    await expect(late).rejects.toMatchObject({ code: 'ELEMENT_NOT_FOUND' });
    return lease;
  };
  const [chromium, firefox] = await Promise.all([visit('CHROMIUM'), visit('FIREFOX')]);
  expect(await call(chromium, 'browser_snapshot')).toContain('Chrome/');
  expect(await call(firefox, 'browser_snapshot')).toContain('Firefox/');

  await clock.advance(20_000);
  const instances = () => pools.status().pools.flatMap((each) => each.instances);
  await expect
    .poll(() => instances().map(({ health_check }) => health_check.responsive))
    .toEqual([true, true]);
  expect(instances().map(({ browser }) => browser)).toEqual(['chromium', 'firefox']);
  expect(new Set(instances().map(({ process_id }) => process_id ?? 0)).size).toBe(2);
  expect(instances().every(({ process_id }) => isRunning(process_id ?? 0))).toBe(true);

  await firefox.release();
  const lease = await pools.lease({ pool: 'FIREFOX' });
  expect(await lease.context().cookies()).toEqual([]);
  expect(await (await lease.page()).title()).toBe('');

  // A navigation that is given up is stopped.
  await call(lease, 'browser_navigate', { url: `${site.origin}/home` });
  const navigation = expect(
    lease.callTool('browser_navigate', { url: `${site.origin}/never` }),
  ).rejects.toMatchObject({ code: 'NAVIGATION_TIMEOUT' });
  await expect.poll(() => site.unanswered()).toBe(1);
  await clock.advance(lease.config.settings.timeoutNavigation);
  await navigation;
  await expect.poll(() => site.unanswered()).toBe(0);
  expect(await reference(lease, 'Press')).toBeDefined();

  const evaluation = expect(
    lease.callTool('browser_evaluate', { function: '() => fetch("/never")' }),
  ).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
  await expect.poll(() => site.unanswered()).toBe(1);
  process.kill(pools.status('FIREFOX').pools[0]?.instances[0]?.process_id ?? 0, 'SIGKILL');
  await evaluation;
  expect(await call(chromium, 'browser_evaluate', { function: '() => 6 * 7' })).toContain('42');
  const next = await pools.lease({ pool: 'FIREFOX' });
  expect(await call(next, 'browser_navigate', { url: `${site.origin}/home` })).toContain('Page Title: /home');
}, 240_000);

it('instances that share a firefox see nothing of each other; stuck, it is killed', async () => {
  await using site = await startSite();
  const { output } = await ownDirectories();
  const clock = new FakeClock();
  const driver = new EmbeddedDriver({ clock, outputDir: output });
  const configs = instancesOf({ instances: 2, contextsPerBrowser: 2, ...firefox });
  const [one, other] = await Promise.all(configs.map((config) => driver.start(config, signal)));
  if (!one || !other) throw new Error('Two instances give two browsers.');
  expect(one.processId).toBe(other.processId);
  const pid = one.processId ?? 0;
  await (await contextOf(one).newPage()).goto(`${site.origin}/login`);
  const page = await contextOf(other).newPage();
  await page.goto(`${site.origin}/home`);
  expect(await page.textContent('p')).toBe('cookie: none');
  await other.inspect();

  process.kill(pid, 'SIGSTOP');
  const disposed = one[Symbol.asyncDispose]();
  // Its context has its time to close, then the browser.
  await clock.advance(3_000);
  await clock.advance(3_000);
  await disposed;
  await expect.poll(() => other.lost.aborted).toBe(true);
  await expect.poll(() => isRunning(pid)).toBe(false);
  await other[Symbol.asyncDispose]();
}, 240_000);

it('a profile of firefox keeps logins over resets and restarts, and no page, and is for one browser only', async () => {
  await using site = await startSite();
  const { output } = await ownDirectories();
  const driver = new EmbeddedDriver({ clock: new FakeClock(), outputDir: output });
  const profileDir = join(output, 'profiles');
  const settings = { isolated: false, profileDir, ...firefox };
  const [config] = instancesOf({ instances: 1, ...settings });
  if (!config) throw new Error('A pool has an instance.');
  for (const expected of ['none', 'who=ada']) {
    await using browser = await driver.start(config, signal);
    const page = await contextOf(browser).newPage();
    await page.goto(`${site.origin}/home`);
    expect(await page.textContent('p')).toBe(`cookie: ${expected}`);
    await page.goto(`${site.origin}/login`);
    await browser.inspect();
    await browser.reset(signal);
    expect(
      contextOf(browser)
        .pages()
        .map((each) => each.url()),
    ).toEqual(['about:blank']);
    expect(await contextOf(browser).cookies()).toMatchObject([{ name: 'who', value: 'ada' }]);
    await expect(driver.start(config, signal)).rejects.toMatchObject({
      code: 'BROWSER_NOT_READY',
      message: expect.stringMatching(/process \d+ \(.+\) uses the profile/),
    });
  }
}, 240_000);

it.runIf(process.platform === 'linux')(
  'what a killed server has left running is ended by the next; what another uses is not [arch-run-04]',
  async () => {
    const { temporary } = await ownDirectories();
    const owner = spawn('true');
    await once(owner, 'exit');
    const [, namespace] = /-([0-9a-z]+)-\w+$/.exec(await makeScratchDirectory()) ?? [];
    const left = async (pid: number | undefined, where = namespace) => {
      const directory = join(temporary, `pwpool-${pid}-${where}-abcdef`);
      await mkdir(directory);
      return spawn('sleep', ['600'], { env: { ...process.env, TMPDIR: directory } });
    };
    const orphan = await left(owner.pid);
    // One of this server, and one of a server in a container, in which that process id is another's.
    const others = [await left(process.pid), await left(owner.pid, 'elsewhere')];
    const kept = await readdir(temporary);
    const ended = once(orphan, 'exit');
    await sweepScratchDirectories();
    expect(await ended).toEqual([null, 'SIGKILL']);
    const gone = `pwpool-${owner.pid}-${namespace}-abcdef`;
    expect(await readdir(temporary)).toEqual(kept.filter((name) => name !== gone));
    for (const other of others) {
      expect(other.exitCode ?? other.signalCode).toBeNull();
      other.kill();
      await once(other, 'exit');
    }
    for (const name of await readdir(temporary)) await removeScratchDirectory(join(temporary, name));
  },
);

it('an installed firefox in a process of its own is refused, with what to do', async () => {
  const { output } = await ownDirectories();
  await using pools = await BrowserPools.create({
    outputDir: output,
    pools: { FIREFOX: { ...pool, isDefault: true, browser: 'firefox', driver: 'process' } },
  });
  await expect(pools.lease()).rejects.toMatchObject({
    code: 'BROWSER_NOT_READY',
    hint: expect.stringContaining('Remove DRIVER'),
  });
});
