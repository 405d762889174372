import { loadConfig } from '@pwpool/core';
import { explainConfig } from '@pwpool/core/internal';
import { expect, test } from 'vitest';
import { Workplace } from './command.js';

/** [000-example-03] */
const EXAMPLE_3 = `
PW_MCP_PROXY_HEADLESS=true
PW_MCP_PROXY_BROWSER=chromium
PW_MCP_PROXY_TIMEOUT=30000
PW_MCP_PROXY__BROWSERS_INSTANCES=3
PW_MCP_PROXY__BROWSERS_IS_DEFAULT=true
PW_MCP_PROXY__BROWSERS__0_BROWSER=msedge
PW_MCP_PROXY__BROWSERS__0_ALIAS=edge_main
PW_MCP_PROXY__BROWSERS__1_BROWSER=firefox
PW_MCP_PROXY__BROWSERS__1_ALIAS=firefox_debug
PW_MCP_PROXY__BROWSERS__1_HEADLESS=false
`;

test('shows three instances with their values and where each came from [000-example-03]', async () => {
  const workplace = await Workplace.make({ '.env': EXAMPLE_3 });
  const { status, stdout, stderr } = await workplace.run(['config']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(`Pool BROWSERS (default)
  Instance           Browser   Headless  Timeout  Source
  0 (edge_main)      msedge    true      30000    browser=instance, rest=global
  1 (firefox_debug)  firefox   false     30000    browser/headless=instance, timeout=global
  2                  chromium  true      30000    all=global
`);
});

test('shows every value of every instance with what set it, in 100 columns [arch-config-07]', async () => {
  const workplace = await Workplace.make({ '.env': EXAMPLE_3 });
  const { stdout } = await workplace.runHere(['config'], { PW_MCP_PROXY__BROWSERS_LAZY: 'true' });
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual(['AFFINITY', 'client', 'built-in']);
  expect(rows).toContainEqual(['LAZY', 'true', 'pool', 'PW_MCP_PROXY__BROWSERS_LAZY']);
  expect(rows).toContainEqual(['TIMEOUT_NAVIGATION', '30000', 'global', 'PW_MCP_PROXY_TIMEOUT (.env)']);
  expect(rows).toContainEqual(['BROWSER', 'msedge', 'instance', 'PW_MCP_PROXY__BROWSERS__0_BROWSER (.env)']);
  expect(rows).toContainEqual(['BROWSER', 'chromium', 'global', 'PW_MCP_PROXY_BROWSER (.env)']);

  // What a person reads of an instance is what the library resolves, key by key.
  const { server, pools } = explainConfig(
    loadConfig({ cwd: workplace.path, env: { PW_MCP_PROXY__BROWSERS_LAZY: 'true' } }),
  );
  const settings = [
    server,
    ...pools.flatMap((pool) => [pool.settings, ...pool.instances.map((each) => each.settings)]),
  ];
  for (const { key, value, origin } of settings.flat()) {
    const text = typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);
    expect(rows).toContainEqual(
      expect.arrayContaining([key, value === null ? '-' : text || '""', origin.level]),
    );
  }
});

test('tells instances that are alike once', async () => {
  const workplace = await Workplace.make();
  const { stdout } = await workplace.runHere(['config'], {
    PW_MCP_PROXY__BIG_INSTANCES: '1000',
    PW_MCP_PROXY__BIG_IS_DEFAULT: 'true',
    PW_MCP_PROXY__BIG__7_TIMEOUT: '1',
  });
  expect(stdout).toContain('\n  0-6, 8-999  chromium  true      30000    all=built-in\n');
  expect(stdout).toContain('\n  7           chromium  true      1        timeout=instance, rest=built-in\n');
  expect(stdout).toContain('\n  Instances 0-6, 8-999\n');
  expect(stdout.split('\n').length).toBeLessThan(120);
});

test('masks what is secret in an endpoint and its headers', async () => {
  const workplace = await Workplace.make();
  const variables = {
    PW_MCP_PROXY_ENDPOINT: 'ws://user:secret@127.0.0.1:4444/a1?token=secret',
    PW_MCP_PROXY_ENDPOINT_HEADERS: '{"Authorization":"Bearer secret"}',
  };
  const text = await workplace.runHere(['config'], variables);
  const rows = text.stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual([
    'ENDPOINT',
    'ws://***@127.0.0.1:4444/a1?***',
    'global',
    'PW_MCP_PROXY_ENDPOINT',
  ]);
  expect(rows).toContainEqual(['ENDPOINT_HEADERS', '***', 'global', 'PW_MCP_PROXY_ENDPOINT_HEADERS']);
  const json = await workplace.runHere(['config', '--json'], variables);
  expect(json).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('"ws://***@127.0.0.1:4444/a1?***"'),
  });
  expect(text.stdout + json.stdout).not.toContain('secret');
});

test('a text that would steer the terminal is shown as text', async () => {
  const workplace = await Workplace.make();
  const { stdout } = await workplace.runHere(['config'], {
    PW_MCP_PROXY__A_INSTANCES: '1',
    PW_MCP_PROXY__A_IS_DEFAULT: 'true',
    PW_MCP_PROXY__A_DESCRIPTION: '\u001b]0;title\u0007',
    PW_MCP_PROXY__A__0_ALIAS: 'red\u001b[31m',
  });
  expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  expect(stdout).toContain('0 (red\\u001b[31m)');
});

test('--json is all that explainConfig tells', async () => {
  const workplace = await Workplace.make({ '.env': EXAMPLE_3 });
  const env = { PW_MCP_PROXY_AFFINITY: 'call' };
  const { status, stdout, stderr } = await workplace.runHere(['config', '--json'], env);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual(explainConfig(loadConfig({ cwd: workplace.path, env })));
});
