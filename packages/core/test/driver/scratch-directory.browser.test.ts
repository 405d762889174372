import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { BrowserProcess } from '../../src/driver/launch/browser-process.js';
import { sweepScratchDirectories } from '../../src/driver/launch/scratch-directory.js';
import { ownDirectories } from './embedded-fixture.js';
import { instanceOf, startChild } from './fixtures/browsers.js';

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const LAUNCHING_SERVER = fileURLToPath(new URL('fixtures/launching-server.ts', import.meta.url));
const KILLED_SERVER = fileURLToPath(new URL('fixtures/killed-server.ts', import.meta.url));

it.runIf(process.platform === 'linux')(
  'the profile of a browser that keeps none goes with it, however it ends',
  async () => {
    const { temporary } = await ownDirectories();
    const config = instanceOf({ isolated: true });
    const browser = await BrowserProcess.launch(config, systemClock, new AbortController().signal);
    const gone = new Promise((resolve) => browser.browser.once('disconnected', resolve));
    process.kill(browser.processId ?? 0, 'SIGKILL');
    await gone;
    await browser.end();
    expect(await readdir(temporary)).toEqual([]);
  },
);

it.runIf(process.platform === 'linux')(
  'the profile of a browser that keeps none, left by a server that was killed, goes with the next start [arch-run-04]',
  async () => {
    const { temporary } = await ownDirectories();
    const { ended } = startChild(process.execPath, ['--import', TSX, KILLED_SERVER], {
      TSX_DISABLE_CACHE: '1',
    });
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await readdir(temporary)).toContainEqual(expect.stringMatching(/^playwright_/));
    await sweepScratchDirectories();
    expect(await readdir(temporary)).toEqual([]);
  },
);

it('a process of pwpool has one folder for all temporary files: it goes with the process, or with the next start', async () => {
  const { temporary } = await ownDirectories();
  const start = (...args: string[]) =>
    startChild(process.execPath, ['--import', TSX, LAUNCHING_SERVER, ...args], { TSX_DISABLE_CACHE: '1' });
  const [ending, killed] = [start('ends'), start('is killed')];
  expect(await ending.ended).toEqual([0, null]);
  expect(await killed.ended).toEqual([null, 'SIGKILL']);
  const [folder = '', ...others] = await readdir(temporary);
  expect(folder).toMatch(new RegExp(`^pwpool-${killed.pid}-`));
  expect(others).toEqual([]);
  expect(await readdir(join(temporary, folder))).toHaveLength(1);
  expect(await killed.line()).toBe(temporary);
  await sweepScratchDirectories();
  expect(await readdir(temporary)).toEqual([]);
});
