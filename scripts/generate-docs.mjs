import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { CommandFailed, runMain } from './run.mjs';
import { ROOT } from './workspace.mjs';

const PAGE = 'docs/configuration.md';

/** The table of keys is no part of the library's public API, so it is read from the build. */
const BUILT_CONFIG = join(ROOT, 'packages/core/dist/config');

/**
 * Writes what docs/configuration.md says of the keys, between its `generated` marks; the rest of the page is written
 * by hand. With `--check`, only compares, and fails when the page is out of date. Needs the build.
 */
await runMain(async () => {
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  const sections = { keys: await keyTable(), 'built-in pool': await builtInPool() };
  const wanted = Object.entries(sections).reduce((text, [name, body]) => fill(text, name, body), page);
  if (wanted === page) return;
  if (process.argv.includes('--check')) {
    throw new CommandFailed(
      `${PAGE} is not what the table of keys says. Run "node scripts/generate-docs.mjs" and commit the page.`,
    );
  }
  writeFileSync(join(ROOT, PAGE), wanted);
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
      definition.help,
    ];
  });
  return markdownTable(['Key', 'In code', 'Levels', 'Takes', 'Default', 'Meaning'], rows);
}

function defaultOf({ required, fallback, default: value, defaultWhen: when }) {
  if (required) return 'none: must be set';
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

async function builtModule(name) {
  const path = join(BUILT_CONFIG, name);
  if (!existsSync(path)) throw new CommandFailed(`${path} is missing. Run "npm run build" first.`);
  return await import(pathToFileURL(path).href);
}

function fill(page, name, body) {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new CommandFailed(`${PAGE} has lost its marks ${start} and ${end}.`);
  return `${page.slice(0, from + start.length)}\n\n${body}\n\n${page.slice(to)}`;
}

/** Padded as the formatter does it, so that the page passes the check of either. */
function markdownTable(head, rows) {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [first, ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}
