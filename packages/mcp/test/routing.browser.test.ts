import { describe, expect, it } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import { packedPool, pool, poolsOf, StdioServer, titleOf } from './fixtures/stdio-server.js';

const test = onSharedServer({
  ...packedPool('MAIN', 3),
  PW_MCP_PROXY__MAIN__1_RESET: 'lease',
  PW_MCP_PROXY__MAIN__2_RESET: 'never',
  ...pool('SIDE', 1, { IS_DEFAULT: 'false' }),
});

describe('browser_pool and browser_instance', () => {
  it('reach the pool, the number and the alias that they name, and take a lease for the one call [000-target-01, 000-target-02, 000-target-03, 000-target-04, 000-alias-02, 000-key-09, 000-future-01, arch-target-02]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...pool('MAIN', 2),
      ...pool('SIDE', 1, { IS_DEFAULT: 'false' }),
      PW_MCP_PROXY__MAIN__1_ALIAS: 'debug',
      PW_MCP_PROXY__SIDE__0_ALIAS: 'debug',
    });
    const visit = (name: string, target: object) =>
      server.text('browser_navigate', { url: `${site.origin}/page/${name}`, ...target });
    const seen = async (target: object) => titleOf(await server.text('browser_snapshot', { ...target }));

    await visit('main', { browser_instance: '1' });
    await visit('side', { browser_pool: 'SIDE' });
    expect(await seen({ browser_instance: 'debug' })).toBe('main');
    expect(await seen({ browser_pool: 'MAIN', browser_instance: '1' })).toBe('main');
    expect(await seen({ browser_pool: 'SIDE', browser_instance: 'debug' })).toBe('side');
    expect(await seen({ browser_pool: 'SIDE', browser_instance: '0' })).toBe('side');

    const statuses = async () =>
      (await poolsOf(server)).map(({ instances }) => instances.map(({ status }) => status));
    // One that is late with its sign of life is suspect until it gives it.
    await expect.poll(statuses).toEqual([['stopped', 'healthy'], ['healthy']]);
    expect((await poolsOf(server)).map(({ leased_instances }) => leased_instances)).toEqual([0, 0]);
    expect((await server.call('list_sessions')).structuredContent).toMatchObject({ sessions: [] });
  });

  test('left out mean the default pool, whose browser stays up between calls [000-start-02, 002-life-02]', async ({
    server,
  }) => {
    await using site = await startSite();
    const browsers = async () =>
      (await poolsOf(server)).map(({ instances }) => instances[0]?.process_id ?? null);
    const [, before] = await browsers();
    await server.text('browser_navigate', { url: `${site.origin}/page/one` });
    const first = await browsers();
    expect(first).toEqual([expect.any(Number), before]);
    expect((await server.call('list_sessions')).structuredContent).toMatchObject({
      sessions: [{ browser_pool: 'MAIN', browser_instance: '0' }],
    });
    await server.text('browser_navigate', { url: `${site.origin}/page/two` });
    expect(await browsers()).toEqual(first);
  });

  test('of a busy pool delay nobody in another [000-lease-07]', { tags: ['at-length'] }, async ({
    server,
  }) => {
    await using site = await startSite();
    const visit = (name: string, browser_pool: string) =>
      server.text('browser_navigate', { url: `${site.origin}/${name}`, browser_pool });
    const held = visit('held/first', 'SIDE');
    await expect.poll(() => site.requests).toEqual(['/held/first']);
    const waiting = visit('page/second', 'SIDE');
    expect(titleOf(await visit('page/free', 'MAIN'))).toBe('free');
    expect(site.requests).toEqual(['/held/first', '/page/free']);
    site.release();
    await Promise.all([held, waiting]);
    expect(site.requests.at(-1)).toBe('/page/second');
  });

  test('free the instance when the call fails [000-lease-06]', async ({ server }) => {
    await using site = await startSite();
    const target = { browser_pool: 'SIDE' };
    expect(
      await server.error('browser_evaluate', { ...target, function: '() => { throw new Error("no") }' }),
    ).toMatchObject({ code: 'EXECUTION_ERROR' });
    expect((await poolsOf(server))[1]).toMatchObject({ leased_instances: 0, available_instances: 1 });
    const url = `${site.origin}/page/next`;
    expect(titleOf(await server.text('browser_navigate', { ...target, url }))).toBe('next');
  });
});

describe('RESET', () => {
  test('lease: every call begins with a fresh context; never: the next session finds what the last one left [arch-reset-02, arch-reset-03]', {
    tags: ['at-length'],
  }, async ({ server }) => {
    await using site = await startSite();
    const [fresh, kept] = [{ browser_instance: '1' }, { browser_instance: '2' }];
    const url = `${site.origin}/page/shop`;
    const leave = { function: "() => { document.cookie = 'cart=1'; localStorage.setItem('cart', '1'); }" };
    const look = { function: "() => document.cookie + '|' + localStorage.getItem('cart')" };

    await server.text('browser_navigate', { ...fresh, url });
    expect(await server.text('browser_snapshot', fresh)).toContain('about:blank');

    await server.text('start_browser', { sessionId: 'first', ...kept, navigationUrl: url });
    await server.text('browser_evaluate', { sessionId: 'first', ...leave });
    await server.text('close_session', { sessionId: 'first' });
    await server.text('start_browser', { sessionId: 'second', ...kept, navigationUrl: url });
    expect(await server.text('browser_evaluate', { sessionId: 'second', ...look })).toContain('"cart=1|1"');
  });
});
