import { anonymous, OWN_TOOLS, TOOL_LIST } from '@pwpool/core/internal';
import { describe, expect, it } from 'vitest';
import { startFakeServer } from './fixtures/fake-server.js';
import { operatedServer } from './fixtures/operated-server.js';
import { errorOf } from './fixtures/stdio-server.js';

/** Every group of tools that there is. */
const ALL_CAPS = ['config', 'devtools', 'network', 'pdf', 'storage', 'testing', 'vision'] as const;

/** Bytes of tools in the answer of `tools/list`. */
const bytesOf = (tools: unknown) => Buffer.byteLength(JSON.stringify(tools));

describe('the size of tools/list', () => {
  it.each([
    ['by default', {}],
    ['with every group of tools', { caps: [...ALL_CAPS], allowUnsafeCode: true }],
  ])('is at most 1.15 times that of upstream’s for the same tools, %s [arch-offer-01]', async (_, config) => {
    const { client } = await startFakeServer(config);
    const { tools } = await client.listTools();
    const upstream = TOOL_LIST.filter(({ name }) => tools.some((tool) => tool.name === name));
    const browserTools = tools.filter(({ name }) => upstream.some((tool) => tool.name === name));
    // Like with like: the same tools of the same version, with pwpool's arguments and without.
    expect(bytesOf(browserTools) / bytesOf(upstream)).toBeLessThan(1.05);
    // All that a client gets, pwpool's own tools included.
    expect(bytesOf(tools) / bytesOf(upstream)).toBeLessThanOrEqual(1.15);
  });

  it('is without what tells nothing, and with what is told of the tools', async () => {
    const { client } = await startFakeServer();
    for (const tool of (await client.listTools()).tools) {
      expect(tool.inputSchema).not.toHaveProperty('$schema');
      expect(tool.inputSchema).not.toHaveProperty('additionalProperties');
      const upstream = TOOL_LIST.find(({ name }) => name === tool.name);
      if (!upstream) continue;
      // MCP takes for granted that the world is open, and that what only reads destroys nothing.
      const granted = {
        openWorldHint: true,
        ...(tool.annotations?.readOnlyHint ? { destructiveHint: false } : {}),
      };
      expect({ ...granted, ...tool.annotations }).toEqual(upstream.annotations);
    }
  });
});

describe('clients that are offered the same', () => {
  const pools = (...names: string[]) => ({
    pools: Object.fromEntries(
      names.map((name, index) => [name, { instances: 1, lazy: true, isDefault: index === 0 }]),
    ),
  });

  it('have one list, until a reload offers something else', async () => {
    const { server, configure } = await operatedServer(pools('A', 'B'));
    const principal = { ...anonymous('c'), pools: ['A'] };
    const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c', principal }].map((client) =>
      server.toolsFor(client),
    );
    expect(a?.list()).toBe(b?.list());
    expect(JSON.stringify(a?.list())).toContain('"enum":["A","B"]');
    expect(JSON.stringify(c?.list())).not.toContain('"B"');
    configure({ ...pools('A', 'B', 'C'), answerMaxKb: 100 });
    await (await server.reload()).done;
    expect(a?.list()).toBe(b?.list());
    expect(JSON.stringify(a?.list())).toContain('"enum":["A","B","C"]');
    expect(JSON.stringify(a?.list())).toContain(String(100 * 1024));
  });
});

describe('TOOLS_ALLOW and TOOLS_DENY', () => {
  const listed = async ({ client }: Awaited<ReturnType<typeof startFakeServer>>) =>
    (await client.listTools()).tools.map(({ name }) => name);

  it('know pwpool’s own tools by name', async () => {
    const names = await listed(await startFakeServer());
    expect(names.slice(0, OWN_TOOLS.length)).toEqual(OWN_TOOLS);
  });

  it('keep tools from being listed and called, pwpool’s own too [arch-offer-02]', async () => {
    const server = await startFakeServer({ toolsAllow: ['*_browser', 'browser_*'], toolsDeny: ['*_bulk'] });
    const names = await listed(server);
    expect(names).toEqual(expect.arrayContaining(['start_browser', 'browser_click']));
    expect(names).not.toContain('close_session');
    expect(errorOf(await server.call('browser_execute_bulk', { commands: [] }))).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      hint: expect.stringContaining('TOOLS_DENY names it'),
    });
    expect(errorOf(await server.call('close_session', { sessionId: 'x' }))).toMatchObject({
      hint: expect.stringContaining('TOOLS_ALLOW does not name it'),
    });
    expect(errorOf(await server.call('browser_clik')).hint).toBe('Did you mean browser_click?');
  });

  it('hold for a tool by its other name, and for what a tool does by another', async () => {
    const { call } = await startFakeServer({ toolsDeny: ['start_browser'] });
    expect(errorOf(await call('start_session')).message).toBe("Tool 'start_browser' is denied.");
    const still = await startFakeServer({ toolsDeny: ['browser_navigate'] });
    expect(errorOf(await still.call('start_browser', { navigationUrl: 'https://a.example/' }))).toMatchObject(
      {
        code: 'TOOL_NOT_FOUND',
        message: "Tool 'browser_navigate' is denied.",
      },
    );
    expect(still.pools.status().summary.leased_instances).toBe(0);
  });
});
