import { BrowserPools, PlaywrightToolset, SessionManager } from '@pwpool/core';
import { FakeClock, FakeDriver } from '@pwpool/core/testing';
import { expect, it } from 'vitest';
import { connectInMemory } from './fixtures/memory-client.js';

it('the session that a client was given ends when it leaves, and another client gets the instance [arch-target-05]', async () => {
  const driver = new FakeDriver();
  await using pools = await BrowserPools.create(
    { pools: { DEFAULT: { instances: 1, isDefault: true, lazy: true } } },
    { driver, clock: new FakeClock() },
  );
  const sessions = new SessionManager(pools);
  const toolset = await PlaywrightToolset.load({ allowUnsafeCode: false });
  const parts = { pools, sessions, toolset };
  const [first, second] = [await connectInMemory('first', parts), await connectInMemory('second', parts)];
  await first.callTool({ name: 'browser_snapshot', arguments: {} });
  const waiting = second.callTool({ name: 'browser_snapshot', arguments: {} });
  await second.listTools();
  expect(driver.calls).toHaveLength(1);

  await sessions.closeClient('first');
  expect(await waiting).toMatchObject({ _meta: { sessionType: 'browser' } });
  expect(pools.status().summary).toMatchObject({ leased_instances: 1 });
  await sessions.closeClient('second');
  expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 1 });
  await Promise.all([first.close(), second.close()]);
});
