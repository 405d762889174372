import { describe, expect, it } from 'vitest';
import { adoptAtOnce, compareConfigs, needsBrowser } from '../../src/config/config-change.js';
import { resolveConfig } from '../../src/config/config-input.js';
import { KEY_NAMES, KEYS, settingsByCost } from '../../src/config/keys.js';
import { configOf, poolOf } from './sources.js';

const A = { _A_INSTANCES: '2', _A_IS_DEFAULT: 'true' };
const NOTHING = { server: [], poolsAdded: [], poolsRemoved: [], poolsChanged: [] };

/** What changes from pool A, of two instances and default, to these variables; without the configurations. */
function changeOfPool(variables: Record<string, string>) {
  const [pool] = compareConfigs(configOf(A), configOf({ ...A, ...variables })).poolsChanged;
  return (
    pool && {
      settings: pool.settings,
      added: pool.instancesAdded.map(({ id }) => id),
      removed: pool.instancesRemoved,
      changed: pool.instancesChanged.map(({ id, settings }) => ({ id, settings })),
      template: pool.template,
    }
  );
}

it('nothing differs when only where the values come from, or the order of pools, does', () => {
  expect(compareConfigs(configOf({}), configOf({}))).toEqual(NOTHING);
  const before = configOf({ ...A, _B_INSTANCES: '1', _A_TIMEOUT: '7', _B_TIMEOUT: '7', AFFINITY: 'client' });
  const after = resolveConfig({
    timeout: 7,
    pools: { B: { instances: 1 }, A: { instances: 2, isDefault: true, headless: true } },
  });
  expect(compareConfigs(before, after)).toEqual(NOTHING);
});

it('server settings are told by name', () => {
  expect(compareConfigs(configOf({}), configOf({ AFFINITY: 'call', SESSION_LIMIT: '3' }))).toEqual({
    ...NOTHING,
    server: ['affinity', 'sessionLimit'],
  });
});

it('pools that came and went', () => {
  const before = configOf({ ...A, _B_INSTANCES: '1' });
  const after = configOf({ ...A, _C_INSTANCES: '3' });
  expect(compareConfigs(before, after)).toEqual({
    ...NOTHING,
    poolsAdded: [poolOf(after, 'C')],
    poolsRemoved: ['B'],
  });
});

it('a pool that differs is told with both its configurations', () => {
  const [before, after] = [configOf(A), configOf({ ...A, _A_MAX_USES: '9', _A__1_HEADLESS: 'false' })];
  const [poolBefore, poolAfter] = [poolOf(before, 'A'), poolOf(after, 'A')];
  expect(compareConfigs(before, after)).toEqual({
    ...NOTHING,
    poolsChanged: [
      {
        name: 'A',
        before: poolBefore,
        after: poolAfter,
        settings: ['maxUses'],
        instancesAdded: [],
        instancesRemoved: [],
        instancesChanged: [
          {
            id: '1',
            before: poolBefore.instances[1],
            after: poolAfter.instances[1],
            settings: ['headless'],
          },
        ],
        template: [],
      },
    ],
  });
});

it('settings of the pool as a whole, with its description', () => {
  expect(changeOfPool({ LAZY: 'true', _A_DESCRIPTION: 'new' })).toEqual({
    // IDLE_TIMEOUT follows LAZY.
    settings: ['lazy', 'idleTimeout', 'description'],
    added: [],
    removed: [],
    changed: [
      { id: '0', settings: ['description'] },
      { id: '1', settings: ['description'] },
    ],
    template: ['description'],
  });
});

it('another default pool is a change of both', () => {
  const before = configOf({ ...A, _B_INSTANCES: '1' });
  const after = configOf({ _A_INSTANCES: '2', _B_INSTANCES: '1', _B_IS_DEFAULT: 'true' });
  expect(compareConfigs(before, after).poolsChanged).toMatchObject([
    { name: 'A', settings: ['isDefault'], instancesChanged: [] },
    { name: 'B', settings: ['isDefault'], instancesChanged: [] },
  ]);
});

it('more instances, and fewer', () => {
  expect(changeOfPool({ _A_INSTANCES: '4' })).toEqual({
    settings: [],
    added: ['2', '3'],
    removed: [],
    changed: [],
    template: [],
  });
  expect(changeOfPool({ _A_INSTANCES: '1' })).toMatchObject({ added: [], removed: ['1'], changed: [] });
});

it('a setting for the whole pool is a change of each instance, with what follows it', () => {
  expect(changeOfPool({ _A_TIMEOUT: '5' })).toMatchObject({
    settings: [],
    changed: ['0', '1'].map((id) => ({ id, settings: ['timeout', 'timeoutNavigation'] })),
    template: ['timeout', 'timeoutNavigation'],
  });
});

it('a setting that every instance overrides is still one of those that scaling up adds', () => {
  const own = { ...A, _A__0_RESET: 'never', _A__1_RESET: 'never' };
  const change = compareConfigs(configOf(own), configOf({ ...own, RESET: 'lease' }));
  expect(change.poolsChanged).toMatchObject([{ settings: [], instancesChanged: [], template: ['reset'] }]);
});

it('a new alias is a change of its instance, apart from its settings', () => {
  expect(changeOfPool({ _A__1_ALIAS: 'main' })).toMatchObject({
    changed: [{ id: '1', settings: ['alias'] }],
  });
});

describe('what a change costs', () => {
  const POSSIBLE = {
    server: ['at-once', 'next-start'],
    pool: ['at-once'],
    'pool-only': ['at-once'],
    instance: ['at-once', 'new-browser'],
    'instance-only': ['at-once'],
  };

  it('is told by the table of every key, as its scope allows', () => {
    const wrong = KEY_NAMES.filter((key) => !POSSIBLE[KEYS[key].scope].includes(KEYS[key].change));
    expect(wrong).toEqual([]);
    const told = (['at-once', 'new-browser', 'next-start'] as const).map((cost) => settingsByCost(cost).size);
    expect(told.reduce((sum, size) => sum + size)).toBe(KEY_NAMES.length);
  });

  it('is no browser for what an instance is called and how many tabs it lends', () => {
    const plain = { _A__1_ALIAS: 'main', _A_DESCRIPTION: 'new', _A_MAX_TABS: '3' };
    const [before, after] = [configOf(A), configOf({ ...A, ...plain, _A_HEADLESS: 'false' })];
    const [change] = compareConfigs(before, configOf({ ...A, ...plain })).poolsChanged;
    expect(change?.instancesChanged.map(needsBrowser)).toEqual([false, false]);
    const [bigger] = compareConfigs(before, after).poolsChanged;
    expect(bigger?.instancesChanged.map(needsBrowser)).toEqual([true, true]);

    const [, now] = poolOf(before, 'A').instances;
    const [, next] = poolOf(after, 'A').instances;
    if (!now || !next) throw new Error('Pool A has two instances.');
    const adopted = adoptAtOnce(now, next);
    expect(adopted).toMatchObject({
      alias: 'main',
      settings: { description: 'new', maxTabs: 3, headless: true },
      origins: { alias: next.origins.alias, maxTabs: next.origins.maxTabs, headless: now.origins.headless },
    });
  });
});
