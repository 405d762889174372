import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import type { BrowserPools } from '../../src/pool/browser-pools.js';
import { Emitter } from '../../src/pool/emitter.js';
import type { PoolEvents } from '../../src/pool/pool-events.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf } from './pool-fixture.js';

const QUIET = { instances: 1, healthInterval: 86_400_000 };
const NOT_READY = new PwpoolError('BROWSER_NOT_READY', 'It does not start.');
const FIRST = { pool: 'WEB', instance: '0' };

/** Every event of that name from now on. */
function record<Name extends keyof PoolEvents>(pools: BrowserPools, name: Name): PoolEvents[Name][] {
  const seen: PoolEvents[Name][] = [];
  pools.on(name, (event) => seen.push(event));
  return seen;
}

describe('the events of leases', () => {
  it('lease-granted tells who waited how long for what, and lease-ended how long it was held', async () => {
    const { clock, pools } = await poolOf(QUIET);
    const [granted, ended] = [record(pools, 'lease-granted'), record(pools, 'lease-ended')];
    const first = await pools.lease({ holder: 'session alice' });
    const waiting = pools.lease({ holder: 'script run' });
    await clock.advance(1_500);
    await first.release();
    const second = await waiting;
    const alice = { ...FIRST, lease: first.id, holder: 'session alice' };
    expect(granted).toEqual([
      { ...alice, waitedMs: 0 },
      { ...FIRST, lease: second.id, holder: 'script run', waitedMs: 1_500 },
    ]);
    expect(ended).toEqual([{ ...alice, heldMs: 1_500, error: undefined }]);
  });

  it('lease-ended tells what took the lease back, once', async () => {
    const { driver, pools } = await poolOf(QUIET);
    const ended = record(pools, 'lease-ended');
    const lease = await pools.lease();
    driver.browser('0').crash();
    await lease.release();
    expect(ended).toEqual([
      { ...lease.about, heldMs: 0, error: expect.objectContaining({ code: 'INSTANCE_CRASHED' }) },
    ]);
  });

  it('lease-refused tells of each caller who got nothing, and why', async () => {
    const { clock, pools } = await poolOf({ ...QUIET, queueLimit: 2 });
    const refused = record(pools, 'lease-refused');
    await pools.lease();
    const controller = new AbortController();
    const waits = [
      errorOf(pools.lease({ holder: 'slow', timeoutMs: 1_000 })),
      errorOf(pools.lease({ holder: 'gone', signal: controller.signal })),
    ];
    await errorOf(pools.lease({ holder: 'late' }));
    controller.abort();
    await clock.advance(1_000);
    await Promise.all(waits);
    await errorOf(pools.lease({ holder: 'lost', instance: '7' }));
    void pools.pool().drain();
    await errorOf(pools.lease({ holder: 'drained' }));
    expect(
      refused.map(({ holder, waitedMs, error }) => [holder, waitedMs, (error as PwpoolError).code]),
    ).toEqual([
      ['late', 0, 'POOL_BUSY'],
      ['gone', 0, 'CANCELLED'],
      ['slow', 1_000, 'LEASE_TIMEOUT'],
      ['lost', 0, 'INSTANCE_NOT_FOUND'],
      ['drained', 0, 'BROWSER_NOT_READY'],
    ]);
  });

  it('lease-refused also tells of a browser that did not start', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, lazy: true });
    const [granted, refused] = [record(pools, 'lease-granted'), record(pools, 'lease-refused')];
    driver.starting.fail(NOT_READY);
    await errorOf(pools.lease());
    expect(granted).toEqual([]);
    expect(refused).toEqual([{ pool: 'WEB', holder: 'library', waitedMs: 0, error: NOT_READY }]);
  });
});

