import { type ControlSource, type PoolsStatus, serveControl, systemClock } from '@pwpool/core';
import { expect, onTestFinished, test } from 'vitest';
import { Workplace } from './command.js';
import { Server } from './server.js';

const POOL = {
  PW_MCP_PROXY__SHOP_INSTANCES: '2',
  PW_MCP_PROXY__SHOP_IS_DEFAULT: 'true',
  PW_MCP_PROXY__SHOP_DESCRIPTION: 'for the shop',
  PW_MCP_PROXY__SHOP_LAZY: 'true',
  PW_MCP_PROXY__SHOP_ISOLATED: 'true',
  PW_MCP_PROXY__SHOP_HEALTH_INTERVAL: '600000',
  PW_MCP_PROXY__SHOP__1_ALIAS: 'main',
};

/** A server of this test process that answers as the test says. */
async function serve(workplace: Workplace, source: Partial<ControlSource>): Promise<void> {
  const control = await serveControl({
    source: { status: () => ({ pools: [] }), sessions: () => ({ sessions: [] }), ...source },
    version: '9.9.9',
    env: workplace.environment,
    clock: systemClock,
  });
  onTestFinished(() => control[Symbol.asyncDispose]());
}

test('no server: says so, and how to start one', async () => {
  const workplace = await Workplace.make();
  for (const args of [['status'], ['status', '--json'], ['status', '--pid', '1']]) {
    const { status, stdout, stderr } = await workplace.run(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/No pwpool server of yours is running\.\nStart one with "pwpool mcp"/);
  }
});

test('--json is what browser_pool_status answers', async () => {
  const workplace = await Workplace.make();
  const server = await Server.start(workplace, POOL);
  const idle = await workplace.run(['status', '--json']);
  expect(idle).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(idle.stdout)).toEqual(await server.call('browser_pool_status'));

  await server.call('start_browser', { sessionId: 'alice', browser_instance: 'main' });
  const leased = JSON.parse((await workplace.run(['status', '--json'])).stdout) as PoolsStatus;
  const answer = (await server.call('browser_pool_status')) as PoolsStatus;
  expect(leaseDuration(leased)).toBeLessThanOrEqual(leaseDuration(answer));
  // The one thing that goes on between the two questions.
  expect(withoutDuration(leased)).toEqual(withoutDuration(answer));
  expect(leased.summary).toMatchObject({ leased_instances: 1, healthy_instances: 1 });
});

function leaseDuration({ pools }: PoolsStatus): number {
  return pools[0]?.instances[1]?.lease_duration_ms ?? Number.NaN;
}

function withoutDuration(status: PoolsStatus): unknown {
  return JSON.parse(
    JSON.stringify(status, (key, value) => (key === 'lease_duration_ms' ? undefined : value)),
  );
}

test('shows who holds which browser', async () => {
  const workplace = await Workplace.make();
  const server = await Server.start(workplace, POOL);
  await server.call('start_browser', { sessionId: 'alice\u001b[31m', browser_instance: 'main' });
  const { pools } = (await server.call('browser_pool_status')) as PoolsStatus;
  const { status, stdout, stderr } = await workplace.run(['status']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(
    new RegExp(`^Server ${server.processId}: pwpool \\S+ on stdio, up \\d+s, in ${workplace.path}$`, 'm'),
  );
  expect(stdout).toContain(
    'Pool SHOP (default), for the shop: 2 instances, 1 healthy, 1 leased, 1 available',
  );
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual(['0', 'stopped', 'no', '-', 'chromium, headless', '-']);
  const lease = expect.stringMatching(/^for \d+s, since 20\S+Z$/);
  const processId = String(pools[0]?.instances[1]?.process_id);
  expect(rows).toContainEqual([
    '1 (main)',
    'healthy',
    lease,
    'alice\\u001b[31m',
    'chromium, headless',
    processId,
  ]);
  expect(rows).toContainEqual([
    'alice\\u001b[31m',
    'stdio',
    'SHOP',
    '1',
    expect.stringMatching(/Z$/),
    expect.stringMatching(/s ago$/),
  ]);
});

test('of several servers each is told apart, and --pid picks one [arch-run-07]', async () => {
  const workplace = await Workplace.make();
  const first = await Server.start(workplace);
  const second = await Server.start(workplace, POOL);
  const all = JSON.parse((await workplace.run(['status', '--json'])).stdout);
  expect(all).toEqual([
    { pid: first.processId, status: await first.call('browser_pool_status') },
    { pid: second.processId, status: await second.call('browser_pool_status') },
  ]);
  const picked = await workplace.run(['status', '--json', '--pid', String(second.processId)]);
  expect(JSON.parse(picked.stdout)).toEqual(await second.call('browser_pool_status'));
  const text = (await workplace.run(['status'])).stdout;
  expect(text.match(/^Server \d+/gm)).toEqual([`Server ${first.processId}`, `Server ${second.processId}`]);
  expect(text.match(/Pool \w+/g)).toEqual(['Pool DEFAULT', 'Pool SHOP']);
  expect(await workplace.run(['status', '--pid', '1'])).toEqual({
    status: 1,
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
  const alone = await workplace.run(['status']);
  expect(alone.status).toBe(1);
  expect(alone.stdout).toContain(`Server ${process.pid}: pwpool 9.9.9`);
  expect(alone.stdout).toContain('No answer. EXECUTION_ERROR: out of order');
  const aloneAsJson = await workplace.run(['status', '--json']);
  expect(aloneAsJson).toEqual({ status: 1, stdout: '', stderr: 'EXECUTION_ERROR: out of order\n' });

  const other = await Server.start(workplace);
  const both = await workplace.run(['status']);
  expect(both.status).toBe(0);
  expect(both.stdout).toContain('No answer.');
  expect(both.stdout).toContain(`Server ${other.processId}`);
  const bothAsJson = await workplace.run(['status', '--json']);
  expect(bothAsJson.status).toBe(0);
  expect(JSON.parse(bothAsJson.stdout)).toEqual([
    { pid: process.pid, error: { code: 'EXECUTION_ERROR', message: 'out of order' } },
    { pid: other.processId, status: await other.call('browser_pool_status') },
  ]);
});

test('a server of a version with other answers is no crash', async () => {
  const workplace = await Workplace.make();
  await serve(workplace, { status: () => ({ groups: [] }) });
  const { status, stdout, stderr } = await workplace.run(['status']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('It answers in a form that this version of pwpool does not know');
  expect(JSON.parse((await workplace.run(['status', '--json'])).stdout)).toEqual({ groups: [] });
});

test('a runtime directory that is not to be trusted is told with what to do', async () => {
  const workplace = await Workplace.make();
  const { status, stderr } = await workplace.run(['status'], { PWPOOL_RUNTIME_DIR: 'relative' });
  expect(status).toBe(78);
  expect(stderr).toMatch(
    /^CONFIG_INVALID: PWPOOL_RUNTIME_DIR must be an absolute path.*\nSet PWPOOL_RUNTIME_DIR/,
  );
});
