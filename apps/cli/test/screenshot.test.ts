import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PwpoolError, resolveConfig } from '@pwpool/core';
import { FakeDriver } from '@pwpool/core/testing';
import { PoolServer } from '@pwpool/mcp/internal';
import { expect, it, onTestFinished, vi } from 'vitest';
import { screenshot } from '../src/commands/call.js';

it('a screenshot that is interrupted leaves no session on the server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pwpool-screenshot-'));
  const env = { PWPOOL_RUNTIME_DIR: join(folder, 'run') };
  const driver = new FakeDriver();
  const config = resolveConfig({ pools: { SHOP: { isDefault: true, isolated: true, instances: 1 } } });
  const server = await PoolServer.start(config, { log: () => {}, parts: { driver }, env });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  vi.stubEnv('PWPOOL_RUNTIME_DIR', env.PWPOOL_RUNTIME_DIR);
  driver.answer = ({ tool, args }) => {
    if (tool === 'browser_take_screenshot') process.emit('SIGINT', 'SIGINT');
    return { content: [{ type: 'text', text: `### Page\n- Page URL: ${String(args['url'])}` }] };
  };
  const taken = screenshot('https://a.example/', { out: join(folder, 'page.png') });
  await expect(taken).rejects.toMatchObject({ code: 'CANCELLED' } satisfies Partial<PwpoolError>);
  expect(server.sessions.all()).toEqual([]);
});
