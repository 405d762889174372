import type { ConfigInput } from '@pwpool/core';
import { describe, expect, it } from 'vitest';
import { operatedServer } from './fixtures/operated-server.js';

const QUIET = { isDefault: true, isolated: true, healthInterval: 86_400_000 };

const shop = (more: object = {}): ConfigInput => ({ pools: { SHOP: { ...QUIET, instances: 2, ...more } } });

describe('operations on instances', () => {
  it('restart, drain, resume and scale report each instance [arch-operate-01]', async () => {
    const { ask, server } = await operatedServer(shop());
    const told: unknown[] = [];
    expect(await ask('restart', { pool: 'SHOP' }, (step) => told.push(step))).toMatchObject({
      success: true,
      instances: [
        { operation: 'restart', pool: 'SHOP', instance: '0', phase: 'done', status: 'healthy' },
        { operation: 'restart', pool: 'SHOP', instance: '1', phase: 'done', status: 'healthy' },
      ],
    });
    expect(told).toContainEqual(expect.objectContaining({ instance: '1', phase: 'waiting' }));

    expect(await ask('drain', { pool: 'SHOP', instance: '1' })).toMatchObject({
      success: true,
      instances: [{ instance: '1', phase: 'done', status: 'stopped' }],
    });
    expect(server.pools.status().summary.available_instances).toBe(1);
    expect(await ask('resume', { pool: 'SHOP' })).toMatchObject({
      instances: [
        { instance: '0', phase: 'skipped', why: 'in service' },
        { instance: '1', phase: 'done', status: 'healthy' },
      ],
    });
    expect(await ask('scale', { pool: 'SHOP', instances: 3 })).toMatchObject({ before: 2, after: 3 });
  });

  it('tell that a browser did not start, and why', async () => {
    const { ask, driver } = await operatedServer(shop());
    driver.starting.fail(new Error('No memory.'));
    const report = await ask('restart', { pool: 'SHOP', instance: '0' });
    expect(report).toMatchObject({
      success: false,
      instances: [
        { instance: '0', phase: 'failed', error: { message: expect.stringContaining('No memory.') } },
      ],
    });
  });

  it.each([
    ['restart', { pool: 'SHIP' }, 'POOL_NOT_FOUND'],
    ['drain', { pool: 'SHOP', instance: '9' }, 'INSTANCE_NOT_FOUND'],
    ['scale', { pool: 'SHOP', instances: 0 }, 'INVALID_ARGUMENTS'],
    ['resume', {}, 'INVALID_ARGUMENTS'],
  ])('%s %j is refused: %s', async (operation, input, code) => {
    const { ask } = await operatedServer(shop());
    await expect(ask(operation, input)).rejects.toMatchObject({ code });
  });
});

