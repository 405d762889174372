import { expect, it } from 'vitest';
import { pool, StdioServer } from './fixtures/stdio-server.js';

interface Seen {
  summary: { healthy_instances: number; available_instances: number; failed_instances: number };
  pools: {
    instances: { status: string; process_id: number | null; health_check: { error: string | null } }[];
  }[];
}

const statusOf = async (server: StdioServer) =>
  (await server.call('browser_pool_status')).structuredContent as unknown as Seen;

it('browser_pool_status tells a frozen browser as suspect, and it alone [arch-instance-11]', {
  tags: ['at-length'],
}, async () => {
  await using server = await StdioServer.start(pool('WEB', 2, { LAZY: 'false' }));
  const statuses = async () => (await statusOf(server)).pools[0]?.instances.map(({ status }) => status);
  await expect.poll(statuses).toEqual(['healthy', 'healthy']);
  const processId = (await statusOf(server)).pools[0]?.instances[0]?.process_id ?? 0;
  process.kill(processId, 'SIGSTOP');
  try {
    await expect.poll(statuses).toEqual(['suspect', 'healthy']);
    expect((await statusOf(server)).summary).toMatchObject({ healthy_instances: 1, available_instances: 1 });
  } finally {
    process.kill(processId, 'SIGCONT');
  }
  await expect.poll(statuses).toEqual(['healthy', 'healthy']);
});

it('browser_pool_status of a lazy pool tells what cannot start, and what crashed [arch-instance-09, arch-instance-10]', async () => {
  const broken = { ...pool('WEB', 1), PW_MCP_PROXY__WEB__0_EXECUTABLE_PATH: '/nowhere/chromium' };
  await using dead = await StdioServer.start({ ...broken });
  await dead.error('browser_snapshot');
  expect((await statusOf(dead)).summary).toMatchObject({ available_instances: 0, failed_instances: 1 });

  await using server = await StdioServer.start(pool('WEB', 1));
  await server.text('browser_navigate', { url: 'about:blank', browser_pool: 'WEB' });
  const instance = async () => (await statusOf(server)).pools[0]?.instances[0];
  process.kill((await instance())?.process_id ?? 0, 'SIGKILL');
  await expect
    .poll(instance)
    .toMatchObject({ status: 'stopped', health_check: { error: expect.stringContaining('unexpectedly') } });
  expect((await statusOf(server)).summary).toMatchObject({ available_instances: 1 });
});
