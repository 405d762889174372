import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/config-schema.js';
import { explainConfig } from '../../src/config/explain.js';
import { type ConfigSources, inspectConfig, loadConfig } from '../../src/config/load-config.js';
import { directoryOf, poolOf } from './sources.js';

const SHOP = `headless: true
timeout: 45000
pools:
  SHOP:
    instances: 2
    is_default: true
    instance:
      0:
        alias: main
        browser: firefox
  ADS:
    instances: 1
    headless: false
`;

function inspect(files: Record<string, string>, sources: ConfigSources = {}) {
  return inspectConfig({ env: {}, cwd: directoryOf(files), ...sources });
}

/** `location: message` of each violation. */
function faultsOf(text: string, name = 'pwpool.config.yaml'): string[] {
  return inspect({ [name]: text }).violations.map(({ location, message }) => `${location}: ${message}`);
}

describe('pwpool.config.yaml', () => {
  it('has the three levels with keys in lower case, and pools in the order written [arch-config-12]', () => {
    const cwd = directoryOf({ 'pwpool.config.yaml': SHOP });
    const config = loadConfig({ env: {}, cwd });
    expect(config.pools.map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['SHOP', true],
      ['ADS', false],
    ]);
    const [first, second] = poolOf(config, 'SHOP').instances;
    expect(first).toMatchObject({ alias: 'main', settings: { browser: 'firefox', timeout: 45_000 } });
    expect(second).toMatchObject({ alias: null, settings: { browser: 'chromium', headless: true } });
    expect(poolOf(config, 'ADS').instances[0]?.settings.headless).toBe(false);
  });

  it('is told as the origin of its values, with line and column [arch-config-07]', () => {
    const { config, files } = inspect({ 'pwpool.config.yaml': SHOP });
    const [first] = config?.pools[0]?.instances ?? [];
    expect(first?.origins.browser).toEqual({
      level: 'instance',
      source: 'file',
      name: 'pools.SHOP.instance.0.browser',
      location: 'pwpool.config.yaml:10:9',
    });
    expect(first?.origins.headless).toMatchObject({ level: 'global', location: 'pwpool.config.yaml:1:1' });
    expect(files).toEqual([expect.stringMatching(/pwpool\.config\.yaml$/)]);
  });

  it('may be JSON, with $schema, headers as an object, and lists', () => {
    const { config, violations } = inspect({
      'pwpool.config.json': JSON.stringify({
        $schema: './schema.json',
        endpoint: 'ws://127.0.0.1:1/',
        endpoint_headers: { Authorization: 'Bearer x' },
        caps: ['pdf', 'vision'],
        context_options: { locale: 'de-DE' },
      }),
    });
    expect(violations).toEqual([]);
    expect(config?.server.caps).toEqual(['pdf', 'vision']);
    expect(config?.pools[0]?.instances[0]?.settings).toMatchObject({
      endpointHeaders: '{"Authorization":"Bearer x"}',
      contextOptions: { locale: 'de-DE' },
    });
  });

  it('may share settings by anchors and merge keys', () => {
    const { config, violations } = inspect({
      'pwpool.config.yaml': `pools:
  A: &fast
    instances: 1
    timeout: 5000
    is_default: true
  B:
    <<: *fast
    is_default: false
`,
    });
    expect(violations).toEqual([]);
    expect(config?.pools.map(({ instances }) => instances[0]?.settings.timeout)).toEqual([5000, 5000]);
  });

  it('loses to .env, that to the environment, and that to --set [arch-config-06, arch-config-11, arch-config-12]', () => {
    const files = {
      'pwpool.config.yaml': SHOP,
      '.env': 'PW_MCP_PROXY_TIMEOUT=2\nPW_MCP_PROXY_HEADLESS=false\n',
    };
    const cwd = directoryOf(files);
    const timeout = (sources: ConfigSources) => {
      const { config } = inspectConfig({ cwd, env: {}, ...sources });
      const { settings, origins } = config?.pools[0]?.instances[1] ?? {};
      return [settings?.timeout, origins?.timeout.source];
    };
    const env = { PW_MCP_PROXY_TIMEOUT: '3' };
    expect(timeout({})).toEqual([2, 'dotenv']);
    expect(timeout({ env })).toEqual([3, 'environment']);
    expect(timeout({ env, args: ['--set', 'timeout=4'] })).toEqual([4, 'flags']);
    // A narrower level wins over a stronger source.
    expect(timeout({ env, args: ['--set=TIMEOUT=4', '--set', 'SHOP.timeout=5'] })).toEqual([5, 'flags']);
  });

  it('a variable that overrides one of its settings does not move the pool', () => {
    const { config } = inspect({ 'pwpool.config.yaml': SHOP }, { env: { PW_MCP_PROXY__ADS_TIMEOUT: '9' } });
    expect(config?.pools.map(({ name }) => name)).toEqual(['SHOP', 'ADS']);
  });

  it('paths in it are seen from its own directory', () => {
    const cwd = directoryOf({});
    const elsewhere = directoryOf({ 'pool.yaml': 'output_dir: out\ninit_script: [a.js]\n', 'a.js': '' });
    const { config } = inspectConfig({ env: {}, cwd, args: ['--config', join(elsewhere, 'pool.yaml')] });
    expect(config?.server.outputDir).toBe(join(elsewhere, 'out'));
    expect(config?.pools[0]?.instances[0]?.settings.initScript).toEqual([join(elsewhere, 'a.js')]);
  });

  it('of comments only sets nothing', () => {
    expect(inspect({ 'pwpool.config.yaml': '# later\n' }).config?.pools[0]?.instances).toHaveLength(8);
  });
});

