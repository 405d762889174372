// @module-tag at-length
import {
  BrowserPools,
  ERROR_CODES,
  type ErrorCode,
  loadToolset,
  PwpoolError,
  parseScript,
  resolveConfig,
} from '@pwpool/core';
import { OwnBrowsers, stepWork, systemClock } from '@pwpool/core/internal';
import { afterAll, describe, expect, it } from 'vitest';
import { poolsOf, runToEnd, type StdioServer, temporaryDirectory, textOf } from '../fixtures/stdio-server.js';
import { Places } from './places.js';
import { PROVOKED } from './provoked.js';

/** Leads to a failure, and gives all that its caller reads of it. */
type Way = (places: Places) => Promise<string>;

const fail = async (server: StdioServer, tool: string, args: Record<string, unknown> = {}) => {
  const result = await server.call(tool, args);
  expect(result.isError, textOf(result)).toBe(true);
  return textOf(result);
};

const poolNamed = async (server: StdioServer, wanted: string) =>
  (await poolsOf(server)).find(({ name }) => name === wanted);

/** In a program an error is thrown. */
const thrownBy = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PwpoolError)) throw new Error('It did not fail.', { cause: error });
  return [`${error.code}: ${error.message}`, error.hint ?? []].flat().join('\n');
};

/** Alice's call, on the page. */
const onPage =
  (tool: string, args: Record<string, unknown>): Way =>
  async (places) => {
    const server = await places.server();
    const url = `http://${await places.site()}/`;
    await start(server, 'alice');
    await server.text('browser_navigate', { url });
    const given = JSON.parse(JSON.stringify(args).replaceAll('HOST', await places.site()));
    return await fail(server, tool, { ...given, sessionId: 'alice' });
  };

const start = async (server: StdioServer, ...names: readonly string[]) => {
  for (const [index, sessionId] of names.entries())
    await server.text('start_browser', { sessionId, browser_pool: 'WEB', browser_instance: String(index) });
};

/** What a script expects of the page. */
const EXPECTING = `
steps:
  - tool: browser_navigate
    args: { url: "{{row.address}}" }
    save_as: page
expect: ["steps.page.title == 'Checkout'"]
`;

