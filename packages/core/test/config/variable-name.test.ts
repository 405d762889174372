import { describe, expect, it } from 'vitest';
import { KEY_NAMES } from '../../src/config/keys.js';
import { nameAt } from '../../src/config/place.js';
import { parseVariable } from '../../src/config/variable-name.js';

const pool = (name: string) => ({ level: 'pool', pool: name });
const instance = (name: string, id: string) => ({ level: 'instance', pool: name, id });

function violation(name: string) {
  const parsed = parseVariable(name);
  if (!('violation' in parsed)) throw new Error(`${name} was taken as ${JSON.stringify(parsed)}`);
  return parsed.violation;
}

describe('parseVariable', () => {
  it.each([
    ['PW_MCP_PROXY_HEADLESS', { level: 'global' }, 'HEADLESS'],
    ['PW_MCP_PROXY_INSTANCES', { level: 'global' }, 'INSTANCES'],
    ['PW_MCP_PROXY__MY_POOL_IS_DEFAULT', pool('MY_POOL'), 'IS_DEFAULT'],
    ['PW_MCP_PROXY__A_B__0_ALIAS', instance('A_B', '0'), 'ALIAS'],
    ['PW_MCP_PROXY__A_B__12_TIMEOUT_NAVIGATION', instance('A_B', '12'), 'TIMEOUT_NAVIGATION'],
    ['PW_MCP_PROXY__ISOLATED_ISOLATED', pool('ISOLATED'), 'ISOLATED'],
    ['PW_MCP_PROXY__7_BROWSER', pool('7'), 'BROWSER'],
    // The longest key wins,
    ['PW_MCP_PROXY__A_LEASE_TIMEOUT', pool('A'), 'LEASE_TIMEOUT'],
    ['PW_MCP_PROXY__A__0_START_TIMEOUT', instance('A', '0'), 'START_TIMEOUT'],
    // unless it would leave no name for the pool.
    ['PW_MCP_PROXY__LEASE_TIMEOUT', pool('LEASE'), 'TIMEOUT'],
  ])('%s [arch-config-01, arch-config-02]', (name, place, key) => {
    expect(parseVariable(name)).toEqual({ place, key });
  });

  it('reads back the name of every key at every place', () => {
    const places = [
      { level: 'global' },
      { level: 'pool', pool: 'SOME_POOL' },
      { level: 'instance', pool: 'SOME_POOL', id: '10' },
    ] as const;
    for (const key of KEY_NAMES) {
      for (const place of places) {
        expect(parseVariable(nameAt('environment', place, key))).toEqual({ place, key });
      }
    }
  });

  it.each([
    ['PW_MCP_PROXY__X_HEADLES', 'PW_MCP_PROXY__X_HEADLESS'],
    ['PW_MCP_PROXY_HEADLES', 'PW_MCP_PROXY_HEADLESS'],
    ['PW_MCP_PROXY_headless', 'PW_MCP_PROXY_HEADLESS'],
    ['PW_MCP_PROXY__HEADLESS', 'PW_MCP_PROXY_HEADLESS'],
    ['PW_MCP_PROXY___HEADLESS', 'PW_MCP_PROXY_HEADLESS'],
    ['PW_MCP_PROXY__HEADLES', 'PW_MCP_PROXY_HEADLESS'],
    ['PW_MCP_PROXY__MY_POOL_HEALTH_INTERVL', 'PW_MCP_PROXY__MY_POOL_HEALTH_INTERVAL'],
    ['PW_MCP_PROXY__MY_POOL__3_BROWSR', 'PW_MCP_PROXY__MY_POOL__3_BROWSER'],
    ['PW_MCP_PROXY__X_ISDEFAULT', 'PW_MCP_PROXY__X_IS_DEFAULT'],
    ['PW_MCP_PROXY_SCRAPE_HEADLESS', 'PW_MCP_PROXY__SCRAPE_HEADLESS'],
    // What is meant may belong to another level.
    ['PW_MCP_PROXY_INSTANCE', 'PW_MCP_PROXY__<POOL>_INSTANCES'],
    ['PW_MCP_PROXY__X_ALIAZ', 'PW_MCP_PROXY__X__<ID>_ALIAS'],
  ])('%s: did you mean %s? [arch-config-04]', (name, meant) => {
    expect(violation(name)).toMatchObject({
      code: 'UNKNOWN_KEY',
      variable: name,
      fix: `Did you mean ${meant}?`,
    });
  });

  it.each(['PW_MCP_PROXY_', 'PW_MCP_PROXY__', 'PW_MCP_PROXY_COLOUR_OF_THE_SKY', 'PW_MCP_PROXY__X_ZZZZZZZZZ'])(
    '%s is like no key: the keys are listed',
    (name) => {
      const { code, fix } = violation(name);
      expect(code).toBe('UNKNOWN_KEY');
      for (const key of KEY_NAMES) expect(fix).toContain(key);
    },
  );

  it.each([
    ['PW_MCP_PROXY__scrape_HEADLESS', 'SCRAPE'],
    ['PW_MCP_PROXY___X_HEADLESS', 'X'],
    ['PW_MCP_PROXY__X__HEADLESS', 'X'],
    ['PW_MCP_PROXY__A__B__0_HEADLESS', 'A_B'],
    ['PW_MCP_PROXY__MY-POOL_HEADLESS', 'MY_POOL'],
  ])('%s has no proper pool name [000-env-05, arch-config-03]', (name, proper) => {
    const { code, variable, fix } = violation(name);
    expect(code).toBe('INVALID_POOL_NAME');
    expect(variable).toBe(name);
    expect(fix).toContain(`such as ${proper}.`);
  });

  it.each([
    ['PW_MCP_PROXY__X__00_ALIAS', '"00"'],
    ['PW_MCP_PROXY__X__-1_ALIAS', '"-1"'],
    ['PW_MCP_PROXY__MY__POOL_INSTANCES', '"POOL"'],
  ])('%s has no proper instance id [000-env-06]', (name, id) => {
    const { code, message, variable } = violation(name);
    expect(code).toBe('INVALID_INSTANCE_ID');
    expect(message).toContain(`Invalid instance ID in override: ${id}`);
    expect(variable).toBe(name);
  });
});
