import { describe, expect, it } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import { pool, poolsOf, StdioServer, textOf, titleOf } from './fixtures/stdio-server.js';
import { listUpstreamTools } from './fixtures/upstream.js';

/** As it is without any configuration. */
const test = onSharedServer({});

describe('the tools over stdio', () => {
  it("offers upstream's own default tools with the three targets before any browser is up, which the first call brings up [002-life-01, arch-tools-01, arch-instance-01]", async () => {
    await using server = await StdioServer.start(pool('DEFAULT', 2));
    const { tools } = await server.client.listTools();
    const upstream = await listUpstreamTools();
    const offered = upstream.filter(({ name }) => name !== 'browser_run_code_unsafe');
    expect(offered.length).toBeGreaterThan(20);
    for (const tool of offered) {
      const ours = Object.keys(tools.find(({ name }) => name === tool.name)?.inputSchema.properties ?? {});
      expect(ours).toEqual(expect.arrayContaining(Object.keys(tool.inputSchema.properties ?? {})));
      expect(ours.slice(-3)).toEqual(['sessionId', 'browser_pool', 'browser_instance']);
    }
    const own = tools.map(({ name }) => name).filter((name) => !upstream.some((tool) => tool.name === name));
    expect(own).toEqual([
      'browser_pool_status',
      'browser_execute_bulk',
      'execute_sequence',
      'start_browser',
      'list_sessions',
      'set_current_session',
      'close_session',
      'close_all_sessions',
    ]);
    const statuses = async () => (await poolsOf(server))[0]?.instances.map(({ status }) => status);
    expect(await statuses()).toEqual(['stopped', 'stopped']);
    await server.text('browser_snapshot');
    // One that is late with its sign of life is suspect until it gives it.
    await expect.poll(statuses).toEqual(['healthy', 'stopped']);
  });

  test('drives a page with and without a sessionId, and names the session only when the caller did not [002-life-01, 003-target-01, 003-start-01, 003-metadata-01, 003-metadata-02]', async ({
    server,
  }) => {
    await using site = await startSite();
    const unnamed = await server.call('browser_navigate', { url: `${site.origin}/page/mine` });
    expect(textOf(unnamed)).toContain('Session: browser-1');
    expect(unnamed._meta).toMatchObject({ sessionId: 'browser-1', sessionType: 'browser' });
    await server.text('start_browser', { sessionId: 'alice', navigationUrl: `${site.origin}/page/alice` });
    const named = await server.call('browser_snapshot', { sessionId: 'alice' });
    expect(titleOf(textOf(named))).toBe('alice');
    expect(textOf(named)).not.toContain('Session:');
    expect(named._meta).toBeUndefined();
    expect(titleOf(await server.text('browser_snapshot', { sessionId: 'browser-1' }))).toBe('mine');
    await server.text('browser_click', {
      sessionId: 'alice',
      target: "getByRole('button', { name: 'Press alice' })",
    });
  });

  test('runs code in the server only when that is allowed [arch-driver-03]', { tags: ['at-length'] }, async ({
    server,
  }) => {
    expect(await server.error('browser_run_code_unsafe', { code: 'async () => 1' })).toMatchObject({
      code: 'TOOL_NOT_FOUND',
    });
    await using open = await StdioServer.start({
      ...pool('DEFAULT', 1),
      PW_MCP_PROXY_ALLOW_UNSAFE_CODE: 'true',
    });
    expect(await open.text('browser_run_code_unsafe', { code: 'async () => 6 * 7' })).toContain('42');
  });
});

