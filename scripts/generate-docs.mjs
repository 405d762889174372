import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { decisionList } from './generated/decisions.mjs';
import { markdownTable } from './generated/markdown.mjs';
import { partialRequirements, plannedRequirements, requirementCounts } from './generated/requirements.mjs';
import { importTable, roomTable } from './generated/rooms.mjs';
import { CommandFailed, runMain } from './run.mjs';
import { ROOT } from './workspace.mjs';

/** The tables are no part of the library's public API, so they are read from the build. */
const BUILT_CONFIG = join(ROOT, 'packages/core/dist/config');

/** The pages with generated sections, by their marks. */
const PAGES = {
  'docs/configuration.md': { keys: keyTable, 'built-in pool': builtInPool },
  'docs/migration.md': { options: optionTable },
  'docs/architecture.md': { rooms: roomTable, imports: importTable },
  'docs/decisions/README.md': { decisions: decisionList },
  'docs/status.md': { counts: requirementCounts, partial: partialRequirements, planned: plannedRequirements },
};

/** When a changed value holds, by what the change costs. */
const CHANGES = {
  'at-once': 'at once',
  'new-browser': 'with a new browser',
  'next-start': 'from the next start',
};

/**
 * Writes what the pages say of keys, options, rooms, decisions and requirements, between their `generated` marks; the
 * rest is written by hand. With `--check`, only compares, and fails when a page is out of date. Needs the build.
 */
await runMain(async () => {
  for (const [path, sections] of Object.entries(PAGES)) {
    const page = readFileSync(join(ROOT, path), 'utf8');
    let wanted = page;
    for (const [name, body] of Object.entries(sections)) wanted = fill(path, wanted, name, await body());
    if (wanted === page) continue;
    if (process.argv.includes('--check')) {
      throw new CommandFailed(
        `${path} is out of date. Run "node scripts/generate-docs.mjs" and commit the page.`,
      );
    }
    writeFileSync(join(ROOT, path), wanted);
  }
});

/** One row a key, in the order of the table. */
async function keyTable() {
  const { KEY_NAMES, definitionOf, levelsOf } = await builtModule('keys.js');
  const { expectedValue } = await builtModule('values.js');
  const rows = KEY_NAMES.map((key) => {
    const definition = definitionOf(key);
    return [
      `\`${key}\``,
      `\`${definition.setting}\``,
      levelsOf(key).join(', '),
      definition.type === 'milliseconds'
        ? `milliseconds, ${definition.min} or more`
        : expectedValue(definition),
      defaultOf(definition),
      CHANGES[definition.change],
      definition.help,
    ];
  });
  return markdownTable(['Key', 'In code', 'Levels', 'Takes', 'Default', 'A change holds', 'Meaning'], rows);
}

function defaultOf({ required, fallback, default: value, defaultIn, defaultWhen: when }) {
  if (required) return 'none: must be set';
  if (defaultIn) return defaultIn.told;
  if (fallback !== undefined) return `that of \`${fallback}\``;
  if (value === undefined) return 'not set';
  if (when) {
    const condition = when.is === 'set' ? when.key : `${when.key}=${when.is}`;
    return `\`${value}\`; \`${when.default}\` with \`${condition}\``;
  }
  const text = typeof value === 'object' ? Object.values(value).join(',') : String(value);
  return text === '' ? 'empty' : `\`${text}\``;
}

/** Where the pool that is there without any configuration differs from a pool that somebody defines. */
async function builtInPool() {
  const { KEYS } = await builtModule('keys.js');
  const { resolveConfig } = await builtModule('config-input.js');
  const { explainConfig } = await builtModule('explain.js');
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
  const { UPSTREAM_OPTIONS } = await builtModule('playwright-mcp/options.js');
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

function hereOf(to, form, code) {
  if (typeof to === 'string') return code(to);
  if ('refused' in to) return `refused${form === 'boolean' ? ' unless off' : ''}. ${to.refused}`;
  if ('already' in to) return `nothing to do. ${to.already}`;
  return to.keys.length === 0 ? 'the file to read' : to.keys.map(code).join(', ');
}

async function builtModule(name) {
  const path = join(BUILT_CONFIG, name);
  if (!existsSync(path)) throw new CommandFailed(`${path} is missing. Run "npm run build" first.`);
  return await import(pathToFileURL(path).href);
}

function fill(path, page, name, body) {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new CommandFailed(`${path} has lost its marks ${start} and ${end}.`);
  return `${page.slice(0, from + start.length)}\n\n${body}\n\n${page.slice(to)}`;
}
