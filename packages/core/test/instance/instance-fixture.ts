import { onTestFinished } from 'vitest';
import { type ConfigInput, resolveConfig } from '../../src/config/config-input.js';
import type { PwpoolError } from '../../src/errors.js';
import { HeldBrowser } from '../../src/instance/held-browser.js';
import { Instance } from '../../src/instance/instance.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { FakeDriver } from '../../src/testing/fake-driver.js';
import { expectNothingLeft } from '../pool/pool-fixture.js';

export interface InstanceFixture {
  clock: FakeClock;
  driver: FakeDriver;
  instance: Instance;
  /** The instance in the hands of a holder. */
  held: HeldBrowser;
  /** What the observer was told. */
  lost: PwpoolError[];
}

/** An instance that has not been started, with a fake browser to come. It is closed at the end of the test. */
export function instanceOf(input: ConfigInput = {}): InstanceFixture {
  const clock = new FakeClock();
  const driver = new FakeDriver();
  const lost: PwpoolError[] = [];
  const config = resolveConfig(input).pools[0]?.instances[0];
  if (!config) throw new Error('A configuration has an instance.');
  const observer = {
    lost: (error: PwpoolError) => void lost.push(error),
    stateChanged: () => {},
    startEnded: () => {},
    callEnded: () => {},
  };
  const enterStart = async () => () => {};
  const instance = new Instance({ config, driver, clock, observer, enterStart });
  const folders = { root: '/root', outputDir: '/out' };
  const { signal: ended } = new AbortController();
  const held = new HeldBrowser({ instance, clock, folders, ended });
  onTestFinished(async () => {
    driver.releaseAll();
    // A test in which closing fails sees to that itself.
    await instance.close().catch(() => {});
    await settle();
    expectNothingLeft({ clock, driver });
  });
  return { clock, driver, instance, held, lost };
}

/** The same, with its browser running. */
export async function startedInstance(input: ConfigInput = {}): Promise<InstanceFixture> {
  const fixture = instanceOf(input);
  await fixture.instance.start();
  return fixture;
}
