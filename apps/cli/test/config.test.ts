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
  expect(rows).toContainEqual(['TIMEOUT_NAVIGATION', '30000', 'global', 'PW_MCP_PROXY_TIMEOUT (.env:4)']);
  expect(rows).toContainEqual([
    'BROWSER',
    'msedge',
    'instance',
    'PW_MCP_PROXY__BROWSERS__0_BROWSER (.env:7)',
  ]);
  expect(rows).toContainEqual(['BROWSER', 'chromium', 'global', 'PW_MCP_PROXY_BROWSER (.env:3)']);

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
  expect(stdout.split('\n').length).toBeLessThan(200);
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

test('says which values hold since no pool is defined [arch-config-07, arch-config-09]', async () => {
  const workplace = await Workplace.make();
  const rowsOf = async (variables: Record<string, string>) =>
    (await workplace.runHere(['config'], variables)).stdout
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
  const rows = await rowsOf({ PW_MCP_PROXY_LAZY: 'false' });
  expect(rows).toContainEqual(['INSTANCES', '8', 'built-in', 'since no pool is defined']);
  expect(rows).toContainEqual(['CONTEXTS_PER_BROWSER', '4', 'built-in', 'since no pool is defined']);
  expect(rows).toContainEqual(['LAZY', 'false', 'global', 'PW_MCP_PROXY_LAZY']);
  expect(
    await rowsOf({ PW_MCP_PROXY__OWN_INSTANCES: '1', PW_MCP_PROXY__OWN_IS_DEFAULT: 'true' }),
  ).toContainEqual(['CONTEXTS_PER_BROWSER', '1', 'built-in']);
});

const FILE = `headless: false
pools:
  SHOP:
    instances: 2
    is_default: true
    user_agent: "it's me"
    instance:
      1: { alias: main }
  ADS:
    instances: 1
`;

test('--changed shows what somebody set, with file, line and column; --pool one pool', async () => {
  const workplace = await Workplace.make({ 'pwpool.config.yaml': FILE });
  const { stdout } = await workplace.runHere([
    'config',
    '--changed',
    '--pool',
    'SHOP',
    '--set',
    'SHOP.0.timeout=9',
  ]);
  expect(stdout).toBe(`Pool SHOP (default)
  Instance  Browser   Headless  Timeout  Source
  0         chromium  false     9        timeout=instance, headless=global, browser=built-in
  1 (main)  chromium  false     30000    headless=global, rest=built-in

  Settings of the pool
    INSTANCES   2     pool  pools.SHOP.instances (pwpool.config.yaml:4:5)
    IS_DEFAULT  true  pool  pools.SHOP.is_default (pwpool.config.yaml:5:5)

  All instances
    HEADLESS    false    global  headless (pwpool.config.yaml:1:1)
    USER_AGENT  it's me  pool    pools.SHOP.user_agent (pwpool.config.yaml:6:5)

  Instance 0
    TIMEOUT             9  instance  --set SHOP.0.timeout
    TIMEOUT_NAVIGATION  9  instance  --set SHOP.0.timeout

  Instance 1 (main)
    ALIAS  main  instance  pools.SHOP.instance.1.alias (pwpool.config.yaml:8:12)
`);
  const unknown = await workplace.runHere(['config', '--pool', 'NONE']);
  expect(unknown).toMatchObject({ status: 64, stderr: expect.stringContaining('There are: SHOP, ADS.') });
});

test('--env prints variables that mean the same', async () => {
  const workplace = await Workplace.make({ 'pwpool.config.yaml': FILE });
  const { stdout } = await workplace.runHere(['config', '--env']);
  expect(stdout).toBe(`PW_MCP_PROXY_HEADLESS=false
PW_MCP_PROXY__SHOP_INSTANCES=2
PW_MCP_PROXY__SHOP_IS_DEFAULT=true
PW_MCP_PROXY__SHOP_USER_AGENT="it's me"
PW_MCP_PROXY__SHOP__1_ALIAS=main
PW_MCP_PROXY__ADS_INSTANCES=1
`);
  const copy = await Workplace.make({ '.env': stdout });
  const valuesOf = async (place: Workplace) => {
    const { pools } = JSON.parse((await place.runHere(['config', '--json'])).stdout) as ReturnType<
      typeof explainConfig
    >;
    const instances = pools.flatMap((pool) => pool.instances);
    return instances.map(({ pool, id, alias, settings }) => [
      pool,
      id,
      alias,
      settings.map(({ value }) => value),
    ]);
  };
  expect((await valuesOf(copy)).sort()).toEqual((await valuesOf(workplace)).sort());
});

test('keys lists every key, or those with a word; schema prints the schema of the file', async () => {
  const workplace = await Workplace.make();
  const all = await workplace.runHere(['config', 'keys', '--json']);
  expect(JSON.parse(all.stdout)).toContainEqual(
    expect.objectContaining({ key: 'HEADLESS', name: 'headless', takes: 'true or false', default: '`true`' }),
  );
  const some = await workplace.runHere(['config', 'keys', 'lease', 'forgotten']);
  expect(some.stdout).toMatch(/^LEAK_THRESHOLD {2}\(leak_threshold in a file\)\n/);
  expect((await workplace.runHere(['config', 'keys', 'xyzzy'])).status).toBe(1);
  const schema = await workplace.runHere(['config', 'schema']);
  expect(JSON.parse(schema.stdout)).toMatchObject({ title: 'Configuration of pwpool' });
});

test('an unexpected failure is one line; its stack comes with --verbose', async () => {
  const workplace = await Workplace.make({ 'pwpool.config.yaml': FILE });
  const quiet = await workplace.runHere(['config', '--pool', 'NONE']);
  expect(quiet.stderr).not.toContain(' at ');
  const verbose = await workplace.runHere(['config', '--pool', 'NONE', '--verbose']);
  expect(verbose.stderr).toMatch(/POOL_NOT_FOUND[\s\S]*\n {4}at /);
});