describe('a faulty file', () => {
  it.each([
    ['headles: true', '1:1: headles is not a known setting'],
    ['a: 1\na: 2', '2:1: This is not YAML: Map keys must be unique'],
    ['pools:\n\tA: 1', '2:1: This is not YAML: Tabs are not allowed as indentation'],
    ['headless: [', 'This is not YAML'],
    ['headless: *nobody', 'This is not YAML: Unresolved alias'],
    ['- headless: true', '1:1: pwpool.config.yaml is [ [Object] ], but must be an object'],
    ['timeout: 1s', '1:1: timeout is "1s", but must be a whole number of milliseconds'],
    ['caps: pdf', '1:1: caps is "pdf", but must be a list of'],
    ['headless:', '1:1: headless is null, but must be true or false'],
    ['pools: { A: }', '1:10: pools.A is null, but must be an object'],
    ['pools: { A: { instances: 1, is_default: true, instance: { x: {} } } }', '1:59: Invalid instance ID'],
  ])('%s', (text, fault) => {
    const faults = faultsOf(text);
    expect(
      faults.some((each) => each.includes(fault)),
      faults.join('\n'),
    ).toBe(true);
    for (const each of faults) expect(each).toMatch(/^pwpool\.config\.yaml/);
  });

  it('names the place of what is missing by what stands around it', () => {
    expect(faultsOf('pools:\n  A:\n    headless: true\n')).toEqual([
      'pwpool.config.yaml:2:3: Pool missing INSTANCES configuration: A',
      'pwpool.config.yaml:2:3: No default pool defined',
    ]);
  });

  it('an alias that grows without end is refused', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
      .concat(
        'bcdefgh'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]}, `.repeat(9)}]`),
      )
      .join('\n');
    expect(faultsOf(bomb).join()).toContain('This is not YAML: Excessive alias count');
  });

  it('with others beside it is told, and so is one that is not there or not in UTF-8', () => {
    const { violations } = inspect({ 'pwpool.config.yaml': '', 'pwpool.config.json': '{}' });
    expect(violations).toMatchObject([{ code: 'SEVERAL_FILES' }]);
    for (const args of [['--config', 'no.yaml'], ['--config=no.json']]) {
      expect(inspect({}, { args }).violations).toMatchObject([{ code: 'FILE_UNREADABLE' }]);
    }
    const latin1 = directoryOf({});
    expect(inspectConfig({ env: {}, cwd: latin1, args: ['--config', '.'] }).violations).toHaveLength(1);
  });
});

describe('--config', () => {
  it("takes playwright-mcp's JSON as well, and tells the two apart", () => {
    const upstream = { browser: { isolated: false, browserName: 'firefox' }, capabilities: ['pdf'] };
    const own = { browser: 'firefox', isolated: false };
    for (const json of [upstream, own]) {
      const { config, violations } = inspect(
        { 'any.json': JSON.stringify(json) },
        { args: ['--config', 'any.json'] },
      );
      expect(violations).toEqual([]);
      expect(config?.pools[0]?.instances[0]?.settings).toMatchObject({ browser: 'firefox', isolated: false });
    }
  });

  it('stands in place of the file in the directory, and --env-file in that of .env', () => {
    const cwd = directoryOf({
      'pwpool.config.yaml': 'timeout: 1',
      '.env': 'PW_MCP_PROXY_TIMEOUT_ACTION=1',
      'other.yaml': 'headless: false',
      'other.env': 'PW_MCP_PROXY_TIMEOUT_EXPECT=7',
    });
    const args = ['--config', 'other.yaml', '--env-file=other.env'];
    const { config, files } = inspectConfig({ env: {}, cwd, args });
    expect(config?.pools[0]?.instances[0]?.settings).toMatchObject({
      headless: false,
      timeout: 30_000,
      timeoutAction: 5000,
      timeoutExpect: 7,
    });
    expect(files).toEqual([join(cwd, 'other.env'), join(cwd, 'other.yaml')]);
    expect(inspectConfig({ env: {}, cwd, args: ['--env-file', 'none.env'] }).violations).toMatchObject([
      { code: 'DOTENV_UNREADABLE', fix: 'Correct the path, or leave it out.' },
    ]);
  });
});

