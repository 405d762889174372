import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { BrowserPools, type ConfigInput, PlaywrightToolset, SessionManager, SiteLimits } from '@pwpool/core';
import { FakeClock, FakeDriver } from '@pwpool/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectInMemory } from './fixtures/memory-client.js';
import { errorOf } from './fixtures/stdio-server.js';

/** A server in memory with fake browsers, on a clock that stands still. Its times are exact. */
async function startFake(instances: number, settings: ConfigInput = {}) {
  const clock = new FakeClock();
  const driver = new FakeDriver();
  const pools = await BrowserPools.create(
    {
      affinity: 'call',
      ...settings,
      pools: { DEFAULT: { instances, isDefault: true, lazy: true, isolated: true } },
    },
    { clock, driver },
  );
  const sites = new SiteLimits(
    [{ name: 'shop', hosts: ['shop.example'], minIntervalMs: 10_000, concurrency: 1 }],
    { clock },
  );
  const sessions = new SessionManager(pools);
  const toolset = await PlaywrightToolset.load({ allowUnsafeCode: false });
  const client = await connectInMemory('test', { pools, sessions, toolset, sites });
  onTestFinished(async () => {
    await client.close();
    await sessions[Symbol.asyncDispose]();
    await pools.close();
    expect(clock.pendingTimers).toBe(0);
  });
  const startedAt = clock.now();
  /** `address at seconds since the beginning` of each navigation that reached a browser. */
  const reached: string[] = [];
  driver.answer = ({ tool, args }) => {
    reached.push(`${args['url'] ?? tool} at ${(clock.now() - startedAt) / 1000}`);
    return { content: [{ type: 'text', text: tool }] };
  };
  const call = async (name: string, args: Record<string, unknown> = {}, signal?: AbortSignal) =>
    (await client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {})) as CallToolResult;
  return { clock, driver, pools, reached, call };
}

const leased = (pools: BrowserPools) => pools.status().summary.leased_instances;

describe('one-shot navigations', () => {
  it('start min_interval apart, and hold no browser while they wait [004-site-01, 004-site-03]', async () => {
    const { clock, pools, reached, call } = await startFake(1);
    await call('browser_navigate', { url: 'https://shop.example/1' });
    const waiting = ['2', '3'].map((name) => call('browser_navigate', { url: `www.shop.example/${name}` }));
    await call('browser_navigate', { url: 'https://other.example/' });
    expect(leased(pools)).toBe(0);
    await clock.advance(9_999);
    expect(reached).toEqual(['https://shop.example/1 at 0', 'https://other.example/ at 0']);
    await clock.advance(1);
    await waiting[0];
    await clock.advance(10_000);
    await waiting[1];
    expect(reached.slice(2)).toEqual(['www.shop.example/2 at 10', 'www.shop.example/3 at 20']);
  });

  it('that wait for a browser do not keep its session from the site', async () => {
    const { clock, pools, reached, call } = await startFake(1);
    await call('start_browser', { sessionId: 'ann' });
    const waiting = call('browser_navigate', { browser_pool: 'DEFAULT', url: 'https://shop.example/once' });
    await call('browser_navigate', { sessionId: 'ann', url: 'https://shop.example/ann' });
    await call('close_session', { sessionId: 'ann' });
    // It has the browser now, and waits for its turn with it.
    await expect.poll(() => leased(pools)).toBe(1);
    await clock.advance(10_000);
    await waiting;
    expect(reached).toEqual(['https://shop.example/ann at 0', 'https://shop.example/once at 10']);
    expect(leased(pools)).toBe(0);
  });

  it('that lose their browser while they wait are told at once, and the turn goes to the next', async () => {
    const { clock, driver, pools, reached, call } = await startFake(1);
    await call('start_browser', { sessionId: 'ann' });
    const waiting = call('browser_navigate', { browser_pool: 'DEFAULT', url: 'https://shop.example/lost' });
    await call('browser_navigate', { sessionId: 'ann', url: 'https://shop.example/ann' });
    await call('close_session', { sessionId: 'ann' });
    await expect.poll(() => leased(pools)).toBe(1);
    driver.browser('0').crash();
    expect(errorOf(await waiting)).toMatchObject({ code: 'INSTANCE_CRASHED' });
    const next = call('browser_navigate', { browser_pool: 'DEFAULT', url: 'https://shop.example/next' });
    await clock.advance(10_000);
    await next;
    expect(reached.map((each) => each.split(' at ')[0])).toEqual([
      'https://shop.example/ann',
      'https://shop.example/next',
    ]);
  });
});

describe('calls of one session', () => {
  it('keep it in use while they wait for its site, and end with it', async () => {
    const { clock, pools, reached, call } = await startFake(1, { sessionIdleTimeout: 5_000 });
    await call('start_browser', { sessionId: 'ann', navigationUrl: 'https://shop.example/1' });
    const waiting = call('browser_navigate', { sessionId: 'ann', url: 'https://shop.example/2' });
    await clock.advance(10_000);
    expect((await waiting).isError).toBeFalsy();
    expect(reached.at(-1)).toBe('https://shop.example/2 at 10');

    const last = call('browser_navigate', { sessionId: 'ann', url: 'https://shop.example/3' });
    await call('list_sessions');
    await call('close_session', { sessionId: 'ann' });
    expect(errorOf(await last)).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(leased(pools)).toBe(0);
  });

  it('keep their order while one of them waits for its site; one that its caller gives up is left out', async () => {
    const { clock, driver, reached, call } = await startFake(2);
    await call('start_browser', { sessionId: 'ann', navigationUrl: 'https://shop.example/1' });
    await call('start_browser', { sessionId: 'bob' });
    const leaving = new AbortController();
    const left = call(
      'browser_navigate',
      { sessionId: 'ann', url: 'https://shop.example/left' },
      leaving.signal,
    );
    const calls = [
      call('browser_navigate', { sessionId: 'ann', url: 'https://shop.example/2' }),
      call('browser_snapshot', { sessionId: 'ann' }),
    ];
    await call('browser_snapshot', { sessionId: 'bob' });
    expect(driver.calls.map(({ tool }) => tool)).toEqual(['browser_navigate', 'browser_snapshot']);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await clock.advance(10_000);
    await Promise.all(calls);
    expect(reached).toEqual([
      'https://shop.example/1 at 0',
      'browser_snapshot at 0',
      'https://shop.example/2 at 10',
      'browser_snapshot at 10',
    ]);
  });
});