describe('reload', () => {
  it('applies what differs, and tells what it costs [arch-operate-03]', async () => {
    const { ask, configure, server, lines } = await operatedServer(shop());
    const names: unknown[] = [];
    server.pools.on('pools-changed', (event) => names.push(event.names));
    configure({
      toolset: 'compact',
      affinity: 'call',
      pools: {
        SHOP: { ...QUIET, instances: 2, headless: false, leaseTimeout: 9_000 },
        NEWS: { instances: 1, isolated: true },
      },
    });
    expect(await ask('reload')).toMatchObject({
      success: true,
      poolsAdded: ['NEWS'],
      poolsRemoved: [],
      changed: expect.arrayContaining([
        { key: 'AFFINITY', pool: null, instances: [], cost: 'at-once' },
        { key: 'TOOLSET', pool: null, instances: [], cost: 'next-start' },
        { key: 'LEASE_TIMEOUT', pool: 'SHOP', instances: [], cost: 'at-once' },
        { key: 'HEADLESS', pool: 'SHOP', instances: ['0', '1'], cost: 'new-browser' },
      ]),
      needsRestart: expect.arrayContaining(['TOOLSET']),
      instances: [
        { operation: 'reconfiguration', instance: '0', phase: 'done' },
        { operation: 'reconfiguration', instance: '1', phase: 'done' },
      ],
    });
    expect(names).toEqual([['SHOP', 'NEWS']]);
    expect(lines.join('\n')).toContain('Reloaded: pools added: NEWS; changed: AFFINITY');
    expect(await ask('reload')).toMatchObject({ changed: [], poolsAdded: [], instances: [] });
  });

  it('refuses a configuration that is not valid whole, and goes on as before [arch-operate-04]', async () => {
    const { ask, misconfigure, server, lines } = await operatedServer(shop());
    misconfigure('One.', 'Two.');
    const refused = { code: 'CONFIG_INVALID', message: expect.stringMatching(/One\.[\s\S]*Two\./) };
    await expect(ask('reload')).rejects.toMatchObject(refused);
    expect(server.pools.status().summary).toMatchObject({ total_instances: 2, healthy_instances: 2 });
    await server.reloadAndLog();
    expect(lines.at(-1)).toMatch(/^Not reloaded, and nothing has changed: [\s\S]*One\.[\s\S]*Two\./);
  });

  it('of a toolset that would not start is refused as well', async () => {
    const { ask, configure, server } = await operatedServer(shop());
    configure({ ...shop({ instances: 5 }), toolsAllow: ['no_such_tool_*'] });
    await expect(ask('reload')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(server.pools.status().summary.total_instances).toBe(2);
  });
});

describe('sessions/close', () => {
  it('ends a session, whose client is told by whom', async () => {
    const { ask, server } = await operatedServer(shop());
    await server.sessions.start({ client: 'window', sessionId: 'alice' });
    expect(await ask('sessions/close', { sessionId: 'alice' })).toMatchObject({
      session: { client: 'window' },
    });
    expect(() => server.sessions.get('window', 'alice')).toThrow(/ended at .* by whoever runs pwpool/);
    expect(server.pools.status().summary.leased_instances).toBe(0);
  });

  it('of a name that two clients have asks for the client; of none names those that there are', async () => {
    const { ask, server } = await operatedServer(shop());
    for (const client of ['one', 'two']) await server.sessions.start({ client, sessionId: 'alice' });
    await expect(ask('sessions/close', { sessionId: 'alice' })).rejects.toMatchObject({
      code: 'SESSION_AMBIGUOUS',
      hint: 'Name the client too: one, two.',
    });
    await expect(ask('sessions/close', { sessionId: 'bob' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: 'There are: alice (one), alice (two).',
    });
    await ask('sessions/close', { sessionId: 'alice', client: 'two' });
    expect(server.sessions.all()).toMatchObject([{ client: 'one' }]);
  });
});

describe('stop', () => {
  it('ends the server; with drain when every browser has been given back', async () => {
    const { ask, server } = await operatedServer(shop());
    const lease = await server.pools.lease({ instance: '0', holder: 'session alice' });
    const told: unknown[] = [];
    const stopped = ask('stop', { drain: true, timeoutMs: 60_000 }, (step) => told.push(step));
    await expect
      .poll(() => told)
      .toContainEqual(expect.objectContaining({ phase: 'waiting', for: 'session alice, for 0 s' }));
    expect(server.stopping.aborted).toBe(false);
    await expect(server.pools.lease()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await lease.release();
    expect(await stopped).toMatchObject({ success: true });
    await expect.poll(() => server.stopping.aborted).toBe(true);
  });
});

describe('call', () => {
  it('is a client of its own, whose sessions last from one command to the next', async () => {
    const { ask, server } = await operatedServer(shop());
    await server.sessions.start({ client: 'window', sessionId: 'alice' });
    expect(await ask('call', { tool: 'browser_snapshot', args: { sessionId: 'alice' } })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'SESSION_NOT_FOUND' } },
    });
    await ask('call', { tool: 'start_browser', args: { sessionId: 'mine' } });
    expect(
      await ask('call', { tool: 'browser_tabs', args: { action: 'list', sessionId: 'mine' } }),
    ).toMatchObject({
      content: [{ type: 'text', text: 'browser_tabs on SHOP/1' }],
    });
    expect(server.sessions.all()).toMatchObject([{ client: 'window' }, { client: 'command' }]);
    const { tools } = (await ask('tools')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('browser_navigate');
  });
});
