import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import type { PoolInput } from '../../src/config/config-input.js';
import { EmbeddedDriver } from '../../src/driver/embedded/embedded-driver.js';
import { errorOf } from '../pool/pool-fixture.js';
import { instancesOf, ownDirectories } from './embedded-fixture.js';

/** Why a browser with these settings does not start; `script` is what stands in for the browser. */
async function failureOf(settings: Omit<PoolInput, 'instances'>, script?: string) {
  const { output } = await ownDirectories();
  const executablePath = join(output, 'browser');
  if (script !== undefined) {
    await writeFile(executablePath, `#!/bin/sh\n${script}\n`);
    await chmod(executablePath, 0o755);
  }
  const own = script === undefined ? {} : { executablePath };
  const [config] = instancesOf({ instances: 1, ...settings, ...own });
  if (!config) throw new Error('A pool has an instance.');
  const driver = new EmbeddedDriver({ clock: systemClock, outputDir: output });
  const error = await errorOf(driver.start(config, new AbortController().signal));
  expect(error.code).toBe('BROWSER_NOT_READY');
  // No command line, no colours, no process id.
  expect(`${error.message} ${error.hint}`).not.toMatch(/--|pid=/);
  expect(stripVTControlCharacters(error.message)).toBe(error.message);
  return error;
}

it('a browser that lacks a library says which, and how to install it [arch-driver-09]', async () => {
  const library =
    'error while loading shared libraries: libnss3.so: cannot open shared object file: No such file';
  const error = await failureOf({}, `echo "$0: ${library}" >&2; exit 127`);
  expect(error.message).toBe(`The chromium of instance '0' of pool 'WEB' did not start: ${library}`);
  expect(error.hint).toContain('npx playwright install-deps chromium');
});

it('a browser that ends in silence is told with its exit code', async () => {
  expect((await failureOf({}, 'exit 3')).message).toContain('it ended at once with exit code 3');
});

it('a headed browser without a display keeps Playwright’s reason', async () => {
  vi.stubEnv('DISPLAY', '');
  vi.stubEnv('WAYLAND_DISPLAY', '');
  const error = await failureOf({ headless: false });
  expect(error.message).toContain('without having a XServer running');
  expect(error.message).toContain('xvfb-run');
  expect(error.hint).toContain('xvfb-run');
});
