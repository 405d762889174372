import { describe, expect, it } from 'vitest';
import { violationsOf } from './sources.js';

const A = { _A_INSTANCES: '3', _A_IS_DEFAULT: 'true' };
const B = { _B_INSTANCES: '1' };

describe('startup validation errors', () => {
  it('Pool missing INSTANCES configuration [000-validation-01]', () => {
    expect(violationsOf({ ...A, _B_HEADLESS: 'true' })).toEqual([
      {
        code: 'POOL_MISSING_INSTANCES',
        message: 'Pool missing INSTANCES configuration: B',
        variable: 'PW_MCP_PROXY__B_INSTANCES',
        fix:
          'Set PW_MCP_PROXY__B_INSTANCES to a whole number from 1 to 1000, ' +
          'or correct PW_MCP_PROXY__B_HEADLESS if there is no such pool.',
      },
    ]);
  });

  it('a pool is also named by an override of one instance', () => {
    expect(violationsOf({ ...A, _B__0_HEADLESS: 'true' })).toMatchObject([
      { code: 'POOL_MISSING_INSTANCES' },
    ]);
  });

  it('Multiple default pools defined [000-validation-02]', () => {
    expect(violationsOf({ ...A, ...B, _B_IS_DEFAULT: 'true' })).toMatchObject([
      {
        code: 'MULTIPLE_DEFAULT_POOLS',
        message: 'Multiple default pools defined: A, B',
        variable: 'PW_MCP_PROXY__A_IS_DEFAULT, PW_MCP_PROXY__B_IS_DEFAULT',
      },
    ]);
  });

  it('No default pool defined, also with a single pool [000-validation-03]', () => {
    expect(violationsOf(B)).toEqual([
      {
        code: 'NO_DEFAULT_POOL',
        message: 'No default pool defined',
        variable: 'PW_MCP_PROXY__B_IS_DEFAULT',
        fix: 'Set it to true.',
      },
    ]);
  });

  it('IS_DEFAULT=false does not make a default pool [000-key-02]', () => {
    expect(violationsOf({ ...B, _B_IS_DEFAULT: 'false', _C_INSTANCES: '1' })).toMatchObject([
      {
        code: 'NO_DEFAULT_POOL',
        variable: 'PW_MCP_PROXY__B_IS_DEFAULT, PW_MCP_PROXY__C_IS_DEFAULT',
        fix: 'Set exactly one of them to true.',
      },
    ]);
  });

  it('Invalid instance ID in override [000-validation-04]', () => {
    expect(violationsOf({ ...A, _A__5_BROWSER: 'firefox', _A__2_BROWSER: 'firefox' })).toEqual([
      {
        code: 'INVALID_INSTANCE_ID',
        message: 'Invalid instance ID in override: 5, but pool A has INSTANCES=3',
        variable: 'PW_MCP_PROXY__A__5_BROWSER',
        fix: 'Use ID 0-2 or increase INSTANCES to at least 6.',
      },
    ]);
  });

  it('the first id beyond the last one is refused', () => {
    expect(violationsOf({ ...A, _A__3_ALIAS: 'x' })).toMatchObject([{ code: 'INVALID_INSTANCE_ID' }]);
  });

  it('an id that is no canonical number is refused once [000-env-06]', () => {
    expect(violationsOf({ ...A, _A__00_ALIAS: 'x' })).toMatchObject([{ code: 'INVALID_INSTANCE_ID' }]);
  });

  it('Duplicate alias in pool [000-validation-05]', () => {
    expect(violationsOf({ ...A, _A__0_ALIAS: 'x', _A__1_ALIAS: 'y', _A__2_ALIAS: 'x' })).toEqual([
      {
        code: 'DUPLICATE_ALIAS',
        message: 'Duplicate alias in pool: 2 instances of A are called "x"',
        variable: 'PW_MCP_PROXY__A__0_ALIAS, PW_MCP_PROXY__A__2_ALIAS',
        fix: 'Give each instance of the pool an alias of its own.',
      },
    ]);
  });

  it('aliases are case-sensitive, and unique within a pool only [000-alias-02, 000-alias-03]', () => {
    expect(violationsOf({ ...A, ...B, _A__0_ALIAS: 'x', _A__1_ALIAS: 'X', _B__0_ALIAS: 'x' })).toEqual([]);
  });

  it('INSTANCES defined globally [000-validation-07]', () => {
    const [violation, ...others] = violationsOf({ INSTANCES: '3' });
    expect(others).toEqual([]);
    expect(violation?.code).toBe('INSTANCES_DEFINED_GLOBALLY');
    expect(violation?.message).toMatch(/^INSTANCES defined globally/);
    expect(violation?.variable).toBe('PW_MCP_PROXY_INSTANCES');
    expect(violation?.fix).toBe('Move it to pool level: PW_MCP_PROXY__<POOL>_INSTANCES.');
  });
});

describe('levels', () => {
  it.each([
    ['IS_DEFAULT', 'true', 'PW_MCP_PROXY__<POOL>_IS_DEFAULT'],
    ['ALIAS', 'x', 'PW_MCP_PROXY__<POOL>__<ID>_ALIAS'],
    ['_A_ALIAS', 'x', 'PW_MCP_PROXY__A__<ID>_ALIAS'],
    ['_A_AFFINITY', 'call', 'PW_MCP_PROXY_AFFINITY'],
    ['_A__0_OUTPUT_DIR', 'x', 'PW_MCP_PROXY_OUTPUT_DIR'],
    ['_A__0_INSTANCES', '1', 'PW_MCP_PROXY__A_INSTANCES'],
    ['_A__0_IS_DEFAULT', 'true', 'PW_MCP_PROXY__A_IS_DEFAULT'],
    ['_A__0_LAZY', 'true', 'PW_MCP_PROXY_LAZY or PW_MCP_PROXY__A_LAZY'],
  ])('%s belongs elsewhere [000-env-07, 000-env-08, 000-env-09, arch-config-10]', (name, value, allowed) => {
    const violations = violationsOf({ ...A, [name]: value });
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatchObject({ code: 'WRONG_LEVEL', variable: `PW_MCP_PROXY_${name}` });
    expect(violations[0]?.fix).toContain(`: ${allowed}.`);
  });
});

describe('all at once', () => {
  it('reports every violation, each once [arch-config-08]', () => {
    const violations = violationsOf({
      INSTANCES: '3',
      HEADLESS: 'yes',
      _A_INSTANCES: '2',
      _A_HEADLES: 'true',
      _A__2_TIMEOUT: '100',
      _A__0_ALIAS: 'x',
      _A__1_ALIAS: 'x',
      _B_BROWSER: 'firefox',
      _b_BROWSER: 'firefox',
      _A__1_LAZY: 'true',
    });
    expect(violations.map(({ code }) => code).sort()).toEqual([
      'DUPLICATE_ALIAS',
      'INSTANCES_DEFINED_GLOBALLY',
      'INVALID_INSTANCE_ID',
      'INVALID_POOL_NAME',
      'INVALID_VALUE',
      'NO_DEFAULT_POOL',
      'POOL_MISSING_INSTANCES',
      'UNKNOWN_KEY',
      'WRONG_LEVEL',
    ]);
  });

  it('a refused value counts as set: no second violation follows from it', () => {
    const violations = violationsOf({ _A_INSTANCES: 'many', _A_IS_DEFAULT: 'yes', _A__9_ALIAS: 'x' });
    expect(violations.map(({ code }) => code)).toEqual(['INVALID_VALUE', 'INVALID_VALUE']);
  });
});
