import { describe, expect, it } from 'vitest';
import { explainConfig } from '../../src/config/explain.js';
import { KEY_NAMES } from '../../src/config/keys.js';
import { loadConfig } from '../../src/config/load-config.js';
import { configOf, directoryWith, poolOf } from './sources.js';

// The settings of [000-example-01] and those after it.
const EXAMPLE_3 = {
  HEADLESS: 'true',
  BROWSER: 'chromium',
  TIMEOUT: '30000',
  _BROWSERS_INSTANCES: '3',
  _BROWSERS_IS_DEFAULT: 'true',
  _BROWSERS__0_BROWSER: 'msedge',
  _BROWSERS__0_ALIAS: 'edge_main',
  _BROWSERS__1_BROWSER: 'firefox',
  _BROWSERS__1_ALIAS: 'firefox_debug',
  _BROWSERS__1_HEADLESS: 'false',
};

describe('examples', () => {
  it('1: global defaults with a single pool, from .env [000-example-01, 000-key-01, 000-key-02]', () => {
    const lines = [
      '# Global defaults apply to all pools',
      'PW_MCP_PROXY_HEADLESS=true',
      'PW_MCP_PROXY_BROWSER=chromium',
      'PW_MCP_PROXY_TIMEOUT=30000',
      '',
      'PW_MCP_PROXY__DEFAULT_INSTANCES=3',
      'PW_MCP_PROXY__DEFAULT_IS_DEFAULT=true',
    ];
    const pool = poolOf(loadConfig({ env: {}, cwd: directoryWith(lines.join('\n')) }), 'DEFAULT');
    expect(pool.isDefault).toBe(true);
    expect(pool.instances.map(({ id }) => id)).toEqual(['0', '1', '2']);
    for (const { settings } of pool.instances) {
      expect(settings).toMatchObject({ browser: 'chromium', headless: true, timeout: 30_000 });
    }
  });

  it('2: global defaults with pool overrides [000-example-02]', () => {
    const config = configOf({
      HEADLESS: 'true',
      BROWSER: 'chromium',
      _SESSIONLESS_INSTANCES: '5',
      _SESSIONLESS_IS_DEFAULT: 'true',
      _ISOLATED_INSTANCES: '2',
      _ISOLATED_HEADLESS: 'false',
      _ISOLATED_BROWSER: 'firefox',
      _ISOLATED_ISOLATED: 'true',
    });
    const sessionless = poolOf(config, 'SESSIONLESS');
    const isolated = poolOf(config, 'ISOLATED');
    expect([sessionless.isDefault, isolated.isDefault]).toEqual([true, false]);
    expect(sessionless.instances).toHaveLength(5);
    expect(isolated.instances).toHaveLength(2);
    expect(sessionless.instances[4]?.settings).toMatchObject({
      browser: 'chromium',
      headless: true,
      isolated: false,
    });
    expect(isolated.instances[1]?.settings).toMatchObject({
      browser: 'firefox',
      headless: false,
      isolated: true,
    });
  });

  it('3: the table of effective configuration [000-example-03, arch-config-07]', () => {
    const explanation = explainConfig(configOf(EXAMPLE_3));
    const rows = explanation.pools.flatMap(({ instances }) =>
      instances.map(({ id, alias, settings }) => {
        const of = (key: string) => {
          const setting = settings.find((candidate) => candidate.key === key);
          return [setting?.value, setting?.origin.level];
        };
        return { id, alias, browser: of('BROWSER'), headless: of('HEADLESS'), timeout: of('TIMEOUT') };
      }),
    );
    expect(rows).toEqual([
      {
        id: '0',
        alias: 'edge_main',
        browser: ['msedge', 'instance'],
        headless: [true, 'global'],
        timeout: [30_000, 'global'],
      },
      {
        id: '1',
        alias: 'firefox_debug',
        browser: ['firefox', 'instance'],
        headless: [false, 'instance'],
        timeout: [30_000, 'global'],
      },
      {
        id: '2',
        alias: null,
        browser: ['chromium', 'global'],
        headless: [true, 'global'],
        timeout: [30_000, 'global'],
      },
    ]);
  });

  it('5: several pools with shared defaults and descriptions [000-key-03]', () => {
    const config = configOf({
      HEADLESS: 'true',
      TIMEOUT: '60000',
      _CHROMIUM_INSTANCES: '5',
      _CHROMIUM_IS_DEFAULT: 'true',
      _CHROMIUM_BROWSER: 'chromium',
      _CHROMIUM_DESCRIPTION: 'General-purpose web scraping and navigation',
      _FIREFOX_INSTANCES: '3',
      _FIREFOX_BROWSER: 'firefox',
      _FIREFOX_DESCRIPTION: 'Cross-browser compatibility testing',
      _WEBKIT_INSTANCES: '2',
      _WEBKIT_BROWSER: 'webkit',
      _WEBKIT_DESCRIPTION: 'Mobile Safari and WebKit-specific testing',
    });
    expect(
      config.pools.map(({ name, description, instances }) => [name, description, instances.length]),
    ).toEqual([
      ['CHROMIUM', 'General-purpose web scraping and navigation', 5],
      ['FIREFOX', 'Cross-browser compatibility testing', 3],
      ['WEBKIT', 'Mobile Safari and WebKit-specific testing', 2],
    ]);
    for (const { name, instances } of config.pools) {
      for (const { settings } of instances) {
        expect(settings).toMatchObject({ browser: name.toLowerCase(), headless: true, timeout: 60_000 });
      }
    }
  });
});

describe('explainConfig', () => {
  const explained = () => explainConfig(configOf({ ...EXAMPLE_3, OUTPUT_DIR: '/tmp/out' }));

  it('is plain JSON', () => {
    const explanation = explained();
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });

  it('shows every key once for an instance, its pool and the server, in table order', () => {
    const explanation = explained();
    const [pool] = explanation.pools;
    const lists = [explanation.server, pool?.settings ?? [], pool?.instances[0]?.settings ?? []];
    const shown = lists.map((settings) => settings.map(({ key }) => key));
    expect(shown.flat().sort()).toEqual([...KEY_NAMES].sort());
    for (const keys of shown) expect(keys).toEqual(KEY_NAMES.filter((key) => keys.includes(key)));
  });

  it('names the variable that decided, and shows an unset value as null [arch-config-07]', () => {
    const explanation = explained();
    expect(explanation.server.find(({ key }) => key === 'OUTPUT_DIR')).toEqual({
      key: 'OUTPUT_DIR',
      value: '/tmp/out',
      origin: { level: 'global', source: 'environment', name: 'PW_MCP_PROXY_OUTPUT_DIR' },
    });
    const unset = explanation.pools[0]?.instances[0]?.settings.find(({ key }) => key === 'EXECUTABLE_PATH');
    expect(unset).toEqual({
      key: 'EXECUTABLE_PATH',
      value: null,
      origin: { level: 'built-in', source: 'built-in', name: '' },
    });
  });

  it('masks secrets', () => {
    const { server } = explainConfig(configOf({ ...EXAMPLE_3, STATE_KEY: 'correct horse' }));
    expect(server.find(({ key }) => key === 'STATE_KEY')).toMatchObject({
      value: '***',
      origin: { level: 'global' },
    });
  });
});
