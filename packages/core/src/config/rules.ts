import { type Hierarchy, isOnlyPoolOfProgram, type PoolNode, type Settings } from './hierarchy.js';
import { definitionOf } from './keys.js';
import { isInstanceId, nameAt } from './place.js';
import { expectedValue } from './values.js';
import type { Violation } from './violations.js';

/**
 * The rules that look at more than one setting [000-validation-01, 000-validation-02, 000-validation-03,
 * 000-validation-04, 000-validation-05].
 * A key whose own value was refused counts as set, so one mistake is not reported twice.
 */
export function checkRules(hierarchy: Hierarchy): Violation[] {
  const { pools } = hierarchy;
  return [
    ...[...pools].flatMap(([name, pool]) => [
      ...missingInstances(name, pool),
      ...invalidOverrides(name, pool),
      ...duplicateAliases(name, pool),
    ]),
    ...defaultPool(hierarchy),
  ];
}

function missingInstances(name: string, pool: PoolNode): Violation[] {
  if (pool.settings.has('INSTANCES')) return [];
  const variable = nameAt(pool.source, { level: 'pool', pool: name }, 'INSTANCES');
  const mention = [pool.settings, ...pool.instances.values()].flatMap(namesIn).at(0);
  const otherwise = mention ? `, or correct ${mention} if there is no such pool` : '';
  return [
    {
      code: 'POOL_MISSING_INSTANCES',
      message: `Pool missing INSTANCES configuration: ${name}`,
      variable,
      fix: `Set ${variable} to ${expectedValue(definitionOf('INSTANCES'))}${otherwise}.`,
    },
  ];
}

function invalidOverrides(name: string, pool: PoolNode): Violation[] {
  const count = pool.settings.get('INSTANCES')?.value;
  if (typeof count !== 'number') return [];
  const last = count - 1;
  return [...pool.instances].flatMap(([id, settings]) => {
    if (!isInstanceId(id) || Number(id) <= last) return [];
    return namesIn(settings).map(
      (variable): Violation => ({
        code: 'INVALID_INSTANCE_ID',
        message: `Invalid instance ID in override: ${id}, but pool ${name} has INSTANCES=${count}`,
        variable,
        fix: `Use ID ${last === 0 ? '0' : `0-${last}`} or increase INSTANCES to at least ${Number(id) + 1}.`,
      }),
    );
  });
}

function duplicateAliases(name: string, pool: PoolNode): Violation[] {
  const namesOfAlias = new Map<string, string[]>();
  for (const settings of pool.instances.values()) {
    const alias = settings.get('ALIAS');
    if (typeof alias?.value !== 'string') continue;
    namesOfAlias.set(alias.value, [...(namesOfAlias.get(alias.value) ?? []), alias.origin.name]);
  }
  return [...namesOfAlias].flatMap(([alias, names]): Violation[] => {
    if (names.length === 1) return [];
    return [
      {
        code: 'DUPLICATE_ALIAS',
        message: `Duplicate alias in pool: ${names.length} instances of ${name} are called "${alias}"`,
        variable: names.join(', '),
        fix: 'Give each instance of the pool an alias of its own.',
      },
    ];
  });
}

function defaultPool(hierarchy: Hierarchy): Violation[] {
  const { pools } = hierarchy;
  // No pool at all is the built-in configuration, which brings its own default pool.
  const flags = [...pools].map(([name, pool]) => ({ name, pool, flag: pool.settings.get('IS_DEFAULT') }));
  if (flags.length === 0) return [];
  const chosen = flags.filter(({ flag }) => flag?.value === true);
  if (chosen.length > 1) {
    const names = chosen.map(({ name }) => name).join(', ');
    return [
      {
        code: 'MULTIPLE_DEFAULT_POOLS',
        message: `Multiple default pools defined: ${names}`,
        variable: chosen.flatMap(({ flag }) => flag?.origin.name ?? []).join(', '),
        fix: 'Set exactly one pool as default, and remove the others.',
      },
    ];
  }
  const refused = flags.some(({ flag }) => flag && flag.value === undefined);
  const implied = isOnlyPoolOfProgram(hierarchy) && flags.every(({ flag }) => flag === undefined);
  if (chosen.length === 1 || refused || implied) return [];
  const variables = flags.map(({ name, pool }) =>
    nameAt(pool.source, { level: 'pool', pool: name }, 'IS_DEFAULT'),
  );
  return [
    {
      code: 'NO_DEFAULT_POOL',
      message: 'No default pool defined',
      variable: variables.join(', '),
      fix: `Set ${variables.length === 1 ? 'it' : 'exactly one of them'} to true.`,
    },
  ];
}

function namesIn(settings: Settings): string[] {
  return [...settings.values()].map(({ origin }) => origin.name);
}