describe('browser_pool_status', () => {
  it('has exactly the fields of the specification [000-status-01, 000-status-02, 000-status-03, 000-status-04, 000-status-05, 000-status-06, 000-status-10]', async () => {
    await using server = await StdioServer.start({
      ...pool('WORK', 2, { DESCRIPTION: 'General work' }),
      PW_MCP_PROXY__WORK__1_ALIAS: 'second',
      ...pool('OTHER', 1, { IS_DEFAULT: 'false' }),
    });
    await server.text('start_browser', { sessionId: 'a', browser_instance: 'second' });
    interface Answer {
      pools: { instances: Record<string, unknown>[] }[];
      summary: unknown;
    }
    let pools: Answer['pools'] = [];
    const ask = async () => {
      const answer = (await server.call('browser_pool_status')).structuredContent as unknown as Answer;
      pools = answer.pools;
      return answer.summary;
    };
    await expect.poll(ask).toEqual({
      total_pools: 2,
      total_instances: 3,
      healthy_instances: 1,
      failed_instances: 0,
      leased_instances: 1,
      available_instances: 2,
    });
    const [other, work] = pools;
    const unstarted = { last_check: null, responsive: false, error: null };
    expect(work).toEqual({
      name: 'WORK',
      description: 'General work',
      is_default: true,
      total_instances: 2,
      healthy_instances: 1,
      leased_instances: 1,
      available_instances: 1,
      instances: [
        {
          id: '0',
          alias: null,
          status: 'stopped',
          leased: false,
          lease_duration_ms: null,
          lease_started_at: null,
          browser: 'chromium',
          headless: true,
          process_id: null,
          health_check: unstarted,
        },
        {
          id: '1',
          alias: 'second',
          status: 'healthy',
          leased: true,
          lease_duration_ms: expect.any(Number),
          lease_started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          browser: 'chromium',
          headless: true,
          process_id: expect.any(Number),
          health_check: { last_check: expect.stringMatching(/Z$/), responsive: true, error: null },
        },
      ],
    });
    expect(other).toMatchObject({ name: 'OTHER', is_default: false, total_instances: 1 });
    const one = (await server.call('browser_pool_status', { pool_name: 'OTHER' })).structuredContent as {
      pools: { name: string }[];
    };
    expect(one.pools.map(({ name }) => name)).toEqual(['OTHER']);
  });

  it('tells what each pool is for and how much of it is free, as in example 5 of the specification [000-example-05, 000-status-01, 000-status-09]', async () => {
    await using server = await StdioServer.start({
      PW_MCP_PROXY_LAZY: 'true',
      PW_MCP_PROXY_HEADLESS: 'true',
      PW_MCP_PROXY_TIMEOUT: '60000',
      PW_MCP_PROXY__CHROMIUM_INSTANCES: '5',
      PW_MCP_PROXY__CHROMIUM_IS_DEFAULT: 'true',
      PW_MCP_PROXY__CHROMIUM_BROWSER: 'chromium',
      PW_MCP_PROXY__CHROMIUM_DESCRIPTION: 'General-purpose web scraping and navigation',
      PW_MCP_PROXY__FIREFOX_INSTANCES: '3',
      PW_MCP_PROXY__FIREFOX_BROWSER: 'firefox',
      PW_MCP_PROXY__FIREFOX_DESCRIPTION: 'Cross-browser compatibility testing',
      PW_MCP_PROXY__WEBKIT_INSTANCES: '2',
      PW_MCP_PROXY__WEBKIT_BROWSER: 'webkit',
      PW_MCP_PROXY__WEBKIT_DESCRIPTION: 'Mobile Safari and WebKit-specific testing',
    });
    const { pools } = (await server.call('browser_pool_status')).structuredContent as {
      pools: { name: string; description: string; available_instances: number; total_instances: number }[];
    };
    const told = pools.map(
      ({ name, description, available_instances, total_instances }) =>
        `${name}: ${description} Available: ${available_instances}/${total_instances}`,
    );
    expect(told).toEqual([
      'CHROMIUM: General-purpose web scraping and navigation Available: 5/5',
      'FIREFOX: Cross-browser compatibility testing Available: 3/3',
      'WEBKIT: Mobile Safari and WebKit-specific testing Available: 2/2',
    ]);
  });
});
