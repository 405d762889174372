import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSite } from '../fixtures/site.js';
import {
  errorOf,
  pool,
  processesIn,
  StdioServer,
  temporaryDirectory,
  textOf,
  titleOf,
} from '../fixtures/stdio-server.js';

async function browserProcess(server: StdioServer, instance = 0): Promise<number> {
  const status = (await server.call('browser_pool_status')).structuredContent as {
    pools: { instances: { process_id: number }[] }[];
  };
  const id = status.pools[0]?.instances[instance]?.process_id;
  if (typeof id !== 'number') throw new Error('The instance has no browser.');
  return id;
}

describe('a browser that dies', () => {
  it('answers the call in flight at once, tells the session’s loss once, and serves the next session [000-runtime-01]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...pool('DEFAULT', 1),
      PW_MCP_PROXY_SESSION_RESTORE: 'false',
    });
    await server.text('start_browser', { sessionId: 'alice', navigationUrl: `${site.origin}/page/alice` });
    const call = server.call('browser_navigate', { sessionId: 'alice', url: `${site.origin}/hang` });
    await expect.poll(() => site.requests).toContain('/hang');
    process.kill(await browserProcess(server), 'SIGKILL');
    expect(errorOf(await call)).toMatchObject({ code: 'INSTANCE_CRASHED', hint: expect.any(String) });
    expect(await server.error('browser_snapshot', { sessionId: 'alice' })).toMatchObject({
      code: 'SESSION_EXPIRED',
      message: expect.stringContaining('ended unexpectedly'),
    });
    await server.text('start_browser', { sessionId: 'alice', navigationUrl: `${site.origin}/page/again` });
    expect(titleOf(await server.text('browser_snapshot', { sessionId: 'alice' }))).toBe('again');
  });

  it('while idle: the next call says that the session is lost, without a command line, and never lands on a blank page [000-runtime-02]', {
    tags: ['at-length'],
  }, async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({
      ...pool('DEFAULT', 1),
      PW_MCP_PROXY_SESSION_RESTORE: 'false',
    });
    await server.text('browser_navigate', { url: `${site.origin}/page/mine` });
    process.kill(await browserProcess(server), 'SIGKILL');
    await expect
      .poll(async () => (await server.call('browser_pool_status')).structuredContent)
      .toMatchObject({
        summary: { leased_instances: 0 },
      });
    const lost = await server.call('browser_snapshot');
    expect(errorOf(lost).code).toBe('SESSION_EXPIRED');
    expect(textOf(lost)).not.toMatch(/--headless|about:blank/);
    expect(titleOf(await server.text('browser_navigate', { url: `${site.origin}/page/new` }))).toBe('new');
  });

  it('in a pool that is not lazy: it is replaced by itself [000-health-06, 000-start-01]', {
    tags: ['at-length'],
  }, async () => {
    await using server = await StdioServer.start(pool('DEFAULT', 1, { LAZY: 'false' }));
    const status = async () => (await server.call('browser_pool_status')).structuredContent;
    await expect.poll(status).toMatchObject({ summary: { healthy_instances: 1 } });
    const first = await browserProcess(server);
    process.kill(first, 'SIGKILL');
    await expect
      .poll(
        async () =>
          ((await status()) as { pools: { instances: { process_id: unknown }[] }[] }).pools[0]?.instances[0]
            ?.process_id,
      )
      .not.toSatisfy((id) => id === first || id === null);
    expect(await status()).toMatchObject({ summary: { healthy_instances: 1, available_instances: 1 } });
  });
});

describe('a server that is killed', () => {
  it('leaves no browser, and nothing on disk that keeps the next one from working [arch-run-04, arch-run-05]', async () => {
    await using kept = await temporaryDirectory();
    const variables = {
      ...pool('DEFAULT', 2, { ISOLATED: 'false' }),
      XDG_DATA_HOME: join(kept.path, 'data'),
      PWPOOL_RUNTIME_DIR: join(kept.path, 'run'),
      TMPDIR: kept.path,
    };
    const startBoth = (server: StdioServer) =>
      Promise.all(['a', 'b'].map((sessionId) => server.text('start_browser', { sessionId })));

    await using killed = await StdioServer.start(variables);
    await startBoth(killed);
    expect((await processesIn(killed.directory)).length).toBeGreaterThan(2);
    process.kill(killed.processId, 'SIGKILL');
    await expect.poll(() => processesIn(killed.directory)).toEqual([]);

    await using next = await StdioServer.start(variables);
    await startBoth(next);
  });
});
