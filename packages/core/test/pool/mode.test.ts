import { expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import type { FakeDriver } from '../../src/testing/fake-driver.js';
import { giveContexts } from '../session/fake-context.js';
import { sessionsOver } from '../session/session-fixture.js';
import { errorOf, poolOf, stateOf } from './pool-fixture.js';

/** The mode of each browser that was started, in order. */
function modesOf(driver: FakeDriver): string[] {
  return driver.browsers.map(
    ({ config }) => `${config.id} ${config.settings.headless ? 'hidden' : 'window'}`,
  );
}

/** From now on no browser with a window starts. */
function withoutDisplay(driver: FakeDriver): void {
  driver.onStart = (browser) => {
    if (browser.config.settings.headless) return;
    void browser[Symbol.asyncDispose]();
    throw new PwpoolError('BROWSER_NOT_READY', 'It needs a display.');
  };
}

const modeInStatus = (pools: Awaited<ReturnType<typeof poolOf>>['pools']) =>
  pools.status().pools[0]?.instances.map(({ headless }) => headless);

it('a lease that asks for a window gets an instance relaunched, and the next holder one as configured [003-start-03]', async () => {
  const { driver, pools } = await poolOf({ instances: 1 });
  const lease = await pools.lease({ headless: false });
  expect(modesOf(driver)).toEqual(['0 hidden', '0 window']);
  expect(driver.browsers[0]?.disposed).toBe(true);
  expect(modeInStatus(pools)).toEqual([false]);
  expect(lease.config.settings.headless).toBe(false);
  await lease.release({ detach: true });
  expect(modesOf(driver).slice(2)).toEqual(['0 hidden']);
  expect(modeInStatus(pools)).toEqual([true]);
  await (await pools.lease({ headless: true })).release();
  await (await pools.lease()).release();
  expect(driver.browsers).toHaveLength(3);
});

it('a browser that does not run yet is started in the mode asked for, once', async () => {
  const { driver, pools } = await poolOf({ instances: 1, lazy: true });
  const first = await pools.lease({ headless: false });
  expect(modesOf(driver)).toEqual(['0 window']);
  const second = pools.lease({ headless: false });
  await first.release();
  await (await second).release();
  expect(modesOf(driver)).toEqual(['0 window', '0 hidden', '0 window', '0 hidden']);
});

it('an idle instance of the mode is preferred; one of another mode is relaunched before anyone waits', async () => {
  const { driver, pools } = await poolOf({ instances: 3, instance: { 1: { headless: false } } });
  const leases = [await pools.lease({ headless: false })];
  expect(leases[0]?.instance).toBe('1');
  expect(driver.browsers).toHaveLength(3);
  leases.push(await pools.lease({ headless: false }));
  expect(leases[1]?.instance).toBe('0');
  leases.push(await pools.lease());
  const waiting = pools.lease({ headless: false });
  expect(await stateOf(waiting)).toBe('pending');
  await leases[1]?.release();
  expect((await waiting).instance).toBe('0');
  for (const lease of [...leases, await waiting]) await lease.release();
  expect(modeInStatus(pools)).toEqual([true, false, true]);
});

it('one that cannot run in the mode fails for its caller alone, and serves the next as configured', async () => {
  const { driver, pools } = await poolOf({ instances: 1, autoRestart: false });
  withoutDisplay(driver);
  expect(await errorOf(pools.lease({ headless: false }))).toMatchObject({ message: 'It needs a display.' });
  await (await pools.lease()).release();
  expect(pools.status().summary).toMatchObject({ healthy_instances: 1, available_instances: 1 });
  expect(modeInStatus(pools)).toEqual([true]);
});

it('a caller that leaves while it is relaunched leaves it as configured', async () => {
  const { driver, pools } = await poolOf({ instances: 1 });
  const leaving = new AbortController();
  driver.starting.hold();
  const lease = errorOf(pools.lease({ headless: false, signal: leaving.signal }));
  await settle();
  leaving.abort();
  expect((await lease).code).toBe('CANCELLED');
  driver.starting.release();
  await settle();
  expect(modesOf(driver)).toEqual(['0 hidden', '0 window', '0 hidden']);
  expect(pools.status().summary.available_instances).toBe(1);
});

it('a browser that pwpool does not launch for one holder keeps its mode, and so the lease is refused', async () => {
  const { pools } = await poolOf({ instances: 1, cdpPortBase: 9222 });
  for (const instance of [undefined, '0']) {
    expect(await errorOf(pools.lease({ headless: false, instance }))).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      hint: 'Leave headless out, or name another pool.',
    });
  }
  await (await pools.lease({ headless: true })).release();
});

it('a session keeps its mode over a crash and over parking, and its instances go back to theirs [003-start-03]', async () => {
  const { clock, driver, pools, start } = await sessionsOver(
    { instances: 2, isolated: true },
    { sessionPreempt: 10_000 },
  );
  giveContexts(driver);
  const alice = await start('alice', { headless: false, instance: '0' });
  driver.browser('0').crash();
  await settle();
  expect(modesOf(driver)).toEqual(['0 hidden', '1 hidden', '0 window', '0 hidden']);
  await alice.callTool('browser_snapshot', {});
  await settle();
  expect(alice.info()).toMatchObject({ browser_instance: '0', capabilities: { headless: false } });

  const held = await pools.lease({ instance: '1' });
  await clock.advance(10_000);
  const bob = await start('bob');
  expect(alice.info().status).toBe('parked');
  expect(bob.info()).toMatchObject({ browser_instance: '0', capabilities: { headless: true } });
  await held.release();
  await bob.close(new PwpoolError('SESSION_NOT_FOUND', 'It was closed.'));
  await alice.callTool('browser_snapshot', {});
  expect(alice.info()).toMatchObject({ status: 'active', capabilities: { headless: false } });
});

it('a reload while a holder has another mode holds for the next one', async () => {
  const { pools } = await poolOf({ instances: 1 });
  const lease = await pools.lease({ headless: false });
  const { config } = pools.pool();
  const [first] = config.instances;
  if (!first) throw new Error('The pool has no instance.');
  await pools.pool().reconfigure({ ...config, instances: [{ ...first, alias: 'main' }] });
  expect(modeInStatus(pools)).toEqual([false]);
  await lease.release();
  expect(modeInStatus(pools)).toEqual([true]);
});
