import type { PoolsStatus } from '@pwpool/core';
import { type ControlSource, type ServerStatus, serveControl, systemClock } from '@pwpool/core/internal';
import { expect, onTestFinished, test } from 'vitest';
import { Workplace } from './command.js';
import { Server } from './server.js';
import { checkedStatus } from './status-schema.js';

const POOL = {
  PW_MCP_PROXY__SHOP_INSTANCES: '2',
  PW_MCP_PROXY__SHOP_IS_DEFAULT: 'true',
  PW_MCP_PROXY__SHOP_DESCRIPTION: 'for the shop',
  PW_MCP_PROXY__SHOP_LAZY: 'true',
  PW_MCP_PROXY__SHOP_ISOLATED: 'true',
  PW_MCP_PROXY__SHOP_HEALTH_INTERVAL: '600000',
  PW_MCP_PROXY__SHOP__1_ALIAS: 'main',
};

/** What a server tells that has no pools. */
const IDLE = {
  pools: [],
  summary: {
    total_pools: 0,
    total_instances: 0,
    healthy_instances: 0,
    failed_instances: 0,
    leased_instances: 0,
    available_instances: 0,
  },
  sessions: [],
  waiting: [],
};

/** A server of this test process that answers as the test says. */
async function serve(workplace: Workplace, source: Partial<ControlSource>): Promise<void> {
  const control = await serveControl({
    source: { status: () => IDLE, ...source },
    version: '9.9.9',
    env: workplace.environment,
    clock: systemClock,
  });
  onTestFinished(() => control[Symbol.asyncDispose]());
}

test('no server: says so, and how to start one', async () => {
  const workplace = await Workplace.make();
  for (const args of [['status'], ['status', '--json'], ['status', '--server', '1']]) {
    const { status, stdout, stderr } = await workplace.runHere(args);
    const shown = args.includes('--json') ? '{\n  "servers": []\n}\n' : '';
    expect({ status, stdout }).toEqual({ status: 2, stdout: shown });
    expect(stderr).toMatch(/No pwpool server of yours is running\.\nStart one with "pwpool serve"/);
  }
});

/** What `pwpool status --json` prints. */
interface Printed extends ServerStatus {
  pid: number;
}

async function serversOf(workplace: Workplace, ...args: string[]): Promise<Printed[]> {
  const { stdout } = await workplace.runHere(['status', '--json', ...args]);
  return (checkedStatus(stdout) as { servers: Printed[] }).servers;
}

