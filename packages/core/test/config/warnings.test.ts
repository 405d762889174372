import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectConfig, loadConfig } from '../../src/config/load-config.js';
import { directoryWith } from './sources.js';

const POOL = { PW_MCP_PROXY__A_INSTANCES: '1', PW_MCP_PROXY__A_IS_DEFAULT: 'true' };

describe('names that are not quite those of pwpool', () => {
  it.each([
    ['PWPOOL_A_INSTANCES', 'PW_MCP_PROXY__A_INSTANCES'],
    ['PWPOOL_HEADLESS', 'PW_MCP_PROXY_HEADLESS'],
    ['PWPOOL__A__0_ALIAS', 'PW_MCP_PROXY__A__0_ALIAS'],
    ['PW_MCP__A_INSTANCES', 'PW_MCP_PROXY__A_INSTANCES'],
    ['PW_MCP_SHOP_INSTANCES', 'PW_MCP_PROXY__SHOP_INSTANCES'],
    ['PW_MCP_PROXYA_INSTANCES', 'PW_MCP_PROXY__A_INSTANCES'],
    ['PW_MCP_PROX__A_INSTANCES', 'PW_MCP_PROXY__A_INSTANCES'],
    ['PW_MPC_PROXY__A_INSTANCES', 'PW_MCP_PROXY__A_INSTANCES'],
    ['PWMCPPROXY_TIMEOUT', 'PW_MCP_PROXY_TIMEOUT'],
    ['pw_mcp_proxy__a_instances', 'PW_MCP_PROXY__A_INSTANCES'],
    ['PW_MCP_INSTANCES', 'PW_MCP_PROXY__<POOL>_INSTANCES'],
  ])('%s is warned of, with %s as what was meant', (name, meant) => {
    for (const sources of [
      { env: { ...POOL, [name]: '2' }, cwd: directoryWith() },
      { env: POOL, cwd: directoryWith(`${name}=2\n`) },
    ]) {
      const { config, warnings } = inspectConfig(sources);
      expect(config?.pools).toHaveLength(1);
      expect(warnings).toMatchObject([
        { code: 'MISSPELT_PREFIX', variable: name, fix: `Did you mean ${meant}?` },
      ]);
    }
  });

  it.each([
    'PWPOOL_RUNTIME_DIR',
    'PW_TEST_BROWSER',
    'PWD',
    'PLAYWRIGHT_BROWSERS_PATH',
    'PLAYWRIGHT_MCP_HEADLESS',
    'MY_MCP_PROXY_TIMEOUT',
    'HTTP_PROXY_TIMEOUT',
    'BROWSER',
    'HEADLESS',
  ])('%s belongs to somebody else', (name) => {
    expect(inspectConfig({ env: { ...POOL, [name]: '2' }, cwd: directoryWith() }).warnings).toEqual([]);
  });

  it('loadConfig tells its caller', () => {
    const told: string[] = [];
    loadConfig({
      env: { ...POOL, PWPOOL_HEADLESS: 'false' },
      cwd: directoryWith(),
      onWarning: ({ variable }) => told.push(variable),
    });
    expect(told).toEqual(['PWPOOL_HEADLESS']);
  });
});

describe('.env', () => {
  it('lines that are no assignment are told by their numbers, without what they hold, and cost nothing else', () => {
    const cwd = directoryWith(
      [
        '# pools',
        'PW_MCP_PROXY__A_INSTANCES 2',
        '',
        'export PW_MCP_PROXY__A_IS_DEFAULT=true # the only one',
        'PW_MCP_PROXY__A_DESCRIPTION="two',
        'lines, one of them = odd"',
        'hunter2',
        '=5',
        'PW_MCP_PROXY__A_INSTANCES=3',
      ].join('\r\n'),
    );
    const { config, warnings, files } = inspectConfig({ env: {}, cwd });
    expect(config?.pools[0]?.instances).toHaveLength(3);
    expect(config?.pools[0]?.description).toBe('two\nlines, one of them = odd');
    expect(warnings).toMatchObject([{ code: 'DOTENV_IGNORED_LINE', variable: '.env:2, .env:7, .env:8' }]);
    expect(JSON.stringify(warnings)).not.toContain('hunter2');
    expect(files).toEqual([join(cwd, '.env')]);
  });

  it('a name that stands there twice is told, and the last one counts; names of others are not looked at', () => {
    const cwd = directoryWith(
      'PW_MCP_PROXY__A_INSTANCES=2\nPORT=1\nPW_MCP_PROXY__A_IS_DEFAULT=true\nPORT=2\nPW_MCP_PROXY__A_INSTANCES=3\n',
    );
    const { config, warnings } = inspectConfig({ env: {}, cwd });
    expect(config?.pools[0]?.instances).toHaveLength(3);
    expect(warnings).toMatchObject([{ code: 'DOTENV_DUPLICATE', variable: 'PW_MCP_PROXY__A_INSTANCES' }]);
    expect(warnings[0]?.message).toContain('(lines 1, 5)');
  });

  it('there may be none', () => {
    expect(inspectConfig({ env: POOL, cwd: directoryWith() })).toMatchObject({ files: [], warnings: [] });
  });
});

describe('the order of pools', () => {
  const DOTENV =
    'PW_MCP_PROXY__ZOO_INSTANCES=1\nPW_MCP_PROXY__B_INSTANCES=1\nPW_MCP_PROXY__ZOO_IS_DEFAULT=true\n';

  it.each([
    ['as written in .env', {}, ['ZOO', 'B']],
    ['the same when a variable overrides one of them', { PW_MCP_PROXY__B_INSTANCES: '2' }, ['ZOO', 'B']],
    [
      'by name for those of the environment, behind',
      { PW_MCP_PROXY__Y_INSTANCES: '1', PW_MCP_PROXY__A_B_INSTANCES: '1', PW_MCP_PROXY__A_INSTANCES: '1' },
      ['ZOO', 'B', 'A', 'A_B', 'Y'],
    ],
  ])('%s', (_title, env, names) => {
    const { config } = inspectConfig({ env, cwd: directoryWith(DOTENV) });
    expect(config?.pools.map(({ name }) => name)).toEqual(names);
  });
});

it('DESCRIPTION holds at all levels, the narrowest first [000-key-03]', () => {
  const env = {
    ...POOL,
    PW_MCP_PROXY__A_INSTANCES: '2',
    PW_MCP_PROXY__B_INSTANCES: '1',
    PW_MCP_PROXY_DESCRIPTION: 'any site',
    PW_MCP_PROXY__A_DESCRIPTION: 'the shop',
    PW_MCP_PROXY__A__1_DESCRIPTION: 'its checkout',
  };
  const { pools } = loadConfig({ env, cwd: directoryWith() });
  expect(pools.map(({ description }) => description)).toEqual(['the shop', 'any site']);
  expect(pools[0]?.instances.map(({ settings }) => settings.description)).toEqual([
    'the shop',
    'its checkout',
  ]);
});

it('the mend of a required key does not say to remove it', () => {
  const env = { ...POOL, PW_MCP_PROXY__A_INSTANCES: '0', PW_MCP_PROXY_TIMEOUT: '0' };
  const { violations } = inspectConfig({ env, cwd: directoryWith() });
  expect(violations.map(({ fix }) => fix)).toEqual([
    'Set it to a whole number from 1 to 1000.',
    expect.stringMatching(/, or remove it\.$/),
  ]);
});
