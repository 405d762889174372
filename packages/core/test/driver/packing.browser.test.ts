import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BrowserHandle } from '../../src/driver/browser-driver.js';
import { EmbeddedDriver } from '../../src/driver/embedded/embedded-driver.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { isRunning } from '../connection/fixtures/processes.js';
import { FakeReadings } from '../pool/pool-fixture.js';
import { contextOf, instancesOf, ownDirectories, startSite, textOf } from './embedded-fixture.js';
import { executablePath as real } from './fixtures/browsers.js';

const { signal } = new AbortController();

type Start = () => Promise<BrowserHandle>;

/** A driver whose browsers are for two instances each, and its instances, not started yet. */
async function driverForTwo(instances: number) {
  const { output } = await ownDirectories();
  const clock = new FakeClock();
  const driver = new EmbeddedDriver({ clock, outputDir: output });
  const configs = instancesOf({ instances, contextsPerBrowser: 2 });
  return { clock, starts: configs.map((config) => async () => await driver.start(config, signal)) };
}

async function disposeOf(...browsers: readonly BrowserHandle[]): Promise<void> {
  await Promise.all(browsers.map((browser) => browser[Symbol.asyncDispose]()));
}

const pidOf = (browser: BrowserHandle) => browser.processId ?? 0;

it('four instances share two browsers and nothing else; killing one takes just its two, and the pool recovers [arch-driver-04]', async () => {
  const { output } = await ownDirectories();
  await using site = await startSite();
  const settings = { instances: 4, isolated: true, contextsPerBrowser: 2, timeoutSettle: 0 };
  const pool = { ...settings, isDefault: true, lazy: false };
  const parts = { clock: new FakeClock(), readings: new FakeReadings() };
  await using pools = await BrowserPools.create({ outputDir: output, pools: { WEB: pool } }, parts);
  const instances = () => pools.status().pools[0]?.instances ?? [];
  const healthy = () => instances().filter(({ status }) => status === 'healthy').length;
  const pids = () => instances().map(({ process_id }) => process_id ?? 0);
  const twice = (pid: number | undefined) => pids().filter((each) => each === pid).length === 2;
  await expect.poll(healthy).toBe(4);
  expect(new Set(pids()).size).toBe(2);
  expect(pids().every(twice)).toBe(true);

  const leases = await Promise.all(instances().map(({ id }) => pools.lease({ instance: id })));
  const call = async (index: number, name: string, args = {}) =>
    textOf((await leases[index]?.callTool(name, args)) ?? { content: [] });
  const seen = await Promise.all(
    leases.map(async (_, index) => {
      await call(index, 'browser_navigate', { url: `${site.origin}/${index}` });
      await call(index, 'browser_evaluate', { function: `() => { document.cookie = "who=${index}"; }` });
      return await call(index, 'browser_evaluate', { function: '() => document.title + document.cookie' });
    }),
  );
  for (const [index, text] of seen.entries()) {
    expect(text).toContain(`"/${index}who=${index}"`);
    expect(leases[index]?.context().pages()).toHaveLength(1);
    expect(await leases[index]?.context().cookies()).toMatchObject([{ value: String(index) }]);
  }

  const [killed = 0] = pids();
  const hit = pids().map((pid) => pid === killed);
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => leases.map(({ revoked }) => revoked.aborted)).toEqual(hit);
  for (const [index, lease] of leases.entries()) {
    const title = lease.callTool('browser_evaluate', { function: '() => document.title' });
    if (hit[index]) await expect(title).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    else expect(textOf(await title)).toContain(`"/${index}"`);
  }
  await expect.poll(healthy).toBe(4);
  expect(pids()).not.toContain(killed);
  expect(pids().every(twice)).toBe(true);
});