test('tells of each server which it is, what browser_pool_status answers, its sessions and who holds which browser', async () => {
  const workplace = await Workplace.make();
  const server = await Server.start(workplace, POOL);
  expect(await serversOf(workplace)).toEqual([
    {
      pid: server.processId,
      version: expect.stringMatching(/^\d/),
      startedAt: expect.stringMatching(/Z$/),
      cwd: workplace.path,
      httpAddress: null,
      ...((await server.call('browser_pool_status')) as PoolsStatus),
      sessions: [],
      waiting: [],
      error: null,
    },
  ]);

  await server.call('start_browser', { sessionId: 'alice\u001b[31m', browser_instance: 'main' });
  const [leased] = await serversOf(workplace);
  if (!leased) throw new Error('The server runs.');
  const answer = (await server.call('browser_pool_status')) as PoolsStatus;
  expect(leaseDuration(leased)).toBeLessThanOrEqual(leaseDuration(answer));
  // A browser is looked at again for whoever asks a second after the last look.
  expect(lookedAt(leased) <= lookedAt(answer)).toBe(true);
  expect(withoutTimes(leased.pools)).toEqual(withoutTimes(answer.pools));
  expect(leased.summary).toMatchObject({ leased_instances: 1, healthy_instances: 1 });
  const { sessions } = (await server.call('list_sessions')) as { sessions: object[] };
  expect(leased.sessions).toEqual(sessions.map((session) => ({ ...session, client: 'stdio' })));

  const { status, stdout, stderr } = await workplace.run(['status']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(
    new RegExp(`^Server ${server.processId}: pwpool \\S+ on stdio, up \\d+s, in ${workplace.path}$`, 'm'),
  );
  expect(stdout).toContain(
    'Pool SHOP (default), for the shop: 2 instances, 1 healthy, 1 leased, 1 available',
  );
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual(['0', 'stopped', '-', '-', '-', '0', '0', '-', 'chromium, headless', '-']);
  const processId = String(answer.pools[0]?.instances[1]?.process_id);
  expect(rows).toContainEqual([
    '1 (main)',
    'healthy',
    'alice\\u001b[31m (stdio)',
    expect.stringMatching(/^\d+s$/),
    expect.stringMatching(/^(?:about:blank|-)$/),
    '0',
    '0',
    expect.stringMatching(/^\d+ MiB$/),
    'chromium, headless',
    processId,
  ]);
  expect(rows).toContainEqual([
    'alice\\u001b[31m',
    'stdio',
    'active',
    'SHOP',
    '1',
    expect.stringMatching(/^(?:about:blank|-)$/),
    expect.stringMatching(/Z$/),
    expect.stringMatching(/s ago$/),
  ]);
});

function leaseDuration({ pools }: PoolsStatus): number {
  return pools[0]?.instances[1]?.lease_duration_ms ?? Number.NaN;
}

function lookedAt({ pools }: PoolsStatus): string {
  return pools[0]?.instances[1]?.health_check.last_check ?? '';
}

/** Without what goes on between two questions. */
function withoutTimes(status: unknown): unknown {
  const times = ['lease_duration_ms', 'last_check'];
  return JSON.parse(JSON.stringify(status, (key, value) => (times.includes(key) ? undefined : value)));
}

test('of several servers each is told apart, and --server picks one [arch-run-07]', async () => {
  const workplace = await Workplace.make();
  const first = await Server.start(workplace);
  const second = await Server.start(workplace, POOL);
  expect(await serversOf(workplace)).toMatchObject([
    { pid: first.processId, ...((await first.call('browser_pool_status')) as PoolsStatus) },
    { pid: second.processId, ...((await second.call('browser_pool_status')) as PoolsStatus) },
  ]);
  expect(await serversOf(workplace, '--server', String(second.processId))).toMatchObject([
    { pid: second.processId, pools: [{ name: 'SHOP' }] },
  ]);
  const text = (await workplace.runHere(['status'])).stdout;
  expect(text.match(/^Server \d+/gm)).toEqual([`Server ${first.processId}`, `Server ${second.processId}`]);
  expect(text.match(/Pool \w+/g)).toEqual(['Pool DEFAULT', 'Pool SHOP']);
  expect(await workplace.runHere(['status', '--server', '1'])).toEqual({
    status: 2,
    stdout: '',
    stderr: `No pwpool server of yours has process id 1. Running: ${first.processId}, ${second.processId}.\n`,
  });
});

test('a server that gives no answer is shown as such, and does not hide the others [arch-run-07]', async () => {
  const workplace = await Workplace.make();
  await serve(workplace, {
    status: () => {
      throw new Error('out of order');
    },
  });
  const alone = await workplace.runHere(['status']);
  expect(alone.status).toBe(1);
  expect(alone.stdout).toContain(`Server ${process.pid}: pwpool 9.9.9`);
  expect(alone.stdout).toContain('No answer. EXECUTION_ERROR: out of order');
  const unknown = {
    pid: process.pid,
    cwd: process.cwd(),
    version: '9.9.9',
    pools: null,
    summary: null,
    sessions: null,
    waiting: null,
    error: { code: 'EXECUTION_ERROR', message: 'out of order' },
  };
  const aloneAsJson = await workplace.runHere(['status', '--json']);
  expect(aloneAsJson).toMatchObject({ status: 1, stderr: 'EXECUTION_ERROR: out of order\n' });
  expect(JSON.parse(aloneAsJson.stdout)).toMatchObject({ servers: [unknown] });

  const other = await Server.start(workplace);
  const both = await workplace.runHere(['status']);
  expect(both.status).toBe(1);
  expect(both.stdout).toContain('No answer.');
  expect(both.stdout).toContain(`Server ${other.processId}`);
  const bothAsJson = await workplace.runHere(['status', '--json']);
  expect(bothAsJson.status).toBe(1);
  const { servers } = JSON.parse(bothAsJson.stdout) as { servers: object[] };
  expect(servers).toMatchObject([unknown, { pid: other.processId, error: null }]);
  // The same fields, whether it answered or not.
  expect(Object.keys(servers[0] ?? {})).toEqual(Object.keys(servers[1] ?? {}));
});

test('a server of a version with other answers is no crash', async () => {
  const workplace = await Workplace.make();
  await serve(workplace, { status: () => ({ groups: [] }) });
  const { status, stdout, stderr } = await workplace.runHere(['status']);
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  expect(stdout).toContain('No answer. EXECUTION_ERROR: The pwpool server');
  expect(stdout).toContain('It runs pwpool 9.9.9: use the same version here.');
});

test('states and fields of a later version are shown as they are', async () => {
  const workplace = await Workplace.make();
  const session = {
    sessionId: 'carol',
    client: 'stdio',
    browser_pool: 'SHOP',
    browser_instance: null,
    status: 'asleep',
    createdAt: '2026-01-02T10:15:30.000Z',
    lastUsedAt: '2026-01-02T10:15:30.000Z',
    mood: 'good',
  };
  await serve(workplace, {
    status: () => ({ ...IDLE, sessions: [session], weather: 'fine' }),
  });
  expect(await serversOf(workplace)).toMatchObject([{ sessions: [session], weather: 'fine', error: null }]);
  expect((await workplace.runHere(['status'])).stdout).toMatch(/carol +stdio +asleep +SHOP +- /);
});

test('a session that is parked hides no other, and those who wait are told with what for [arch-operate-05]', {
  tags: ['at-length'],
}, async () => {
  const workplace = await Workplace.make();
  const server = await Server.start(workplace, {
    PW_MCP_PROXY__SHOP_INSTANCES: '1',
    PW_MCP_PROXY__SHOP_IS_DEFAULT: 'true',
    PW_MCP_PROXY__SHOP_LAZY: 'true',
    PW_MCP_PROXY__SHOP_ISOLATED: 'true',
    PW_MCP_PROXY_SESSION_PREEMPT: '1',
  });
  await server.call('start_browser', { sessionId: 'alice' });
  await server.call('start_browser', { sessionId: 'bob' });
  // A call that runs keeps the browser from being taken for carol.
  const ended = Promise.allSettled([
    server.call('browser_evaluate', { sessionId: 'bob', function: '() => new Promise(() => {})' }),
    server.call('start_browser', { sessionId: 'carol', browser_instance: '0' }),
  ]);
  await expect
    .poll(async () => (await serversOf(workplace))[0])
    .toMatchObject({
      sessions: [
        { sessionId: 'alice', status: 'parked', browser_instance: null },
        { sessionId: 'bob', status: 'active', browser_instance: '0' },
      ],
      waiting: [
        {
          holder: 'session carol',
          browser_pool: 'SHOP',
          browser_instance: '0',
          waiting_since: expect.stringMatching(/Z$/),
          waiting_ms: expect.any(Number),
        },
      ],
    });
  const { stdout } = await workplace.runHere(['status']);
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual(expect.arrayContaining(['alice', 'stdio', 'parked', 'SHOP', '-']));
  expect(rows).toContainEqual(['session carol', 'SHOP', '0', expect.stringMatching(/^\d+s, since 20\S+Z$/)]);
  await server.close();
  await ended;
});

test('a runtime directory that is not to be trusted is told with what to do', async () => {
  const workplace = await Workplace.make();
  const { status, stderr } = await workplace.runHere(['status'], { PWPOOL_RUNTIME_DIR: 'relative' });
  expect(status).toBe(78);
  expect(stderr).toMatch(
    /^CONFIG_INVALID: PWPOOL_RUNTIME_DIR must be an absolute path.*\nSet PWPOOL_RUNTIME_DIR/,
  );
});
