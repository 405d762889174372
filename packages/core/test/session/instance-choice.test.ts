import { expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, stateOf } from '../pool/pool-fixture.js';
import { sessionsOver } from './session-fixture.js';

/** Instances 0 and 1 have a window, instance 2 has none, and its browser may be somebody else's. */
const INSTANCES = {
  instances: 3,
  instance: { 0: { headless: false }, 1: { headless: false }, 2: { cdpPortBase: 9222 } },
};
const WITH_WINDOW = { headless: false };

it('of the instances that fit, one whose browser runs is chosen, since others may not be started just now', async () => {
  const { driver, pools, start } = await sessionsOver({
    ...INSTANCES,
    lazy: true,
    idleTimeout: 0,
    startConcurrency: 1,
  });
  await (await pools.lease({ instance: '1' })).release();
  driver.starting.hold();
  const starting = pools.lease({ instance: '2' });
  await settle();
  expect((await start('alice', WITH_WINDOW)).config.id).toBe('1');
  driver.starting.release();
  await starting;
  expect((await start('bob', WITH_WINDOW)).config.id).toBe('0');
});

it('one whose browser has to be started is chosen before one that is in use', async () => {
  const { pools, start } = await sessionsOver({ ...INSTANCES, lazy: true, idleTimeout: 0 });
  const held = await pools.lease({ instance: '0' });
  expect((await start('alice', WITH_WINDOW)).config.id).toBe('1');
  await held.release();
});

it('one that has failed for good is not waited for while another will be free', async () => {
  const { driver, pools, start } = await sessionsOver({ ...INSTANCES, autoRestart: false });
  driver.browser('0').crash();
  const held = await pools.lease({ instance: '1' });
  const alice = start('alice', WITH_WINDOW);
  expect(await stateOf(alice)).toBe('pending');
  await held.release();
  expect((await alice).config.id).toBe('1');
});

it('when all have failed for good, the first is told of', async () => {
  const { driver, start } = await sessionsOver({ ...INSTANCES, autoRestart: false });
  driver.browser('0').crash('The process ended.');
  driver.browser('1').crash();
  const error = await errorOf(start('alice', WITH_WINDOW));
  expect(error.message).toBe("Instance '0' of pool 'WEB' has failed: The process ended.");
});

it('one that failed for good a while ago is tried again, though another is chosen', async () => {
  const { clock, driver, start } = await sessionsOver({ ...INSTANCES, maxRestarts: 0 });
  driver.browser('0').crash();
  await clock.advance(60_000);
  expect((await start('alice', WITH_WINDOW)).config.id).toBe('1');
  await settle();
  expect((await start('bob', WITH_WINDOW)).config.id).toBe('0');
});