describe('the events of instances', () => {
  it('instance-state tells every step, instance-started how long it took', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, lazy: true });
    const [states, started] = [record(pools, 'instance-state'), record(pools, 'instance-started')];
    driver.starting.hold();
    const lease = pools.lease();
    await clock.advance(700);
    driver.starting.release();
    await (await lease).release();
    await pools.pool().drain();
    expect(states.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'stopped starting',
      'starting healthy',
      'healthy draining',
      'draining stopped',
    ]);
    expect(states[0]).toEqual({ ...FIRST, from: 'stopped', to: 'starting' });
    expect(started).toEqual([{ ...FIRST, elapsedMs: 700 }]);
  });

  it('instance-started counts from the turn, and a start that never had its turn is no start', async () => {
    const { clock, driver, pools } = await poolOf({
      ...QUIET,
      instances: 3,
      lazy: true,
      startConcurrency: 1,
    });
    const [started, failed] = [record(pools, 'instance-started'), record(pools, 'instance-start-failed')];
    driver.starting.hold();
    const leases = [pools.lease(), pools.lease(), errorOf(pools.lease({ instance: '2' }))];
    await clock.advance(1_000);
    await pools.pool().drain({ instance: '2' });
    driver.starting.releaseNext();
    await clock.advance(500);
    driver.starting.releaseNext();
    await Promise.all(leases);
    expect(started.map(({ elapsedMs }) => elapsedMs)).toEqual([1_000, 500]);
    expect(failed).toEqual([]);
  });

  it('a crash: instance-lost, then instance-restarting', async () => {
    const { clock, driver, pools } = await poolOf(QUIET);
    const [lost, restarting] = [record(pools, 'instance-lost'), record(pools, 'instance-restarting')];
    driver.browser('0').crash('Out of memory.');
    await settle();
    driver.browser('0').crash('Again.');
    await clock.advance(500);
    expect(lost).toEqual([
      { ...FIRST, cause: 'crash', reason: 'Out of memory.' },
      { ...FIRST, cause: 'crash', reason: 'Again.' },
    ]);
    expect(restarting).toEqual([
      { ...FIRST, delayMs: 0 },
      { ...FIRST, delayMs: 500 },
    ]);
  });

  it('starts that fail: instance-start-failed each time, instance-given-up once', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, maxRestarts: 1 });
    const [failed, givenUp] = [record(pools, 'instance-start-failed'), record(pools, 'instance-given-up')];
    driver.starting.fail(NOT_READY);
    driver.browser('0').crash();
    await clock.advance(600_000);
    expect(failed).toEqual([{ ...FIRST, elapsedMs: 0, error: NOT_READY }]);
    expect(givenUp).toEqual([{ ...FIRST, reason: 'It does not start.' }]);
  });

  it('instance-lost tells why a browser was given up', async () => {
    const { clock, driver, pools } = await poolOf({ ...QUIET, lazy: true, healthInterval: 1_000 });
    const lost = record(pools, 'instance-lost');
    driver.starting.fail(NOT_READY);
    await errorOf(pools.lease());
    driver.starting.succeed();
    await (await pools.lease({ keep: true })).release();
    driver.browser('0').resetting.fail(new Error('No new context.'));
    await expect(pools.lease()).rejects.toThrow('No new context.');
    await clock.advance(500);
    await (await pools.lease()).release();
    driver.browser('0').pinging.fail(new Error('No answer.'));
    await clock.advance(2_000);
    expect(lost).toEqual([
      { ...FIRST, cause: 'reset', reason: 'No new context.' },
      { ...FIRST, cause: 'unresponsive', reason: 'No answer.' },
    ]);
  });

  it('tool-called tells of each call, how long it took and how it failed', async () => {
    const { clock, driver, pools } = await poolOf(QUIET);
    const calls = record(pools, 'tool-called');
    const lease = await pools.lease();
    driver.browser('0').calling.hold();
    const call = lease.callTool('browser_click');
    await clock.advance(250);
    driver.browser('0').calling.release();
    await call;
    const broken = new Error('The tool broke.');
    driver.browser('0').calling.fail(broken);
    await lease.callTool('browser_snapshot').catch(() => {});
    expect(calls).toEqual([
      { ...FIRST, tool: 'browser_click', elapsedMs: 250, error: undefined, isError: false },
      { ...FIRST, tool: 'browser_snapshot', elapsedMs: 0, error: broken, isError: false },
    ]);
  });

  it('a clean close is no loss', async () => {
    const { pools } = await poolOf(QUIET);
    const [lost, restarting] = [record(pools, 'instance-lost'), record(pools, 'instance-restarting')];
    await pools.lease();
    await pools.close();
    expect([lost, restarting]).toEqual([[], []]);
  });
});

describe('a listener', () => {
  it('that throws is told as a warning, and disturbs neither the others nor the pool', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const { driver, pools } = await poolOf(QUIET);
    pools.on('lease-granted', () => {
      throw new Error('The listener broke.');
    });
    pools.on('instance-lost', () => {
      throw new Error('The listener broke.');
    });
    const granted = record(pools, 'lease-granted');
    const lease = await pools.lease();
    driver.browser('0').crash();
    await lease.release();
    await pools.lease();
    expect(granted).toHaveLength(2);
    expect(warn).toHaveBeenCalledTimes(3);
    expect(String(warn.mock.calls[0]?.[0])).toContain('The listener broke.');
  });

  it('that unsubscribes hears nothing more; doing so again changes nothing', async () => {
    const { pools } = await poolOf(QUIET);
    const seen: unknown[] = [];
    const listen = (event: unknown) => seen.push(event);
    const [first, second] = [pools.on('lease-granted', listen), pools.on('lease-granted', listen)];
    await (await pools.lease()).release();
    first();
    first();
    await (await pools.lease()).release();
    second();
    await (await pools.lease()).release();
    expect(seen).toHaveLength(3);
  });

  it('that is added or removed while an event is told changes the next one only', () => {
    const emitter = new Emitter<{ tick: number }>();
    const seen: string[] = [];
    const stop = emitter.on('tick', (tick) => {
      seen.push(`first ${tick}`);
      stop();
      emitter.on('tick', (later) => seen.push(`added ${later}`));
    });
    emitter.on('tick', (tick) => seen.push(`second ${tick}`));
    emitter.emit('tick', () => 1);
    emitter.emit('tick', () => 2);
    expect(seen).toEqual(['first 1', 'second 1', 'second 2', 'added 2']);
  });

  it('is what an event is made for: without one there is none', () => {
    const emitter = new Emitter<{ tick: number }>();
    const make = vi.fn(() => 1);
    emitter.emit('tick', make);
    emitter.on('tick', () => {})();
    emitter.emit('tick', make);
    expect(make).not.toHaveBeenCalled();
  });

  it('may use the pools from within', async () => {
    const { driver, pools } = await poolOf({ ...QUIET, instances: 2 });
    const other: Promise<unknown>[] = [];
    pools.on('instance-lost', () => void other.push(pools.lease()));
    await pools.lease({ instance: '0' });
    driver.browser('0').crash();
    expect(await other[0]).toMatchObject({ instance: '1' });
  });

  it('that closes the pools leaves no timer behind', async () => {
    const { driver, pools } = await poolOf(QUIET);
    driver.browser('0').crash();
    await settle();
    pools.on('instance-restarting', () => void pools.close());
    driver.browser('0').crash();
    await settle();
    expect(driver.starting.count).toBe(2);
  });
});
