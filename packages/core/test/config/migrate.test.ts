import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { levelsOf } from '../../src/config/keys.js';
import { inspectConfig } from '../../src/config/load-config.js';
import { migrate, type OldConfig } from '../../src/config/migrate.js';
import { VERSION_1 } from '../../src/config/version-1.js';
import { asConfigFile, asVariables } from '../../src/config/written-settings.js';
import { directoryOf, directoryWith } from './sources.js';

/** Seed 000, "Breaking Changes", word for word. */
const OLD = {
  PLAYWRIGHT_HEADLESS: 'false',
  PLAYWRIGHT_BROWSER: 'firefox',
  PLAYWRIGHT_WSL_WINDOWS: 'true',
};

function migrated(old: Partial<OldConfig>) {
  return migrate({ env: {}, cwd: directoryWith(), args: [], ...old });
}

/** As variables, without comments, in alphabetical order. */
function variablesOf(old: Partial<OldConfig>): string[] {
  const lines = asVariables(migrated(old).settings).split('\n');
  return lines.filter((line) => !line.startsWith('#')).sort();
}

describe('variables of version 1', () => {
  it('become global ones, and one default pool: option A [000-migration-02]', () => {
    expect(variablesOf({ env: OLD })).toEqual([
      'PW_MCP_PROXY_BROWSER=firefox',
      'PW_MCP_PROXY_HEADLESS=false',
      'PW_MCP_PROXY_WSL_WINDOWS=true',
      'PW_MCP_PROXY__DEFAULT_INSTANCES=1',
      'PW_MCP_PROXY__DEFAULT_IS_DEFAULT=true',
    ]);
  });

  it('become those of a pool: option B [000-migration-02]', () => {
    expect(variablesOf({ env: OLD, pool: 'DEFAULT' })).toEqual([
      'PW_MCP_PROXY__DEFAULT_BROWSER=firefox',
      'PW_MCP_PROXY__DEFAULT_HEADLESS=false',
      'PW_MCP_PROXY__DEFAULT_INSTANCES=1',
      'PW_MCP_PROXY__DEFAULT_IS_DEFAULT=true',
      'PW_MCP_PROXY__DEFAULT_WSL_WINDOWS=true',
    ]);
  });

  it('keys of the server stay global, words for true and false are taken, and opposites turned', () => {
    const env = {
      PLAYWRIGHT_CAPS: 'vision,pdf',
      PLAYWRIGHT_NO_SANDBOX: '1',
      PLAYWRIGHT_VIEWPORT_SIZE: '800,600',
    };
    expect(variablesOf({ env, pool: 'P' })).toEqual([
      'PW_MCP_PROXY_CAPS=vision,pdf',
      'PW_MCP_PROXY__P_INSTANCES=1',
      'PW_MCP_PROXY__P_IS_DEFAULT=true',
      'PW_MCP_PROXY__P_SANDBOX=false',
      'PW_MCP_PROXY__P_VIEWPORT=800x600',
    ]);
  });

  it('what has no counterpart, or no valid value, is told; the rest is brought over', () => {
    const env = {
      PLAYWRIGHT_STEALTH_MODE: 'true',
      PLAYWRIGHT_TIMEOUT_ACTION: 'soon',
      PLAYWRIGHT_HEADLESS: 'no',
    };
    const { settings, violations } = migrated({ env });
    expect(violations.map(({ code, variable }) => [code, variable])).toEqual([
      ['INVALID_VALUE', 'PLAYWRIGHT_TIMEOUT_ACTION'],
      ['UNSUPPORTED_OPTION', 'PLAYWRIGHT_STEALTH_MODE'],
    ]);
    expect(settings.map(({ key, value }) => [key, value])).toEqual([
      ['HEADLESS', false],
      ['INSTANCES', 1],
      ['IS_DEFAULT', true],
    ]);
  });

  it('are read from a .env file, and the result of either form is valid and means the same', () => {
    const text = Object.entries({ ...OLD, PLAYWRIGHT_USER_AGENT: `it's # "me"` })
      .filter(([name]) => name !== 'PLAYWRIGHT_WSL_WINDOWS')
      .map(([name, value]) => `${name}=\`${value}\``)
      .join('\n');
    const { settings } = migrated({ cwd: directoryOf({ 'old.env': text }), envFile: 'old.env' });
    const files = { '.env': asVariables(settings), 'pwpool.config.yaml': asConfigFile(settings) };
    for (const [name, content] of Object.entries(files)) {
      const { config, violations } = inspectConfig({ env: {}, cwd: directoryOf({ [name]: content }) });
      expect(violations, content).toEqual([]);
      expect(config?.pools).toMatchObject([
        {
          name: 'DEFAULT',
          instances: [{ settings: { browser: 'firefox', headless: false, userAgent: `it's # "me"` } }],
        },
      ]);
    }
  });

  it('are all in docs/migration.md, with their names for all pools and for one [000-migration-03]', () => {
    const page = readFileSync(new URL('../../../../docs/migration.md', import.meta.url), 'utf8');
    for (const [old, successor] of Object.entries(VERSION_1)) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${old}\``));
      expect(row, old).toBeDefined();
      if (typeof successor !== 'string') continue;
      expect(row).toContain(`\`PW_MCP_PROXY_${successor}\``);
      const hasPool = levelsOf(successor).some((level) => level === 'pool');
      expect(row?.includes(`\`PW_MCP_PROXY__<POOL>_${successor}\``)).toBe(hasPool);
    }
  });

  it('are told at start with their new names, and have no effect [000-migration-01, 000-migration-02]', () => {
    const { config, warnings } = inspectConfig({ env: OLD, cwd: directoryWith() });
    expect(config?.pools[0]?.instances[0]?.settings).toMatchObject({ headless: true, browser: 'chromium' });
    expect(warnings).toContainEqual({
      code: 'RENAMED_VARIABLE',
      message: 'PLAYWRIGHT_HEADLESS is not read: it is a name of version 1',
      variable: 'PLAYWRIGHT_HEADLESS',
      fix: 'Rename it to PW_MCP_PROXY_HEADLESS; "pwpool migrate" writes all of them.',
    });
    expect(warnings).toHaveLength(3);
    const renamed = { ...OLD, PW_MCP_PROXY_HEADLESS: 'false' };
    expect(inspectConfig({ env: renamed, cwd: directoryWith() }).warnings).toHaveLength(2);
  });
});

describe("playwright-mcp's options", () => {
  it('become a configuration file', () => {
    const json = { browser: { browserName: 'firefox', isolated: true }, capabilities: ['pdf'] };
    const { settings, violations } = migrated({
      cwd: directoryOf({ 'mcp.json': JSON.stringify(json) }),
      args: ['--config', 'mcp.json', '--headless', '--viewport-size', '800,600'],
    });
    expect(violations).toEqual([]);
    expect(asConfigFile(settings).split('\n').slice(1)).toEqual([
      'headless: true # was --headless',
      'viewport: 800x600 # was --viewport-size',
      'browser: firefox # was mcp.json: browser.browserName',
      'isolated: true # was mcp.json: browser.isolated',
      'caps: [ pdf ] # was mcp.json: capabilities',
    ]);
  });

  it('that are refused are told', () => {
    expect(migrated({ args: ['--extension', '--bogus'] }).violations.map(({ code }) => code)).toEqual([
      'UNKNOWN_OPTION',
      'UNSUPPORTED_OPTION',
    ]);
  });
});
