import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Workplace } from './command.js';
import { Server } from './server.js';

const ENV = `PW_MCP_PROXY__SHOP_INSTANCES=2
PW_MCP_PROXY__SHOP_IS_DEFAULT=true
PW_MCP_PROXY__SHOP_ISOLATED=true
PW_MCP_PROXY__SHOP_LAZY=true
PW_MCP_PROXY__SHOP_CONTEXTS_PER_BROWSER=2
`;

test('a running server is operated from the command line [arch-operate-01, arch-operate-03, arch-operate-04]', async () => {
  const workplace = await Workplace.make({ '.env': ENV });
  const server = await Server.start(workplace);
  const run = async (...args: string[]) => await workplace.runHere(args);
  await server.call('start_browser', { sessionId: 'alice' });

  // One of its commands as a process of its own.
  expect(await workplace.run(['instances', 'drain', 'SHOP/1'])).toEqual({
    status: 0,
    stdout:
      'SHOP/1: is being taken out of service\nSHOP/1: taken out of service, stopped\ndrain: 1 instance done.\n',
    stderr: '',
  });
  expect(await run('instances', 'resume', 'SHOP', '--json')).toMatchObject({ status: 0, stderr: '' });
  expect((await run('instances', 'restart', 'SHOP/9')).status).toBe(64);
  expect((await run('instances', 'drain', 'SHOP/')).stderr).toContain("'SHOP/' names no instance.");
  expect((await run('pools', 'scale', 'SHOP', '3')).stdout).toContain('2 instances before, 3 now.');

  await writeFile(join(workplace.path, '.env'), `${ENV}PW_MCP_PROXY__SHOP_LEASE_TIMEOUT=9000\n`);
  const reloaded = await run('reload');
  expect(reloaded.status).toBe(0);
  expect(reloaded.stdout).toContain('LEASE_TIMEOUT of SHOP: holds now');
  await writeFile(join(workplace.path, '.env'), `${ENV}PW_MCP_PROXY__SHOP_LEASE_TIMEOUT=soon\n`);
  const refused = await run('reload');
  expect(refused.status).toBe(78);
  expect(refused.stderr).toMatch(
    /^Nothing has changed.*\n.*1 violation:\n- PW_MCP_PROXY__SHOP_LEASE_TIMEOUT is "soon"/,
  );

  const page = 'url=data:text/html,<h1>Called</h1>';
  expect((await run('call', 'browser_navigate', page)).stdout).toContain('Called');
  // Another command goes on with the page of the one before.
  expect((await run('call', 'browser_snapshot')).stdout).toContain('Called');
  expect(await run('call', 'browser_navigate', 'adress=x')).toMatchObject({ status: 64 });
  expect(await run('tools', 'browser_clik')).toMatchObject({
    status: 64,
    stderr: "TOOL_NOT_FOUND: Tool 'browser_clik' not found.\nDid you mean browser_click?\n",
  });
  expect((await run('tools', 'browser_navigate')).stdout).toMatch(/^ {2}url +string +required/m);
  expect((await run('sessions', 'list')).stdout).toMatch(/^alice +stdio +active[\s\S]*command/m);
  expect(await run('sessions', 'close', 'alice')).toMatchObject({ status: 0 });
  expect((await run('sessions', 'show', 'alice')).status).toBe(1);
  const log = await run('logs', '--json');
  expect(log.stdout.split('\n').filter((line) => line.includes('"tool":"browser_navigate"'))).toHaveLength(2);

  const stopped = await run('stop');
  expect(stopped).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`The server ${server.processId} has ended.`),
  });
  expect((await run('reload')).status).toBe(2);
});

test('several servers: one has to be named', async () => {
  const workplace = await Workplace.make({ '.env': ENV });
  const [first, second] = [await Server.start(workplace), await Server.start(workplace)];
  const asked = await workplace.runHere(['reload']);
  expect(asked.status).toBe(64);
  expect(asked.stderr).toMatch(
    new RegExp(
      `Several pwpool servers.*\\n  --server ${first.processId} in .*\\n  --server ${second.processId} in `,
    ),
  );
  expect((await workplace.runHere(['reload', '--server', String(second.processId)])).status).toBe(0);
});

test('SIGHUP has the server reload, and it does not end [arch-operate-03]', async () => {
  const workplace = await Workplace.make({ '.env': ENV });
  const server = await Server.start(workplace);
  await writeFile(join(workplace.path, '.env'), ENV.replace('INSTANCES=2', 'INSTANCES=4'));
  process.kill(server.processId, 'SIGHUP');
  await expect
    .poll(async () => ((await server.call('browser_pool_status')) as { summary: object }).summary)
    .toMatchObject({ total_instances: 4 });
});

test('a screenshot and a call on a pool of their own, where no server runs', async () => {
  const workplace = await Workplace.make({ '.env': ENV });
  const out = join(workplace.path, 'page.png');
  const page = 'data:text/html,<h1>Picture</h1>';
  expect(await workplace.runHere(['screenshot', page, '--out', out])).toMatchObject({
    status: 0,
    stdout: `${out}\n`,
  });
  const failed = await workplace.runHere(['screenshot', 'http://127.0.0.1:1/', '--out', out]);
  expect(failed.status).toBe(1);
  expect(failed.stderr).toMatch(/^The picture is of a page that did not open\. EXECUTION_ERROR: [^{}]+$/);
  expect((await workplace.runHere(['tools', '--json'])).stdout).toContain('"name": "browser_navigate"');
});
