import { describe, expect, it } from 'vitest';
import { type ConfigInput, resolveConfig } from '../../src/config/config-input.js';
import type { Violation } from '../../src/config/violations.js';
import { PwpoolError } from '../../src/errors.js';
import { poolOf } from './sources.js';

/** What JavaScript callers may pass, whatever the types say. */
function violationsOf(input: unknown): readonly Violation[] {
  try {
    resolveConfig(input as ConfigInput);
  } catch (error) {
    if (error instanceof PwpoolError && error.code === 'CONFIG_INVALID') {
      return error.details?.['violations'] as Violation[];
    }
    throw error;
  }
  return [];
}

const A = { instances: 2, isDefault: true };

describe('resolveConfig', () => {
  it('resolves all three levels, with the path of each value as its origin [arch-config-07]', () => {
    const config = resolveConfig({
      headless: false,
      affinity: 'call',
      pools: {
        SCRAPE: { ...A, browser: 'firefox', instance: { 0: { alias: 'main', browser: 'webkit' } } },
        OTHER: { instances: 1, description: 'spare', leaseTimeout: 10 },
      },
    });
    expect(config.server.affinity).toBe('call');
    const [main, second] = poolOf(config, 'SCRAPE').instances;
    expect(main).toMatchObject({ id: '0', alias: 'main', settings: { browser: 'webkit', headless: false } });
    expect(second).toMatchObject({ id: '1', alias: null, settings: { browser: 'firefox' } });
    expect(main?.origins).toMatchObject({
      alias: { level: 'instance', source: 'code', name: 'pools.SCRAPE.instance.0.alias' },
      headless: { level: 'global', source: 'code', name: 'headless' },
      timeout: { level: 'built-in', source: 'built-in', name: '' },
    });
    expect(second?.origins.browser).toEqual({ level: 'pool', source: 'code', name: 'pools.SCRAPE.browser' });
    expect(poolOf(config, 'OTHER')).toMatchObject({ description: 'spare', settings: { leaseTimeout: 10 } });
  });

  it.each([[{}], [{ pools: {} }], [{ pools: undefined, headless: undefined }]])(
    '%j configures nothing: the built-in pool',
    (input) => {
      const config = resolveConfig(input);
      expect(config.pools.map(({ name, instances }) => [name, instances.length])).toEqual([['DEFAULT', 8]]);
    },
  );

  it('the only pool of a program is the default one, unless it says that it is not', () => {
    const config = resolveConfig({ pools: { A: { instances: 1 } } });
    expect(poolOf(config, 'A').isDefault).toBe(true);
    expect(poolOf(config, 'A').origins.isDefault).toEqual({
      level: 'built-in',
      source: 'built-in',
      name: '',
    });
    for (const pools of [
      { A: { instances: 1, isDefault: false } },
      { A: { instances: 1 }, B: { instances: 1 } },
    ]) {
      expect(violationsOf({ pools })).toMatchObject([
        { code: 'NO_DEFAULT_POOL', message: 'No default pool defined' },
      ]);
    }
  });

  it('pools stand in the order written', () => {
    const config = resolveConfig({ pools: { ZOO: { instances: 1, isDefault: true }, A: { instances: 1 } } });
    expect(config.pools.map(({ name }) => name)).toEqual(['ZOO', 'A']);
  });

  it('a pool without any key is still a pool', () => {
    expect(violationsOf({ pools: { A: {} } }).map(({ message }) => message)).toEqual([
      'Pool missing INSTANCES configuration: A',
    ]);
  });

  it.each([
    [{ headles: true }, 'headles', 'headless'],
    [{ HEADLESS: true }, 'HEADLESS', 'headless'],
    [{ lease_timeout: 1 }, 'lease_timeout', 'leaseTimeout'],
    [{ pool: { A } }, 'pool', 'pools'],
    [{ pools: { A: { ...A, browsr: 'x' } } }, 'pools.A.browsr', 'pools.A.browser'],
    [
      { pools: { A: { ...A, instance: { 1: { aliaz: 'x' } } } } },
      'pools.A.instance.1.aliaz',
      'pools.A.instance.1.alias',
    ],
  ])('%j: did you mean …?', (input, path, meant) => {
    expect(violationsOf(input)).toMatchObject([
      { code: 'UNKNOWN_KEY', variable: path, fix: `Did you mean ${meant}?` },
    ]);
  });

  it('a name like no setting is answered with those of its level', () => {
    const [violation] = violationsOf({ pools: { A: { ...A, xxxxxxxxxx: 1 } } });
    expect(violation?.fix).toContain('headless');
    expect(violation?.fix).not.toContain('affinity');
  });

  it.each([
    [{ timeout: true }, 'timeout is true, but must be a whole number of milliseconds'],
    [{ timeout: '30000' }, 'timeout is "30000", but must be a whole number of milliseconds'],
    [{ timeout: 1.5 }, 'timeout is 1.5,'],
    [{ timeout: Number.NaN }, 'timeout is NaN,'],
    [{ headless: 'true' }, 'headless is "true", but must be true or false'],
    [{ headless: 1 }, 'headless is 1,'],
    [{ headless: null }, 'headless is null,'],
    [{ browser: 'opera' }, 'browser is "opera", but must be one of chromium,'],
    [{ outputDir: '' }, 'outputDir is "", but must be a path'],
    [{ pools: { A: { ...A, description: 5 } } }, 'pools.A.description is 5, but must be text'],
    [{ pools: { A: { ...A, instance: { 0: { alias: '7' } } } } }, 'pools.A.instance.0.alias is "7",'],
    [{ pools: [] }, 'pools is [], but must be an object'],
    [{ pools: { A: { ...A, instance: [] } } }, 'pools.A.instance is [], but must be an object'],
    [{ pools: { A, B: null } }, 'pools.B is null, but must be an object'],
    [null, 'ConfigInput is null, but must be an object'],
  ])('%j is refused [arch-config-05]', (input, message) => {
    const violations = violationsOf(input).filter(({ code }) => code === 'INVALID_VALUE');
    expect(violations).toHaveLength(1);
    expect(violations[0]?.message).toContain(message);
  });

  it.each([
    [{ instances: 3 }, 'instances', 'INSTANCES defined globally', 'pools.<POOL>.instances'],
    [{ isDefault: true }, 'isDefault', 'IS_DEFAULT defined globally', 'pools.<POOL>.isDefault'],
    [
      { pools: { A: { ...A, alias: 'x' } } },
      'pools.A.alias',
      'ALIAS defined for a pool',
      'pools.A.instance.<ID>.alias',
    ],
    [
      { pools: { A: { ...A, affinity: 'call' } } },
      'pools.A.affinity',
      'AFFINITY defined for a pool',
      'affinity',
    ],
  ])('%j is at the wrong level', (input, path, message, allowed) => {
    const violations = violationsOf(input);
    expect(violations).toHaveLength(1);
    expect(violations[0]?.variable).toBe(path);
    expect(violations[0]?.message.startsWith(message)).toBe(true);
    expect(violations[0]?.fix).toContain(`: ${allowed}.`);
  });

  it('the rules between settings hold as well, and what is under a bad name is still read', () => {
    const violations = violationsOf({
      pools: {
        A: {
          ...A,
          instance: { 0: { alias: 'x' }, 1: { alias: 'x' }, 2: { headless: true }, '01': { timeout: 0 } },
        },
        b: { ...A, headless: 'no' },
      },
    });
    expect(violations.map(({ code, variable }) => `${code} ${variable}`)).toEqual([
      'INVALID_INSTANCE_ID pools.A.instance.01',
      'INVALID_VALUE pools.A.instance.01.timeout',
      'INVALID_POOL_NAME pools.b',
      'INVALID_VALUE pools.b.headless',
      'INVALID_INSTANCE_ID pools.A.instance.2.headless',
      'DUPLICATE_ALIAS pools.A.instance.0.alias, pools.A.instance.1.alias',
      'MULTIPLE_DEFAULT_POOLS pools.A.isDefault, pools.b.isDefault',
    ]);
  });

  it('names from the prototype of objects are no settings', () => {
    expect(violationsOf({ constructor: 1 })).toMatchObject([
      { code: 'UNKNOWN_KEY', variable: 'constructor' },
    ]);
    expect(violationsOf(JSON.parse('{"pools":{"__proto__":{"instances":1}}}'))).toMatchObject([
      { code: 'INVALID_POOL_NAME' },
    ]);
  });
});
