import { join } from 'node:path';
import { type ConfigInput, resolveConfig } from '@pwpool/core';
import { askStatus, systemClock } from '@pwpool/core/internal';
import { FakeClock, FakeDriver, settle } from '@pwpool/core/testing';
import { PoolServer } from '@pwpool/mcp/internal';
import { expect, onTestFinished, test } from 'vitest';
import { describeServer, isDegraded } from '../src/status-view.js';
import { Workplace } from './command.js';
import { checkedStatus } from './status-schema.js';

const QUIET = { isDefault: true, isolated: true, healthInterval: 86_400_000 };

/** A server on fake browsers, and what `pwpool status` shows of it; what it prints as JSON is as its schema says. */
async function shownServer(input: ConfigInput) {
  const [clock, driver, workplace] = [new FakeClock(), new FakeDriver(), await Workplace.make()];
  const env = { PWPOOL_RUNTIME_DIR: join(workplace.path, 'run') };
  const parts = { clock, driver, random: () => 1 };
  const server = await PoolServer.start(resolveConfig(input), { log: () => {}, parts, env });
  onTestFinished(async () => {
    driver.releaseAll();
    await server[Symbol.asyncDispose]();
  });
  await settle();
  const look = async (width = Number.POSITIVE_INFINITY) => {
    const [report] = await askStatus({ timeoutMs: 20_000, clock: systemClock, env });
    if (!report) throw new Error('The server runs.');
    for (const more of [[], ['--all']]) {
      const printed = await workplace.runHere(['status', '--json', ...more]);
      expect(checkedStatus(printed.stdout)).toMatchObject({ servers: [{ pid: process.pid, error: null }] });
    }
    const text = describeServer(report, { now: clock.now(), width, paint: (shown) => shown });
    const row = (first: string) =>
      text
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/))
        .find(([cell]) => cell === first) ?? [];
    return { text, row, degraded: isDegraded(report) };
  };
  return { server, pools: server.pools, clock, driver, look };
}

test('every state of an instance is seen: starting, healthy, leased, stopped, draining, failed, and why [arch-operate-05]', async () => {
  const { pools, driver, look } = await shownServer({
    pools: { WEB: { ...QUIET, instances: 4, maxRestarts: 0 } },
  });
  expect((await look()).row('0').slice(1, 3)).toEqual(['healthy', '-']);
  expect((await look()).degraded).toBe(false);

  const lease = await pools.lease({ instance: '0', holder: 'script run' });
  expect((await look()).row('0').slice(1, 3)).toEqual(['healthy', 'script run']);
  const drained = pools.pool().drain({ instance: '0' });
  expect((await look()).row('0').slice(1, 3)).toEqual(['draining', 'script run']);
  await lease.release();
  await drained;
  const stopped = await look();
  expect(stopped.row('0').slice(1, 3)).toEqual(['stopped', '-']);
  expect(stopped.text).toContain('Instance 0: out of service: drained');

  driver.browser('1').crash('The browser ended.');
  await settle();
  const failed = await look();
  expect(failed.row('1')[1]).toBe('failed');
  expect(failed.text).toContain('Instance 1: The browser ended.');
  expect(failed.degraded).toBe(true);

  driver.starting.hold();
  const restarted = pools.pool().restart({ instance: '1' });
  await settle();
  expect((await look()).row('1')[1]).toBe('starting');
  driver.starting.release();
  await restarted;
  const back = await look();
  // Restarts and the last error stay.
  expect(back.row('1').slice(1, 7)).toEqual(['healthy', '-', '-', '-', '0', '1']);
  expect(back.text).toMatch(/Instance 1: last error, \d+s ago: The browser ended\./);
});

test('an instance whose browser is replaced, or started again after a crash, says so [arch-operate-05]', async () => {
  const { pools, driver, clock, look } = await shownServer({ pools: { WEB: { ...QUIET, instances: 2 } } });
  driver.starting.hold();
  const restarted = pools.pool().restart({ instance: '0' });
  await settle();
  const replaced = await look();
  expect(replaced.row('0')[1]).toBe('starting');
  expect(replaced.text).toContain('Instance 0: being restarted for 0 s');
  driver.starting.release();
  await restarted;

  driver.starting.hold();
  driver.browser('1').crash('The browser ended.');
  await settle();
  const again = await look();
  expect(again.row('1')[1]).toBe('starting');
  expect(again.text).toContain('Instance 1: The browser ended.');
  driver.starting.fail(new Error('No room.'));
  driver.starting.release();
  await settle();
  const failed = await look();
  expect(failed.row('1')[1]).toBe('failed');
  expect(failed.text).toContain('Instance 1: No room.');
  driver.starting.succeed();
  await clock.advance(60_000);
  const back = await look();
  expect(back.row('1').slice(1, 7)).toEqual(['healthy', '-', '-', '-', '0', '1']);
  expect(back.text).toMatch(/Instance 1: last error, \d+[ms].* ago: No room\./);
});

test('a browser that does not answer is suspect [arch-operate-05]', async () => {
  const { pools, driver, clock, look } = await shownServer({ pools: { WEB: { ...QUIET, instances: 1 } } });
  driver.browser('0').pinging.fail(new Error('No answer.'));
  await clock.advance(2_000);
  await pools.checkedStatus();
  const shown = await look();
  expect(shown.row('0')[1]).toBe('suspect');
  expect(shown.degraded).toBe(true);
});

test('sessions are seen that are active, crashed or had their browser taken, and who waits [arch-operate-05]', async () => {
  const { server, pools, driver, clock, look } = await shownServer({
    sessionPreempt: 0,
    pools: { WEB: { ...QUIET, instances: 2, leaseTimeout: 600_000 } },
  });
  const { sessions } = server;
  await sessions.start({ client: 'window', sessionId: 'alice', instance: '0' });
  await sessions.start({ client: 'window', sessionId: 'bob', instance: '1' });
  expect((await look()).row('alice').slice(0, 5)).toEqual(['alice', 'window', 'active', 'WEB', '0']);
  expect((await look()).row('0')[2]).toBe('alice (window)');

  driver.browser('0').crash();
  await settle();
  expect((await look()).row('alice').slice(2, 5)).toEqual(['crashed', 'WEB', '-']);

  const restarted = pools.pool().restart({ instance: '1', timeoutMs: 1 });
  await clock.advance(1);
  await restarted;
  expect((await look()).row('bob').slice(2, 5)).toEqual(['revoked', 'WEB', '-']);

  const held = [await pools.lease({ holder: 'call one' }), await pools.lease({ holder: 'call two' })];
  const waiting = pools.lease({ holder: 'session carol' });
  await clock.advance(3_000);
  expect((await look()).text).toMatch(/Waiting\n.*\n +session carol +WEB +any +3s, since /);
  for (const lease of held) await lease.release();
  await (await waiting).release();
});

test.each([60, 80, 100, 140, 200])('a terminal of %i columns is not overrun', async (width) => {
  const { server, look } = await shownServer({
    pools: { WEB: { ...QUIET, instances: 2, instance: { 0: { alias: 'the-one-with-a-long-alias' } } } },
  });
  await server.sessions.start({
    client: 'a-client-with-a-rather-long-name',
    sessionId: 'x'.repeat(60),
    instance: '0',
  });
  const { text } = await look(width);
  const tables = text.split('\n').filter((line) => line.startsWith('    ') && !line.includes('Instance 0:'));
  expect(tables.length).toBeGreaterThan(4);
  for (const line of tables) expect(line.length).toBeLessThanOrEqual(width);
});
