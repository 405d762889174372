// @module-tag at-length
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import type { PoolInput } from '../../src/config/config-input.js';
import type { InstanceConfig } from '../../src/config/model.js';
import { EmbeddedDriver } from '../../src/driver/embedded/embedded-driver.js';
import { WorkerDriver } from '../../src/driver/worker/worker-driver.js';
import { PwpoolError } from '../../src/errors.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { errorOf } from '../pool/pool-fixture.js';
import { ownDirectories } from './embedded-fixture.js';
import { browsersOn, freePorts, instancesOf } from './fixtures/browsers.js';
import { deafBrowser } from './fixtures/wrapped-browser.js';

const NOT_WANTED = new PwpoolError('CANCELLED', 'Not wanted any more.');
const forever = new AbortController().signal;

/** Instances of a browser that hangs at that message, and the directory of their output. */
async function hanging(unheard: RegExp, settings: Partial<PoolInput>) {
  const { output } = await ownDirectories();
  const { executablePath, hung, heal } = await deafBrowser(output, unheard);
  const configs = instancesOf({ instances: 3, isolated: true, executablePath, ...settings });
  return { output, configs: configs as [InstanceConfig, InstanceConfig, InstanceConfig], hung, heal };
}

it('a browser that hangs after its launch is ended with its start, and nobody joins it', async () => {
  const { output, configs, hung, heal } = await hanging(/createBrowserContext/, { contextsPerBrowser: 2 });
  const driver = new EmbeddedDriver({ clock: systemClock, outputDir: output });
  const [one, other] = [new AbortController(), new AbortController()];
  const starts = [driver.start(configs[0], one.signal), driver.start(configs[1], other.signal)] as const;
  await expect.poll(hung).toBe(2);
  one.abort(NOT_WANTED);
  expect(await errorOf(starts[0])).toBe(NOT_WANTED);

  await heal();
  await using next = await driver.start(configs[2], forever);
  expect(next.sharedBy).toBe(1);
  await next.ping();
  other.abort(NOT_WANTED);
  expect(await errorOf(starts[1])).toBe(NOT_WANTED);
  expect(next.lost.aborted).toBe(false);
});

it('a pool whose browser hangs until START_TIMEOUT leaves none when it is closed', async () => {
  const { output } = await ownDirectories();
  const { executablePath, hung } = await deafBrowser(output, /createBrowserContext/);
  const clock = new FakeClock();
  const pool = {
    instances: 1,
    isDefault: true,
    lazy: true,
    isolated: true,
    autoRestart: false,
    executablePath,
  };
  await using pools = await BrowserPools.create({ outputDir: output, pools: { WEB: pool } }, { clock });
  const refused = errorOf(pools.lease({ instance: '0' }));
  await expect.poll(hung).toBe(1);
  await clock.advance(30_000);
  expect((await refused).message).toContain('did not start within 30000 ms');
});

it('a worker browser that hangs after its launch is ended with its start, and the next one is launched anew', async () => {
  const port = await freePorts();
  const { output, configs, hung, heal } = await hanging(/Target.attachToTarget/, { cdpPortBase: port });
  vi.stubEnv('XDG_DATA_HOME', output);
  const driver = new WorkerDriver({ clock: systemClock, outputDir: output });
  const controller = new AbortController();
  const starting = driver.start(configs[0], controller.signal);
  await expect.poll(hung).toBe(1);
  controller.abort(NOT_WANTED);
  expect(await errorOf(starting)).toBe(NOT_WANTED);
  expect(await browsersOn(port)).toEqual([]);

  await heal();
  await using next = await driver.start(configs[0], forever);
  expect(next.owned).toBe(true);
  expect(await browsersOn(port)).toContain(next.processId);
});
