import { describe, expect, it } from 'vitest';
import { aliases, errorOf, poolOf, poolsOf, stateOf } from './pool-fixture.js';

describe('lease behaviour', () => {
  it('browser_instance="0", instance 0 busy: blocks until it is available [000-lease-01]', async () => {
    const { pools } = await poolOf({ instances: 2 });
    const held = await pools.lease({ instance: '0' });
    const waiting = pools.lease({ instance: '0' });
    expect(await stateOf(waiting)).toBe('pending');
    await held.release();
    expect((await waiting).instance).toBe('0');
  });

  it('browser_instance="main_browser", the aliased instance busy: blocks until it is available [000-lease-02, 000-key-09]', async () => {
    const { pools } = await poolOf({ instances: 3, instance: { 2: { alias: 'main_browser' } } });
    const held = await pools.lease({ instance: '2' });
    const waiting = pools.lease({ instance: 'main_browser' });
    expect(await stateOf(waiting)).toBe('pending');
    await held.release();
    expect((await waiting).instance).toBe('2');
  });

  it('no instance named, all busy: blocks until any is available [000-lease-03]', async () => {
    const { pools } = await poolOf({ instances: 2 });
    await pools.lease();
    const second = await pools.lease();
    const waiting = pools.lease();
    expect(await stateOf(waiting)).toBe('pending');
    await second.release();
    expect((await waiting).instance).toBe(second.instance);
  });

  it('no instance named, 1 and 3 idle: the one returned earliest [000-lease-04]', async () => {
    const { pools } = await poolOf({ instances: 4 });
    const leases = await Promise.all(['0', '1', '2', '3'].map((instance) => pools.lease({ instance })));
    await leases[3]?.release();
    await leases[1]?.release();
    expect((await pools.lease()).instance).toBe('3');
    expect((await pools.lease()).instance).toBe('1');
  });

  it('invalid browser_instance: an error at once, with the valid names [000-lease-05, 000-runtime-03, 000-alias-03]', async () => {
    const { pools } = await poolOf({ instances: 2, instance: aliases('main') });
    const error = await errorOf(pools.lease({ instance: '7' }));
    expect(error.code).toBe('INSTANCE_NOT_FOUND');
    expect(error.message).toBe("Instance '7' not found in pool 'WEB'.");
    expect(error.hint).toBe('Use one of: 0, main, 1.');
    expect(error.details).toEqual({ pool: 'WEB', instance: '7', valid: ['0', 'main', '1'] });
    expect((await errorOf(pools.lease({ instance: 'Main' }))).code).toBe('INSTANCE_NOT_FOUND');
  });

  it('an exception during tool execution: the lease is released [000-lease-06]', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    driver.browser('0').calling.fail(new Error('The tool broke.'));
    const use = async () => {
      await using lease = await pools.lease();
      await lease.callTool('browser_click');
    };
    await expect(use()).rejects.toThrow('The tool broke.');
    expect(await stateOf(pools.lease())).toBe('resolved');
  });
});

describe('an alias', () => {
  it('is another name for the same instance, which is never leased twice [arch-lease-01, 000-key-09]', async () => {
    const { driver, pools } = await poolOf({ instances: 2, instance: aliases('main') });
    const byAlias = await pools.lease({ instance: 'main' });
    const byId = pools.lease({ instance: '0' });
    const any = await pools.lease();
    expect(any.instance).toBe('1');
    expect(await stateOf(byId)).toBe('pending');
    await byAlias.callTool('browser_click');
    expect(driver.calls).toMatchObject([{ instance: '0' }]);
    await byAlias.release();
    expect((await byId).instance).toBe('0');
  });
});

describe('a pool name', () => {
  const two = { WEB: { instances: 1, isDefault: true }, SCRAPE: { instances: 1 } };

  it('left out is the default pool [000-start-02, 000-key-02]', async () => {
    const { pools } = await poolsOf(two);
    expect((await pools.lease()).pool).toBe('WEB');
    expect((await pools.lease({ pool: 'SCRAPE' })).pool).toBe('SCRAPE');
  });

  it('names a queue of its own: a busy pool delays nobody in another [000-lease-07]', async () => {
    const { pools } = await poolsOf(two);
    await pools.lease();
    const waiting = pools.lease();
    expect(await stateOf(pools.lease({ pool: 'SCRAPE' }))).toBe('resolved');
    expect(await stateOf(waiting)).toBe('pending');
  });

  it('that does not exist is an error at once, with the valid names [000-validation-06, 000-status-02]', async () => {
    const { pools } = await poolsOf(two);
    for (const ask of [() => pools.lease({ pool: 'web' }), async () => pools.status('web')]) {
      const error = await errorOf(ask());
      expect(error.code).toBe('POOL_NOT_FOUND');
      expect(error.message).toContain("'web'");
      expect(error.hint).toBe('Use one of: WEB, SCRAPE.');
      expect(error.details).toEqual({ pool: 'web', valid: ['WEB', 'SCRAPE'] });
    }
  });
});