/** How each error is met. Of those in which a page has a part, one of the many that docs/errors.md shows. */
const WAYS: Readonly<Record<ErrorCode, Way>> = {
  NAVIGATION_TIMEOUT: onPage('browser_navigate', { url: 'http://HOST/hang' }),
  ELEMENT_NOT_FOUND: onPage('browser_click', { target: '#xyzzy' }),
  ELEMENT_NOT_VISIBLE: onPage('browser_click', { target: '#covered' }),
  EXECUTION_ERROR: onPage('browser_evaluate', { function: '() => { throw "a string" }' }),
  URL_BLOCKED: onPage('browser_navigate', { url: 'file:///etc/passwd' }),
  INVALID_ARGUMENTS: onPage('browser_press_key', { key: 'Nope' }),
  CALL_TIMEOUT: onPage('browser_wait_for', { text: 'never' }),
  SNAPSHOT_EXPIRED: onPage('browser_snapshot', { cache_key: 'k7wq2' }),
  TOOL_NOT_FOUND: async (places) => await fail(await places.server(), 'browser_clik'),
  POOL_NOT_FOUND: async (places) =>
    await fail(await places.server(), 'browser_snapshot', { browser_pool: 'WEBB' }),
  INSTANCE_NOT_FOUND: async (places) =>
    await fail(await places.server(), 'browser_snapshot', { browser_pool: 'SIDE', browser_instance: '7' }),
  SESSION_NOT_FOUND: async (places) => {
    const server = await places.server();
    await start(server, 'checkout');
    return await fail(server, 'browser_snapshot', { sessionId: 'chekout' });
  },
  SESSION_EXISTS: async (places) => {
    const server = await places.server();
    await start(server, 'alice');
    return await fail(server, 'start_browser', { sessionId: 'alice' });
  },
  SESSION_AMBIGUOUS: async (places) => {
    const server = await places.server();
    await start(server, 'alice', 'bob');
    return await fail(server, 'browser_snapshot');
  },
  SESSION_LIMIT: async (places) => {
    const server = await places.server();
    await start(server, 'alice', 'bob');
    return await fail(server, 'start_browser', { sessionId: 'carol' });
  },
  TARGET_CONFLICT: async (places) => {
    const server = await places.server();
    await start(server, 'alice');
    return await fail(server, 'browser_snapshot', { sessionId: 'alice', browser_pool: 'SIDE' });
  },
  LEASE_TIMEOUT: async (places) => {
    const server = await places.server();
    await start(server, 'alice', 'bob');
    return await fail(server, 'browser_snapshot', { browser_pool: 'WEB' });
  },
  POOL_BUSY: async (places) => {
    const server = await places.server();
    await start(server, 'alice', 'bob');
    const calls = [1, 2, 3].map(() => fail(server, 'browser_snapshot', { browser_pool: 'WEB' }));
    const texts = await Promise.all(calls);
    return texts.find((text) => text.includes('POOL_BUSY')) ?? '';
  },
  INSTANCE_CRASHED: async (places) => {
    const server = await places.server();
    await start(server, 'alice');
    const url = `http://${await places.site()}/`;
    await server.text('browser_navigate', { sessionId: 'alice', url });
    const hanging = places.hanging;
    const call = fail(server, 'browser_navigate', { sessionId: 'alice', url: `${url}hang` });
    await expect.poll(() => places.hanging).toBeGreaterThan(hanging);
    const web = await poolNamed(server, 'WEB');
    process.kill(web?.instances[0]?.process_id ?? 0, 'SIGKILL');
    return await call;
  },
  LEASE_REVOKED: async (places) => {
    const pools = await places.library();
    const lease = await pools.lease();
    const page = await lease.page();
    await page.goto(`http://${await places.site()}/`);
    await lease.release();
    return await thrownBy(lease.callTool('browser_snapshot'));
  },
  BROWSER_NOT_READY: async (places) =>
    await fail(await places.poor(), 'browser_snapshot', { browser_pool: 'WEB', browser_instance: '0' }),
  NO_HEALTHY_INSTANCES: async (places) => {
    const server = await places.poor();
    for (const instance of ['0', '1'])
      await fail(server, 'browser_snapshot', { browser_pool: 'WEB', browser_instance: instance });
    return await fail(server, 'browser_snapshot', { browser_pool: 'WEB' });
  },
  SESSION_EXPIRED: async (places) => {
    const server = await places.poor();
    await server.text('start_browser', { sessionId: 'alice', browser_pool: 'SIDE' });
    await expect.poll(() => server.text('list_sessions')).not.toContain('"alice"');
    return await fail(server, 'browser_snapshot', { sessionId: 'alice' });
  },
  RATE_LIMITED: async (places) => {
    const client = await places.http();
    await client.text('browser_navigate', { url: `http://${await places.site()}/` });
    await client.text('browser_snapshot');
    return textOf(await client.call('browser_snapshot'));
  },
  CONFIG_INVALID: async () => {
    await using directory = await temporaryDirectory();
    const { status, stderr } = await runToEnd(directory.path, { PW_MCP_PROXY__WEB_INSTANCES: '0' });
    expect(status).toBe(78);
    expect(stderr).toContain(
      'PW_MCP_PROXY__WEB_INSTANCES is "0", but must be a whole number from 1 to 1000.',
    );
    return await thrownBy(BrowserPools.create({ pools: { WEB: { instances: 0, isDefault: true } } }));
  },
  EXPECTATION_FAILED: async (places) => {
    const pools = await places.library();
    const toolset = await loadToolset(resolveConfig({}).server);
    const script = parseScript(EXPECTING, 'checkout.yaml', toolset, { hasRows: true });
    const work = stepWork(script, { clock: systemClock, toolset, env: {} });
    const row = { number: 1, line: 2, key: '1', value: { address: `http://${await places.site()}/` } };
    const { signal } = new AbortController();
    const plan = { clock: systemClock, toolset, clean: script.clean, files: '' };
    await using browsers = new OwnBrowsers(pools, plan);
    await using worker = browsers.newWorker({
      filesOf: () => '',
      setUp: async () => {},
      tearDown: async () => {},
      run: (browser) => work.run({ browser, row, attempt: 1, files: '', signal }),
    });
    return await thrownBy(worker.run({ item: row, index: 0, attempt: 1, signal }));
  },
  CANCELLED: async (places) => {
    const pools = await places.library();
    await using lease = await pools.lease();
    await lease.callTool('browser_navigate', { url: `http://${await places.site()}/` });
    const leaving = new AbortController();
    const waiting = thrownBy(pools.lease({ signal: leaving.signal }));
    leaving.abort();
    return await waiting;
  },
  SHUTTING_DOWN: async (places) => {
    const server = await places.poor();
    const url = `http://${await places.site()}/hang`;
    const running = server.call('browser_navigate', { url, browser_pool: 'SIDE' });
    const leased = async () => (await poolsOf(server)).find(({ name }) => name === 'SIDE')?.leased_instances;
    await expect.poll(leased).toBe(1);
    process.kill(server.processId, 'SIGTERM');
    let refused = await server.call('browser_pool_status');
    while (!refused.isError) refused = await server.call('browser_pool_status');
    await running.catch(() => undefined);
    return textOf(refused);
  },
};

/** Figures of time differ from one run to the next. */
function plain(text: string): string {
  return text
    .replace(/^### Error\n/, '')
    .replace(/\b\d+ (ms|s)\b/g, 'N $1')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'THEN');
}

/** In their order in docs/errors.md; the last takes its server down. */
const ROWS = [...PROVOKED].sort(
  (one, other) => Number(one.code === 'SHUTTING_DOWN') - Number(other.code === 'SHUTTING_DOWN'),
);

describe('an error, as a caller meets it on a real server', () => {
  const places = new Places();
  afterAll(() => places[Symbol.asyncDispose]());

  it.each(ROWS)('$code [arch-error-01, arch-error-11]', async ({ code, reads }) => {
    const read = await WAYS[code](places);
    const host = await places.site();
    expect(plain(read.replaceAll(host, 'HOST'))).toBe(plain(reads));
    const server = await places.server();
    await server.text('close_all_sessions');
    // One that was killed comes back first.
    await expect.poll(async () => (await poolNamed(server, 'WEB'))?.available_instances).toBe(2);
  });

  it('is there for each code [arch-error-11]', () => {
    expect(PROVOKED.map(({ code }) => code).sort()).toEqual([...ERROR_CODES].sort());
  });
});
