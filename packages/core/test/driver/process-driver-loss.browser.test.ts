// @module-tag at-length
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { ProcessDriver } from '../../src/driver/tool-server/process-driver.js';
import { ToolServerChild } from '../../src/driver/tool-server/tool-server-child.js';
import type { PwpoolError } from '../../src/errors.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { serve } from '../connection/fixtures/http-tool-server.js';
import { descendantsOf, isRunning } from '../connection/fixtures/processes.js';
import { shellBrowser } from './fixtures/wrapped-browser.js';
import {
  browserOf,
  instanceConfig,
  scratchDirectories,
  startProcess,
  temporaryDirectory,
  warningsOfManyCalls,
} from './process-driver-fixture.js';

const noSignal = () => new AbortController().signal;

it('the end of the child or of its browser is a loss, by event, while nothing is called', async () => {
  const first = await startProcess();
  process.kill(browserOf(first.pid), 'SIGKILL');
  await expect.poll(() => first.browser.lost.aborted).toBe(true);
  const lost = {
    code: 'INSTANCE_CRASHED',
    message: "The browser of instance '0' of pool 'WEB' ended unexpectedly.",
  };
  expect(first.browser.lost.reason).toMatchObject(lost);
  // Upstream would start another browser in silence.
  await expect(first.browser.callTool('browser_tabs', { action: 'list' }, noSignal())).rejects.toMatchObject(
    lost,
  );
  await expect(first.browser.inspect()).rejects.toMatchObject(lost);
  expect(descendantsOf(first.pid)).toEqual([]);

  const second = await startProcess();
  process.kill(second.pid, 'SIGKILL');
  await expect.poll(() => second.browser.lost.aborted).toBe(true);
  expect(second.browser.lost.reason).toMatchObject({
    code: 'INSTANCE_CRASHED',
    message: "Process exited unexpectedly (signal SIGKILL): the tool server of instance '0' of pool 'WEB'.",
  });
  await expect(second.browser.ping()).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
});

it.each([
  ['its browser', browserOf, /^The browser of instance/],
  ['the child', (pid: number) => pid, /^Process exited unexpectedly \(signal SIGKILL\)/],
])(
  "a call in which %s dies fails with INSTANCE_CRASHED and none of upstream's words",
  async (_, victim, message) => {
    await using silent = await serve(async () => undefined);
    const { browser, pid } = await startProcess();
    const call = browser
      .callTool('browser_navigate', { url: silent.url }, noSignal())
      .catch((error) => error);
    await silent.reached;
    process.kill(victim(pid), 'SIGKILL');
    const error: PwpoolError = await call;
    expect(error).toMatchObject({ code: 'INSTANCE_CRASHED', message: expect.stringMatching(message) });
    expect(browser.lost.reason).toBe(error);
  },
);

it('a child that has stopped answering is killed with its browser, and so is a browser that has', async () => {
  const clock = new FakeClock();
  const mark = `--pwpool-test-${process.pid}`;
  const marked = { launchOptions: { args: [mark] } };
  const { browser, pid } = await startProcess(marked, clock);
  const launched = browserOf(pid);
  process.kill(pid, 'SIGSTOP');
  process.kill(launched, 'SIGSTOP');
  const pinged = expect(browser.ping()).rejects.toMatchObject({ code: 'BROWSER_NOT_READY' });
  await clock.advance(5_000);
  await pinged;
  expect(browser.lost.aborted).toBe(false);
  const disposed = browser[Symbol.asyncDispose]();
  await clock.advance(3_000);
  await disposed;
  await expect.poll(() => [pid, launched].filter(isRunning)).toEqual([]);

  const second = await startProcess(marked, clock);
  process.kill(browserOf(second.pid), 'SIGSTOP');
  await second.browser.ping();
  const unblocked = second.browser.unblock();
  await clock.advance(9_500);
  await clock.advance(3_500);
  expect(await unblocked).toBe(true);
  expect(second.browser.lost.reason).toMatchObject({ code: 'INSTANCE_CRASHED' });
  const gone = second.browser[Symbol.asyncDispose]();
  await clock.advance(3_000);
  await gone;
  expect(await registered(mark)).toEqual([]);
});

