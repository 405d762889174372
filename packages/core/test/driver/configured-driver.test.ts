import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { ConfiguredDriver } from '../../src/driver/configured-driver.js';
import { makeScratchDirectory, removeScratchDirectory } from '../../src/driver/launch/scratch-directory.js';
import { errorOf } from '../pool/pool-fixture.js';
import { ownDirectories } from './embedded-fixture.js';
import { instanceOf } from './fixtures/browsers.js';

const forever = new AbortController().signal;

it('the first start of any driver clears away what a killed server has left', async () => {
  const { output, temporary } = await ownDirectories();
  const mine = await makeScratchDirectory();
  const { pid } = spawnSync('true');
  await mkdir(join(temporary, basename(mine).replace(String(process.pid), String(pid))));
  const driver = new ConfiguredDriver({ clock: systemClock, outputDir: output });
  await errorOf(driver.start(instanceOf({ executablePath: join(output, 'none') }), forever));
  expect(await readdir(temporary)).toEqual([basename(mine)]);
  await removeScratchDirectory(mine);
});

it('an instance with two drivers is refused, not given one of them', async () => {
  const { output } = await ownDirectories();
  const driver = new ConfiguredDriver({ clock: systemClock, outputDir: output });
  const config = instanceOf({ driver: 'process' });
  const two = { ...config, settings: { ...config.settings, cdpPortBase: 9222 } };
  expect(await errorOf(driver.start(two, forever))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: "Instance '0' of pool 'WEB' has more than one driver: DRIVER, CDP_PORT_BASE.",
  });
});