describe('--set', () => {
  it.each([
    ['headless=false', 'headless', false],
    ['HEADLESS=false', 'headless', false],
    ['SHOP.headless=false', 'headless', false],
    ['pools.SHOP.headless=false', 'headless', false],
    ['SHOP.0.headless=false', 'headless', false],
    ['pools.SHOP.instance.0.headless=false', 'headless', false],
    ['user_agent=a=b', 'userAgent', 'a=b'],
  ] as const)('%s', (setting, name, value) => {
    const { config } = inspect({ 'pwpool.config.yaml': SHOP }, { args: ['--set', setting] });
    expect(config?.pools[0]?.instances[0]?.settings[name]).toBe(value);
  });

  it('may be repeated: of one key the last counts', () => {
    const args = ['--set', 'SHOP.timeout=1', '--set', 'headless=false', '--set', 'SHOP.timeout=2'];
    const { config } = inspect({ 'pwpool.config.yaml': SHOP }, { args });
    expect(config?.pools[0]?.instances[0]?.settings).toMatchObject({ timeout: 2, headless: false });
  });

  it('may define a pool', () => {
    const args = ['--set', 'NEW.instances=1', '--set', 'NEW.is_default=true'];
    expect(inspect({}, { args }).config?.pools.map(({ name }) => name)).toEqual(['NEW']);
  });

  it.each([
    ['headles=true', 'UNKNOWN_KEY', 'Did you mean --set headless?'],
    ['SHOP.headles=true', 'UNKNOWN_KEY', 'Did you mean --set SHOP.headless?'],
    ['SHOP.0.aliaz=x', 'UNKNOWN_KEY', 'Did you mean --set SHOP.0.alias?'],
    ['SHOP.headless=yes', 'INVALID_VALUE', 'Set it to true or false, or remove it.'],
    ['shop.headless=true', 'INVALID_POOL_NAME', 'such as SHOP'],
    ['SHOP.00.alias=x', 'INVALID_INSTANCE_ID', 'Use the number of an instance'],
    ['instances=3', 'INSTANCES_DEFINED_GLOBALLY', '--set <POOL>.instances'],
    ['headless', 'INVALID_VALUE', '--set POOL.KEY=value'],
    ['a.b.c.d=1', 'INVALID_VALUE', '--set POOL.KEY=value'],
    ['', 'INVALID_VALUE', '--set POOL.KEY=value'],
  ])('%s is refused', (setting, code, fix) => {
    const { violations } = inspect({ 'pwpool.config.yaml': SHOP }, { args: ['--set', setting] });
    expect(violations).toMatchObject([{ code, fix: expect.stringContaining(fix) }]);
  });
});

describe('the schema', () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(configSchema());

  it('takes what is valid, and refuses what is not [arch-config-12]', () => {
    const good = { headless: true, pools: { SHOP: { instances: 2, instance: { 0: { alias: 'main' } } } } };
    expect(validate(good), JSON.stringify(validate.errors)).toBe(true);
    for (const bad of [
      { headles: true },
      { headless: 'yes' },
      { instances: 3 },
      { pools: { shop: { instances: 1 } } },
      { pools: { SHOP: { affinity: 'call' } } },
      { pools: { SHOP: { instance: { '00': {} } } } },
      { pools: { SHOP: { instance: { 0: { alias: '7' } } } } },
      { context_options: { viewport: null } },
    ]) {
      expect(validate(bad), JSON.stringify(bad)).toBe(false);
    }
  });

  it('takes every default, and the published file is the one that is generated', () => {
    const cwd = directoryOf({});
    const { server } = explainConfig(loadConfig({ env: {}, cwd }));
    const set = server
      .filter(({ value }) => value !== null)
      .map(({ key, value }) => [key.toLowerCase(), value]);
    expect(validate(Object.fromEntries(set)), JSON.stringify(validate.errors)).toBe(true);
    const published = new URL('../../schema/pwpool.config.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(JSON.parse(JSON.stringify(configSchema())));
  });
});
