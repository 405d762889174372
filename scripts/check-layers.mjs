import { pathToFileURL } from 'node:url';
import { clockUses } from './layers/clock-uses.mjs';
import { findCycles } from './layers/cycles.mjs';
import { CORE_ROWS, CORE_SOURCE, coreRoom, formatRooms, PACKAGES, readRooms } from './layers/rooms.mjs';
import { readSources } from './layers/sources.mjs';
import { ROOT } from './workspace.mjs';

/** Who may import `@pwpool/core/internal`: what is built and released together with it. */
const SAME_RELEASE = ['packages/mcp', 'apps/cli', 'benchmarks'];

/** What is exported for them alone. */
const OWN_ENTRIES = ['@pwpool/core/internal', '@pwpool/core/light', '@pwpool/core/first-answers'];

const CLOCK = `${CORE_SOURCE}clock.ts`;
const TEST_FILE = /\/test\//;

/** Every violation of the layers under `root`, one line each: `file:line: what, and why not`. */
export function checkLayers(root) {
  const sources = readSources(root);
  const imports = sources.flatMap((source) =>
    source.imports.map((entry) => ({ ...entry, file: source.file })),
  );
  return [
    ...imports.flatMap((entry) => [
      coreViolation(entry),
      packageViolation(entry),
      testingViolation(entry),
      internalViolation(entry),
    ]),
    ...findCycles(sources),
    ...sources.filter(({ file }) => file.startsWith(CORE_SOURCE) && file !== CLOCK).flatMap(clockUses),
  ].filter((violation) => violation !== undefined);
}

function coreViolation({ file, line, target }) {
  if (!file.startsWith(CORE_SOURCE) || !target?.startsWith(CORE_SOURCE)) return undefined;
  const from = coreRoom(file);
  const to = coreRoom(target);
  if (from === 'testing' || to === 'testing' || from === to) return undefined;
  const [fromRow, toRow] = [rowOf(from), rowOf(to)];
  const missing = fromRow === -1 ? from : toRow === -1 ? to : undefined;
  if (missing) return `${file}:${line}: ${missing} has no row in CORE_ROWS of scripts/layers/rooms.mjs`;
  if (toRow < fromRow) return undefined;
  const reason = toRow === fromRow ? 'they are side by side' : `${to} is below ${from}`;
  return `${file}:${line}: ${from} imports ${target}: ${reason}, and a layer imports only from those above it`;
}

function rowOf(room) {
  return CORE_ROWS.findIndex((row) => Object.hasOwn(row, room));
}

function packageViolation({ file, line, specifier, target }) {
  const own = folderOf(file);
  // What lies in the repository's root, as the configuration of Vitest, is no package's own.
  if (target?.includes('/') && folderOf(target) !== own) {
    return `${file}:${line}: imports ${specifier}, a path into ${folderOf(target)}: use the package's name`;
  }
  const from = PACKAGES.findIndex(({ folder }) => folder === own);
  const to = PACKAGES.findIndex(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (from === -1 || to === -1 || to < from) return undefined;
  return `${file}:${line}: ${PACKAGES[from].name} imports ${specifier}, which is not above it (core, mcp, cli)`;
}

function folderOf(file) {
  return file.split('/', file.startsWith('benchmarks/') ? 1 : 2).join('/');
}

function testingViolation({ file, line, specifier, target }) {
  const testing = `${CORE_SOURCE}testing/`;
  if (!target?.startsWith(testing) && !specifier.startsWith('@pwpool/core/testing')) return undefined;
  if (file.startsWith(testing) || TEST_FILE.test(file)) return undefined;
  return `${file}:${line}: imports ${specifier}: the testing folder is for tests only`;
}

/** What is behind the door may change in any release: an example shows what users have, so it is not for examples. */
function internalViolation({ file, line, specifier }) {
  if (!OWN_ENTRIES.includes(specifier) || SAME_RELEASE.includes(folderOf(file))) return undefined;
  return `${file}:${line}: imports ${specifier}, which is for ${SAME_RELEASE.join(', ')} only`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const violations = checkLayers(ROOT);
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
  else console.log(`${formatRooms(readRooms(ROOT))}\n\nEvery import points up: no circle. One clock.`);
}
