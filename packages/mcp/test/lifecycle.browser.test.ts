import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import {
  BIN,
  environment,
  errorOf,
  pool,
  poolsOf,
  processesIn,
  runToEnd,
  StdioServer,
  temporaryDirectory,
} from './fixtures/stdio-server.js';

describe('the end of a server', () => {
  it('comes when its client leaves: browsers, temporary files and the registration go with it [002-life-04, arch-run-01, arch-config-13]', async () => {
    await using directory = await temporaryDirectory();
    const server = await StdioServer.start({ ...pool('DEFAULT', 2), TMPDIR: directory.path });
    await using _ = server;
    await Promise.all(['a', 'b'].map((sessionId) => server.text('start_browser', { sessionId })));
    const inside = server.directory;
    await server.client.close();
    await expect.poll(() => processesIn(inside)).toEqual([]);
    expect(await readdir(directory.path)).toEqual([]);
    expect(await readdir(join(inside, 'run'))).toEqual([]);
    expect(existsSync(join(inside, 'data'))).toBe(false);
  });

  it('comes on SIGINT too, and does not wait for a browser that will not close [arch-run-01, arch-run-02, 002-life-04]', {
    tags: ['at-length'],
  }, async () => {
    await using server = await StdioServer.start(pool('DEFAULT', 1));
    await server.text('start_browser');
    const browser = (await poolsOf(server))[0]?.instances[0]?.process_id;
    if (typeof browser !== 'number') throw new Error('The instance has no browser.');
    process.kill(browser, 'SIGSTOP');
    process.kill(server.processId, 'SIGINT');
    await expect.poll(() => processesIn(server.directory)).toEqual([]);
  });

  it('on SIGTERM lets a running call finish, refuses new ones, and exits with 0 [arch-run-01, arch-run-03, arch-error-08]', async () => {
    await using site = await startSite();
    const patient = { PW_MCP_PROXY_SHUTDOWN_GRACE: '30000' };
    await using server = await StdioServer.start({ ...pool('DEFAULT', 1), ...patient });
    const running = server.text('browser_navigate', { url: `${site.origin}/held/last` });
    await expect.poll(() => site.requests).toContain('/held/last');
    process.kill(server.processId, 'SIGTERM');
    await expect
      .poll(async () => errorOf(await server.call('browser_pool_status')).code)
      .toBe('SHUTTING_DOWN');
    site.release();
    expect(await running).toContain('Page Title: last');
    await expect.poll(() => processesIn(server.directory)).toEqual([]);
  });

  it('does not wait for a call longer than SHUTDOWN_GRACE [arch-run-03]', {
    tags: ['at-length'],
  }, async () => {
    await using site = await startSite();
    await using directory = await temporaryDirectory();
    const variables = { ...pool('DEFAULT', 1), PW_MCP_PROXY_SHUTDOWN_GRACE: '100' };
    const child = spawn(process.execPath, [BIN], {
      cwd: directory.path,
      env: environment(directory.path, variables),
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    send({ method: 'notifications/initialized' });
    send({
      id: 2,
      method: 'tools/call',
      params: { name: 'browser_navigate', arguments: { url: `${site.origin}/hang` } },
    });
    await expect.poll(() => site.requests).toContain('/hang');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    await expect.poll(() => processesIn(directory.path)).toEqual([]);
  });
});

it('a server whose stderr nobody reads any more goes on', { tags: ['at-length'] }, async () => {
  await using directory = await temporaryDirectory();
  const variables = {
    ...pool('DEFAULT', 1, { LAZY: 'false', MAX_RESTARTS: '0' }),
    PW_MCP_PROXY_EXECUTABLE_PATH: '/nowhere/chrome',
  };
  const transport = new StdioClientTransport({
    command: 'bash',
    args: ['-c', 'exec "$0" "$1" 2> >(:)', process.execPath, BIN],
    env: environment(directory.path, variables),
    cwd: directory.path,
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  // That its browser did not start is written to stderr.
  for (let call = 0; call < 2; call++) {
    const answer = (await client.callTool({ name: 'browser_snapshot' })) as CallToolResult;
    expect(errorOf(answer).code).toBe('NO_HEALTHY_INSTANCES');
  }
  await client.close();
  await expect.poll(() => processesIn(directory.path)).toEqual([]);
});

describe('a start that is refused', () => {
  it('lists every violation of the configuration on stderr, exits with 78 and starts nothing [000-start-03, arch-error-03, arch-security-01]', async () => {
    await using directory = await temporaryDirectory();
    const { status, stdout, stderr } = await runToEnd(directory.path, {
      PW_MCP_PROXY_INSTANCES: '3',
      PW_MCP_PROXY__A_HEADLES: 'true',
      PW_MCP_PROXY__A_TIMEOUT: 'soon',
      PW_MCP_PROXY__B_INSTANCES: '1',
    });
    expect(status).toBe(78);
    expect(stdout).toBe('');
    for (const text of [
      'INSTANCES defined globally',
      'HEADLESS',
      'soon',
      'Pool missing INSTANCES',
      'No default pool defined',
    ]) {
      expect(stderr).toContain(text);
    }
    expect(await readdir(directory.path)).toEqual([]);
  });

  it('names every unknown or refused option, on stderr, with the nearest name or what to use instead', async () => {
    await using directory = await temporaryDirectory();
    const args = ['--isolatd', '--shared-browser-context', '--browser', 'opera'];
    const { status, stdout, stderr } = await runToEnd(directory.path, {}, args);
    expect(status).toBe(78);
    expect(stdout).toBe('');
    expect(stderr).toContain('--isolatd is not an option. Did you mean --isolated?');
    expect(stderr).toContain(
      '--shared-browser-context is an option of playwright-mcp that pwpool does not have. Leave it out',
    );
    expect(stderr).toContain('--browser is "opera", but must be one of chromium');
  });
});

const testWithoutBrowser = onSharedServer({
  ...pool('ABSENT', 1, { EXECUTABLE_PATH: '/nowhere/chrome' }),
  ...pool('BROKEN', 1, { IS_DEFAULT: 'false', EXECUTABLE_PATH: '/bin/false' }),
});

describe('a browser that cannot be launched', () => {
  testWithoutBrowser('answers BROWSER_NOT_READY with what to change [002-error-02]', async ({ server }) => {
    expect(await server.error('browser_snapshot')).toMatchObject({
      code: 'BROWSER_NOT_READY',
      message: expect.stringContaining('/nowhere/chrome'),
      hint: expect.stringContaining('EXECUTABLE_PATH'),
    });
  });

  testWithoutBrowser(
    'answers with the reason that Playwright gives, and without its command line [002-error-02]',
    async ({ server }) => {
      const error = await server.error('browser_snapshot', { browser_pool: 'BROKEN' });
      expect(error.code).toBe('BROWSER_NOT_READY');
      expect(error.message).toContain('did not start: it ended at once with exit code 1');
      expect(error.message).not.toContain('--remote-debugging');
      expect(error.hint).toContain('npx playwright install chromium');
    },
  );
});
