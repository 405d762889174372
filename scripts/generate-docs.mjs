import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { tsImport } from 'tsx/esm/api';
import { commandHelp, exitStatuses } from './generated/commands.mjs';
import { decisionList } from './generated/decisions.mjs';
import { errorList } from './generated/errors.mjs';
import { fillSection, markdownTable } from './generated/markdown.mjs';
import { partialRequirements, plannedRequirements, requirementCounts } from './generated/requirements.mjs';
import { importTable, roomTable } from './generated/rooms.mjs';
import { browserTools, ownTools, prompts } from './generated/tools.mjs';
import { CommandFailed, runMain } from './run.mjs';
import { ROOT } from './workspace.mjs';

/** The tables are no part of the library's public API, so they are read from its source. */
const CONFIG = '../packages/core/src/config';

/** Published with the package, and named by the configuration files that `pwpool init` writes. */
const SCHEMA = 'packages/core/schema/pwpool.config.schema.json';

/** The pages with generated sections, by their marks. */
const PAGES = {
  'docs/configuration.md': { keys: keyTable, 'built-in pool': builtInPool },
  'docs/cli.md': { 'exit statuses': exitStatuses, help: commandHelp },
  'docs/tools.md': { 'own tools': ownTools, 'browser tools': browserTools, prompts },
  'docs/migration.md': { options: optionTable, 'version 1': version1Table },
  'docs/architecture.md': { rooms: roomTable, imports: importTable },
  'docs/decisions/README.md': { decisions: decisionList },
  'docs/errors.md': { errors: errorList },
  'docs/status.md': { counts: requirementCounts, partial: partialRequirements, planned: plannedRequirements },
};

/**
 * Writes the schema of the configuration file, and what the pages say of keys, options, rooms, decisions and
 * requirements, between their `generated` marks; the rest is written by hand. With `--check`, only compares, and fails
 * when a page is out of date.
 */
await runMain(async () => {
  const schema = await configModule('config-schema.ts');
  write(SCHEMA, `${JSON.stringify(schema.configSchema(), null, 2)}\n`);
  for (const [path, sections] of Object.entries(PAGES)) {
    const page = readFileSync(join(ROOT, path), 'utf8');
    let wanted = page;
    for (const [name, body] of Object.entries(sections))
      wanted = fillSection(path, wanted, name, await body());
    write(path, wanted);
  }
});

/** With `--check`, fails when the file holds something else. */
function write(path, wanted) {
  const file = join(ROOT, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) return;
  if (process.argv.includes('--check')) {
    throw new CommandFailed(
      `${path} is out of date. Run "node scripts/generate-docs.mjs" and commit the file.`,
    );
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, wanted);
}

/** One row a key, in the order of the table. */
async function keyTable() {
  const { describeKeys } = await configModule('key-descriptions.ts');
  const rows = describeKeys().map(({ key, setting, levels, takes, default: preset, change, help }) => [
    `\`${key}\``,
    `\`${setting}\``,
    levels.join(', '),
    takes,
    preset,
    change,
    help,
  ]);
  return markdownTable(['Key', 'In code', 'Levels', 'Takes', 'Default', 'A change holds', 'Meaning'], rows);
}

/** Where the pool that is there without any configuration differs from a pool that somebody defines. */
async function builtInPool() {
  const { KEYS } = await configModule('keys.ts');
  const { resolveConfig } = await configModule('config-input.ts');
  const { explainConfig } = await configModule('explain.ts');
  const [pool] = explainConfig(resolveConfig({})).pools;
  const rows = [...pool.settings, ...pool.instances[0].settings]
    .filter(
      ({ key, value }) =>
        value !== null && !KEYS[key].fallback && !isDeepStrictEqual(value, KEYS[key].default),
    )
    .map(({ key, value }) => [`\`${key}\``, `\`${value}\``]);
  return markdownTable([`Key of pool \`${pool.pool}\``, 'Value'], rows);
}

/** One row an option of playwright-mcp: what it is called, and what it is here. */
async function optionTable() {
  const { UPSTREAM_OPTIONS } = await configModule('playwright-mcp/options.ts');
  const code = (text) => `\`${text}\``;
  const rows = UPSTREAM_OPTIONS.map(({ flag, variable, fields = [], form, to, implies }) => [
    flag === undefined ? '' : code(flag),
    variable === undefined ? '' : code(`PLAYWRIGHT_MCP_${variable}`),
    fields.map(code).join(', '),
    [
      hereOf(to, form, code),
      ...Object.keys(implies?.(60_000) ?? {}).map((key) => `${code(key)} to fit, unless it is set`),
    ].join('; '),
  ]);
  return markdownTable(['Flag', 'Variable', 'In the file', 'Here'], rows);
}

/** One row a variable of version 1. */
async function version1Table() {
  const { VERSION_1 } = await configModule('version-1.ts');
  const { levelsOf } = await configModule('keys.ts');
  const rows = Object.entries(VERSION_1).map(([old, successor]) => {
    if (successor.gone !== undefined) return [`\`${old}\``, successor.gone, ''];
    const key = successor.not ?? successor;
    const opposite = successor.not === undefined ? '' : ', with the opposite value';
    const pool = levelsOf(key).includes('pool') ? `\`PW_MCP_PROXY__<POOL>_${key}\`` : '';
    return [`\`${old}\``, `\`PW_MCP_PROXY_${key}\`${opposite}`, pool];
  });
  return markdownTable(['Version 1', 'For all pools', 'For one pool'], rows);
}

function hereOf(to, form, code) {
  if (typeof to === 'string') return code(to);
  if ('refused' in to) return `refused${form === 'boolean' ? ' unless off' : ''}. ${to.refused}`;
  if ('already' in to) return `nothing to do. ${to.already}`;
  return to.keys.length === 0 ? 'the file to read' : to.keys.map(code).join(', ');
}

async function configModule(name) {
  return await tsImport(`${CONFIG}/${name}`, import.meta.url);
}
