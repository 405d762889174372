import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import type { PoolInput } from '../../src/config/config-input.js';
import { killProcess, killProcessGroup } from '../../src/driver/kill-process.js';
import { BrowserProcess } from '../../src/driver/launch/browser-process.js';
import { processTree } from '../../src/driver/process-tree.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { isRunning } from '../connection/fixtures/processes.js';
import { ownDirectories } from './embedded-fixture.js';
import { instanceOf } from './fixtures/browsers.js';
import { deafBrowser, shellBrowser } from './fixtures/wrapped-browser.js';

const launch = async (settings: Partial<PoolInput>, clock = systemClock) =>
  await BrowserProcess.launch(
    instanceOf({ isolated: true, ...settings }),
    clock,
    new AbortController().signal,
  );

/** Notes what is sent to ids that stand for all processes, and keeps it from being sent. */
function keepFromAll() {
  const kill = process.kill.bind(process);
  const spy = vi.spyOn(process, 'kill').mockImplementation((target, signal) => {
    return Math.abs(target) <= 1 ? true : kill(target, signal);
  });
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.filter(([target]) => Math.abs(target) <= 1);
}

it('ids that stand for all processes, or for the first one, are never killed', () => {
  const sent = keepFromAll();
  for (const id of [1, 0, -1, Number.NaN]) {
    killProcess(id);
    killProcessGroup(id);
  }
  expect(sent()).toEqual([]);
});

const IN_A_CONTAINER = 'unshare --user --map-root-user --pid --fork';

it.runIf(spawnSync(`${IN_A_CONTAINER} true`, { shell: true }).status === 0)(
  'a browser with process ids of its own is known, and killed, by the id that it has here',
  async () => {
    const sent = keepFromAll();
    const { output } = await ownDirectories();
    const executablePath = await shellBrowser(output, `exec ${IN_A_CONTAINER} "$BROWSER" "$@"`);
    const clock = new FakeClock();
    const browser = await launch({ executablePath }, clock);
    const tree = processTree(browser.processId ?? 0);
    expect(processTree(process.pid)).toContain(browser.processId);
    expect(tree.length).toBeGreaterThan(2);
    for (const pid of tree.filter(isRunning)) process.kill(pid, 'SIGSTOP');
    const ended = browser.end();
    await clock.advance(3_000);
    await ended;
    await expect.poll(() => tree.filter(isRunning)).toEqual([]);
    expect(sent()).toEqual([]);
  },
);

it('a browser that does not tell its process id is known by its scratch directory', async () => {
  const { output } = await ownDirectories();
  const clock = new FakeClock();
  const { executablePath, hung } = await deafBrowser(output, /SystemInfo.getProcessInfo/);
  const launching = launch({ executablePath }, clock);
  await expect.poll(hung).toBe(1);
  await clock.advance(3_000);
  const browser = await launching;
  expect(isRunning(browser.processId ?? 0)).toBe(true);
  await browser.end();
  expect(clock.pendingTimers).toBe(0);
});