describe('LEASE_TIMEOUT', () => {
  it('tells the pool, the counts, and who holds what since when [000-runtime-04, arch-lease-04]', async () => {
    const { clock, pools } = await poolOf({ instances: 2, leaseTimeout: 10_000 });
    await pools.lease({ holder: 'session alice' });
    await clock.advance(1_500);
    await pools.lease({ holder: 'script run' });
    const waiting = errorOf(pools.lease());
    void pools.lease({ timeoutMs: 90_000 }).catch(() => {});
    await clock.advance(10_000);

    const error = await waiting;
    expect(error.code).toBe('LEASE_TIMEOUT');
    expect(error.retryable).toBe(true);
    expect(error.message).toBe(
      "Waited 10000 ms for an instance of pool 'WEB': 2 leased, 0 idle, 0 out of circulation, 1 more waiting. " +
        'Held: instance 0 by session alice for 11500 ms; instance 1 by script run for 10000 ms.',
    );
    expect(error.hint).toContain('LEASE_TIMEOUT');
    expect(error.details).toMatchObject({
      pool: 'WEB',
      waitedMs: 10_000,
      counts: { leased: 2, idle: 0, reserved: 0, waiting: 1 },
      holders: [
        { instance: '0', holder: 'session alice', since: '2026-01-02T10:15:30.000Z', heldMs: 11_500 },
        { instance: '1', holder: 'script run', since: '2026-01-02T10:15:31.500Z', heldMs: 10_000 },
      ],
    });
  });

  it('names the instance that was waited for, and the last failure [arch-lease-04]', async () => {
    const { clock, driver, pools } = await poolOf({ instances: 2, leaseTimeout: 5_000, autoRestart: false });
    await pools.lease({ instance: '0' });
    driver.browser('1').crash('Out of memory.');
    const waiting = errorOf(pools.lease({ instance: '0' }));
    await clock.advance(5_000);
    const error = await waiting;
    expect(error.message).toContain("for instance '0' of pool 'WEB'");
    expect(error.message).toContain('1 out of circulation');
    expect(error.message).toContain('Last failure: Out of memory.');
  });

  it('may be set for one lease', async () => {
    const { clock, pools } = await poolOf({ instances: 1 });
    await pools.lease();
    const waiting = errorOf(pools.lease({ timeoutMs: 50 }));
    await clock.advance(50);
    expect((await waiting).code).toBe('LEASE_TIMEOUT');
  });
});

describe('a caller in line', () => {
  it('leaves with its signal, and the next is served [arch-lease-03, arch-error-07]', async () => {
    const { pools } = await poolOf({ instances: 1 });
    const held = await pools.lease();
    const controller = new AbortController();
    const first = pools.lease({ signal: controller.signal });
    const second = pools.lease();
    controller.abort();
    expect(await stateOf(first)).toBe('CANCELLED');
    await held.release();
    expect(await stateOf(second)).toBe('resolved');
  });
});

describe('release', () => {
  it('is idempotent: a second one does not free the next holder [arch-lease-05]', async () => {
    const { pools } = await poolOf({ instances: 1 });
    const first = await pools.lease();
    await first.release();
    const second = await pools.lease();
    await first.release();
    await first[Symbol.asyncDispose]();
    const third = pools.lease();
    expect(await stateOf(third)).toBe('pending');
    await second.callTool('browser_click');
    await second.release();
    await third;
  });

  it('ends the lease: later use is refused [arch-lease-06]', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    const lease = await pools.lease();
    await lease.release();
    const error = await errorOf(lease.callTool('browser_click'));
    expect(error.code).toBe('LEASE_REVOKED');
    expect(error.message).toBe("The lease of instance '0' of pool 'WEB' was released.");
    expect(() => lease.context()).toThrow('was released');
    expect(driver.calls).toEqual([]);
  });

  it('ends a call that still runs, before the next holder gets the browser', async () => {
    const { driver, pools } = await poolOf({ instances: 1 });
    const browser = driver.browser('0');
    const first = await pools.lease();
    browser.calling.hold();
    browser.unblocking.hold();
    const call = errorOf(first.callTool('browser_navigate'));
    const released = first.release();
    const next = pools.lease();
    expect(await stateOf(next)).toBe('pending');
    // What mends the pages after the old call must not come upon the pages of the next holder.
    browser.unblocking.release();
    expect((await call).code).toBe('LEASE_REVOKED');
    await released;
    await next;
    expect(browser.unblocking.count).toBe(1);
  });
});

describe('a lease', () => {
  it('tells where and what it is', async () => {
    const { clock, pools } = await poolOf({ instances: 1, browser: 'firefox' });
    await clock.advance(1_000);
    const lease = await pools.lease({ holder: 'script run' });
    expect(lease).toMatchObject({ pool: 'WEB', instance: '0', holder: 'script run', startedAt: clock.now() });
    expect(lease.config.settings.browser).toBe('firefox');
  });

  it('of a browser without Playwright objects says so', async () => {
    const { pools } = await poolOf({ instances: 1 });
    const lease = await pools.lease();
    expect(() => lease.context()).toThrow('gives no Playwright objects');
    expect((await errorOf(lease.page())).code).toBe('BROWSER_NOT_READY');
    expect(lease.pageUrl()).toBeUndefined();
  });
});