it('a start that fails says why and leaves nothing', async () => {
  const directory = await temporaryDirectory();
  const before = await scratchDirectories();
  const driver = new ProcessDriver({ clock: systemClock, outputDir: directory });
  const broken = join(directory, 'broken');
  await writeFile(broken, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  const start = (settings: Parameters<typeof instanceConfig>[0], signal = noSignal()) =>
    driver.start(instanceConfig(settings), signal).then(
      () => undefined,
      (error: PwpoolError) => error,
    );
  const failed = await start({ executablePath: broken });
  expect(failed).toMatchObject({ code: 'BROWSER_NOT_READY' });
  expect(failed?.message).toContain("instance '0' of pool 'WEB' did not start:");
  expect(failed?.message).not.toContain('--remote-debugging');

  expect(await start({ executablePath: join(directory, 'none') })).toMatchObject({
    code: 'BROWSER_NOT_READY',
    message: expect.stringContaining('EXECUTABLE_PATH names no executable file'),
  });
  expect(await start({ wslWindows: true })).toMatchObject({
    code: 'BROWSER_NOT_READY',
    message: 'WSL_WINDOWS=true, but this machine is not WSL.',
  });
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('NODE_OPTIONS', '--nonsense');
  expect(await start({})).toMatchObject({
    code: 'BROWSER_NOT_READY',
    message: expect.stringMatching(
      /^Process exited unexpectedly \(code 9\): .* It wrote: .*--nonsense is not allowed/,
    ),
  });
  vi.unstubAllEnvs();
  expect(await start({ startTimeout: 100 })).toMatchObject({
    code: 'BROWSER_NOT_READY',
    message: expect.stringContaining('gave no answer within 85 ms'),
  });
  const unwanted = new AbortController();
  const starting = start({}, unwanted.signal);
  unwanted.abort();
  expect(await starting).toMatchObject({ code: 'CANCELLED' });
  await expect.poll(() => descendantsOf(process.pid)).toEqual([]);
  await expect.poll(scratchDirectories).toEqual(before);
});

it('a start that is given up settles when what it has begun is gone', async () => {
  const directory = await temporaryDirectory();
  const before = await scratchDirectories();
  const driver = new ProcessDriver({ clock: new FakeClock(), outputDir: directory });
  const executablePath = await shellBrowser(directory, ': >"$0.started"; exec sleep 60');
  const unwanted = new AbortController();
  const starting = driver.start(instanceConfig({ executablePath }), unwanted.signal).catch((error) => error);
  await expect.poll(() => readdir(directory)).toContain('browser.cjs.started');
  unwanted.abort();
  expect(await starting).toMatchObject({ code: 'CANCELLED' });
  expect(await scratchDirectories()).toEqual(before);
  await expect.poll(() => descendantsOf(process.pid)).toEqual([]);
});

it('a child that has ended is not killed: its process id may be another by then', async () => {
  const options = { localBrowsers: true, onExit: () => {}, onBrowserGone: () => {} };
  const command = { command: process.execPath, args: ['-e', ''], env: {}, configFile: undefined };
  const child = await ToolServerChild.spawn(command, options);
  await child.gone;
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  child.kill();
  expect(kill).not.toHaveBeenCalled();
});

it('a dozen calls at once make Node warn of nothing', async () => {
  expect(await warningsOfManyCalls({ driver: 'process' }, 'browser_tabs', { action: 'list' })).toEqual([]);
});

/** The entries of upstream's register, in which other programs write meanwhile, that mention this. */
async function registered(mark: string): Promise<string[]> {
  const register = join(homedir(), '.cache', 'ms-playwright', 'b');
  const names = await readdir(register).catch(() => []);
  const entries = names.map((name) => readFile(join(register, name), 'utf8').catch(() => ''));
  return (await Promise.all(entries)).filter((entry) => entry.includes(mark));
}