it('a place that is given up is taken by the next; a browser that nobody is in any more ends', {
  tags: ['at-length'],
}, async () => {
  const { starts } = await driverForTwo(3);
  const [startOne, startOther, startNext] = starts as [Start, Start, Start];
  const one = await startOne();
  const other = await startOther();
  expect([pidOf(other), one.sharedBy, other.sharedBy]).toEqual([pidOf(one), 2, 2]);
  await disposeOf(one);
  expect(other.sharedBy).toBe(1);
  await other.ping();
  const next = await startNext();
  expect([pidOf(next), next.sharedBy]).toEqual([pidOf(other), 2]);
  await disposeOf(next, other);
  await expect.poll(() => isRunning(pidOf(one))).toBe(false);
  const last = await startOne();
  expect(pidOf(last)).not.toBe(pidOf(one));
  expect([one, other, next].map(({ lost }) => lost.aborted)).toEqual([false, false, false]);
  await disposeOf(last);
});

it('nobody joins a browser that is to end, or one that is gone', { tags: ['at-length'] }, async () => {
  const { starts } = await driverForTwo(3);
  const [startOne, startOther, startNext] = starts as [Start, Start, Start];
  const retired = await startOne();
  retired.retire();
  // They come while their browser is being launched.
  const [one, other] = await Promise.all([startOther(), startNext()]);
  expect(pidOf(one)).not.toBe(pidOf(retired));
  expect(pidOf(other)).toBe(pidOf(one));
  await disposeOf(retired);
  await expect.poll(() => isRunning(pidOf(retired))).toBe(false);

  process.kill(pidOf(one), 'SIGKILL');
  await expect.poll(() => one.lost.aborted && other.lost.aborted).toBe(true);
  await disposeOf(other);
  const next = await startNext();
  expect(pidOf(next)).not.toBe(pidOf(one));
  await next.ping();
  await disposeOf(one, next);
});

it('a shared browser that is stuck is killed when one of its instances is given up; the other one is lost', {
  tags: ['at-length'],
}, async () => {
  const { clock, starts } = await driverForTwo(2);
  const [one, other] = (await Promise.all(starts.map((start) => start()))) as [BrowserHandle, BrowserHandle];
  await contextOf(one).newPage();
  process.kill(pidOf(one), 'SIGSTOP');
  const disposed = disposeOf(one);
  // Its context has its time to close, then the browser.
  await clock.advance(3_000);
  await clock.advance(3_000);
  await disposed;
  await expect.poll(() => other.lost.aborted).toBe(true);
  expect(one.lost.aborted).toBe(false);
  await disposeOf(other);
  expect(isRunning(pidOf(one))).toBe(false);
});

it('a launch that fails, fails for all who waited for it, and the next try is a launch of its own', {
  tags: ['at-length'],
}, async () => {
  const { output } = await ownDirectories();
  const executablePath = join(output, 'browser');
  const browserIs = (command: string) =>
    writeFile(executablePath, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  const driver = new EmbeddedDriver({ clock: new FakeClock(), outputDir: output });
  const configs = instancesOf({ instances: 2, contextsPerBrowser: 2, executablePath });
  const start = () => Promise.allSettled(configs.map((config) => driver.start(config, signal)));

  await browserIs('exit 1');
  for (const attempt of await start()) {
    expect(attempt).toMatchObject({ status: 'rejected', reason: { code: 'BROWSER_NOT_READY' } });
  }
  await browserIs(`exec '${real}' "$@"`);
  const browsers = (await start()).flatMap((attempt) =>
    attempt.status === 'fulfilled' ? [attempt.value] : [],
  );
  expect(browsers.map(({ sharedBy }) => sharedBy)).toEqual([2, 2]);
  await disposeOf(...browsers);
});

it('instances share a browser whatever their pages are set up with, and none that is launched otherwise', async () => {
  const { output } = await ownDirectories();
  const driver = new EmbeddedDriver({ clock: new FakeClock(), outputDir: output });
  const configs = instancesOf({
    instances: 3,
    contextsPerBrowser: 3,
    instance: { 1: { contextOptions: { locale: 'de-DE' } }, 2: { launchOptions: { slowMo: 1 } } },
  });
  const browsers = await Promise.all(configs.map((config) => driver.start(config, signal)));
  const [first, second, third] = browsers.map(pidOf);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
  await disposeOf(...browsers);
});
