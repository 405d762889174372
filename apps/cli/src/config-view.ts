import type { ConfigExplanation, ConfigLevel } from '@pwpool/core/internal';
import { formatTable, printable } from './table.js';

type Pool = ConfigExplanation['pools'][number];
type Instance = Pool['instances'][number];
type Setting = Instance['settings'][number];

/** Instances that have every value from the same origin. */
interface Group {
  label: string;
  size: number;
  settings: readonly Setting[];
}

/** The keys in the overview of a pool: the columns of its table [000-example-03]. */
const OVERVIEW = ['BROWSER', 'HEADLESS', 'TIMEOUT'] as const;
const LEVELS: readonly ConfigLevel[] = ['instance', 'pool', 'global', 'built-in'];

/** Whether a setting stands in the tables. */
type Filter = (setting: Setting) => boolean;

/** A configuration for a person: the values asked for and what set each, equal ones told once. */
export function describeConfig({ server, pools }: ConfigExplanation, isShown: Filter): string {
  return [...block('Server', server, isShown), ...pools.map((pool) => describePool(pool, isShown))].join(
    '\n\n',
  );
}

function describePool(pool: Pool, isShown: Filter): string {
  const isDefault = pool.settings.some(({ key, value }) => key === 'IS_DEFAULT' && value === true);
  const groups = groupInstances(pool.instances);
  const shared =
    groups[0]?.settings.filter((setting) => groups.every(({ settings }) => has(settings, setting))) ?? [];
  const blocks = [
    `Pool ${pool.pool}${isDefault ? ' (default)' : ''}\n${overview(groups)}`,
    ...block('  Settings of the pool', pool.settings, isShown),
    ...block('  All instances', shared, isShown),
    ...groups.flatMap(({ label, size, settings }) => {
      const own = settings.filter((setting) => !has(shared, setting));
      return block(`  ${size === 1 ? 'Instance' : 'Instances'} ${printable(label)}`, own, isShown);
    }),
  ];
  return blocks.join('\n\n');
}

/** A title and the table below it; nothing where no setting is shown. */
function block(title: string, settings: readonly Setting[], isShown: Filter): string[] {
  const shown = settings.filter(isShown);
  return shown.length === 0 ? [] : [`${title}\n${settingsTable(shown)}`];
}

/** One row a group: the values a person asks for first, and the level that decided each. */
function overview(groups: readonly Group[]): string {
  const rows = groups.map(({ label, settings }) => {
    const shown = OVERVIEW.flatMap((name) => settings.filter(({ key }) => key === name));
    return [label, ...shown.map(({ value }) => valueText(value)), sources(shown)];
  });
  return formatTable([['Instance', 'Browser', 'Headless', 'Timeout', 'Source'], ...rows], '  ');
}

/** "browser=instance, rest=global": the wording is a contract [000-example-03]. */
function sources(settings: readonly Setting[]): string {
  const parts = LEVELS.flatMap((level) => {
    const keys = settings.filter(({ origin }) => origin.level === level).map(({ key }) => key.toLowerCase());
    return keys.length > 0 ? [{ level, keys }] : [];
  });
  return parts
    .map(({ level, keys }, index) => {
      const isRest = index === parts.length - 1 && keys.length > 1;
      return `${isRest ? (parts.length === 1 ? 'all' : 'rest') : keys.join('/')}=${level}`;
    })
    .join(', ');
}

function settingsTable(settings: readonly Setting[]): string {
  const rows = settings.map(({ key, value, origin }) => {
    return [key, valueText(value), origin.level, setBy(origin)];
  });
  return formatTable(rows, '    ');
}

function setBy({ source, name, location }: Setting['origin']): string {
  if (source === 'built-in pool') return 'since no pool is defined';
  return location === undefined ? name : `${name} (${location})`;
}

function valueText(value: Setting['value']): string {
  if (value === null) return '-';
  const text = typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);
  return text === '' ? '""' : text;
}

/** Puts instances together that no setting tells apart, in the order of their ids. */
function groupInstances(instances: readonly Instance[]): Group[] {
  const alike = new Map<string, Instance[]>();
  for (const instance of instances) {
    const identity = JSON.stringify(instance.settings);
    alike.set(identity, [...(alike.get(identity) ?? []), instance]);
  }
  return [...alike.values()].map((members) => ({
    label: labelOf(members),
    size: members.length,
    settings: members[0]?.settings ?? [],
  }));
}

/** "1 (debug)", or "0, 2-4" for several; instances with an alias are never several. */
function labelOf(members: readonly Instance[]): string {
  const alias = members[0]?.alias;
  const runs: { first: number; last: number }[] = [];
  for (const { id } of members) {
    const run = runs.at(-1);
    if (run && Number(id) === run.last + 1) run.last++;
    else runs.push({ first: Number(id), last: Number(id) });
  }
  const ids = runs.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
  return alias ? `${ids} (${alias})` : ids;
}

function has(settings: readonly Setting[], wanted: Setting): boolean {
  return settings.some((setting) => JSON.stringify(setting) === JSON.stringify(wanted));
}
