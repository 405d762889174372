import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSources } from './layers/sources.mjs';
import { walk } from './layers/walk.mjs';
import { ROOT } from './workspace.mjs';

const SOURCES = readSources(ROOT);

const ENTRY = 'packages/core/src/internal.ts';

/** The names that the declarations of `program` bring in or hand on, from `specifier` if one is given. */
function namesOf(program, type, specifier) {
  return program.body
    .filter((node) => node.type === type && (specifier ?? node.source?.value) === node.source?.value)
    .flatMap((node) => node.specifiers.map((each) => (each.imported ?? each.exported).name));
}

test("each name of core's internal entry is used by a package beside it, and is not public as well", () => {
  const programOf = (path) => SOURCES.find(({ file }) => file === path).program;
  const used = SOURCES.flatMap(({ program }) =>
    namesOf(program, 'ImportDeclaration', '@pwpool/core/internal'),
  );
  const open = namesOf(programOf('packages/core/src/index.ts'), 'ExportNamedDeclaration');
  const internal = namesOf(programOf(ENTRY), 'ExportNamedDeclaration');
  assert.ok(internal.length > 0);
  assert.deepEqual(
    internal.filter((name) => !used.includes(name)),
    [],
  );
  assert.deepEqual(
    internal.filter((name) => open.includes(name)),
    [],
  );
});

/**
 * Names in docs/architecture.md that belong to others: Playwright's and the browser's, and what stands for any command.
 */
const OF_OTHERS = ['BrowserContext', 'Page.stopLoading', 'NAME.command.ts', 'NAME.ts'];

const FILE = /^[\w./-]+\.(?:ts|mjs)$|^[a-z][\w-]*(?:\/[\w-]+)*\/$|^(?:apps|packages|scripts|test)\/[\w/-]+$/;
const NAME = /^(?:[A-Z]\w*\.)?[A-Z]?[a-z]+(?:[A-Z]\w*)?$/;

test('docs/architecture.md and CONTRIBUTING.md name files that exist', () => {
  const isThere = (path) =>
    existsSync(join(ROOT, path)) ||
    SOURCES.some(({ file }) => file.endsWith(`/${path}`) || file.includes(`/${path.replace(/\/$/, '')}/`));
  for (const page of ['docs/architecture.md', 'CONTRIBUTING.md']) {
    const files = spansIn(readFileSync(join(ROOT, page), 'utf8')).filter((span) => FILE.test(span));
    assert.ok(files.length > 10);
    assert.deepEqual(
      files.filter((file) => !OF_OTHERS.includes(file) && !isThere(file)),
      [],
      page,
    );
  }
});

test('docs/architecture.md names functions that exist, and says where', () => {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const [, walks] = /\n## One replacement, one crash\n([\s\S]*?)\n## /.exec(text);
  const sources = SOURCES.map(({ file, program }) => ({
    file,
    names: file.includes('/src/') ? namesIn(program) : new Set(),
  }));
  const isDeclared = (name, path = '') => {
    const parts = name.split('.');
    return sources.some(({ file, names }) => file.endsWith(path) && parts.every((part) => names.has(part)));
  };
  const spans = spansIn(text).filter((span) => !OF_OTHERS.includes(span));
  // Outside of the walks a word in lower case may be a state, an option or a file's part.
  const words = [...spansIn(walks), ...spans.filter((span) => /[a-z][A-Z]|^[A-Z]\w*\./.test(span))];
  const pairs = [
    ...text.matchAll(/`(?<name>[\w.]+)`\s+\(`(?<path>[\w/-]+\.ts)`/g),
    ...text.matchAll(/`(?<path>[\w/-]+\.ts)`:\s+`(?<name>[\w.]+)`/g),
  ].map(({ groups }) => groups);
  assert.ok(pairs.length > 10 && walks.length > 0);
  assert.deepEqual(
    words.filter((word) => NAME.test(word) && !FILE.test(word) && !isDeclared(word)),
    [],
  );
  assert.deepEqual(
    pairs.filter(({ name, path }) => NAME.test(name) && !isDeclared(name, path)),
    [],
  );
});

function spansIn(text) {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span);
}

/** What a file declares: functions, classes, their members, types, and the words that a type allows. */
function namesIn(program) {
  const names = new Set();
  walk(program, (node) => {
    if (node.type === 'TSLiteralType') names.add(node.literal.value);
    if (/Declarat|Definition|Signature/.test(node.type)) names.add((node.id ?? node.key)?.name);
  });
  return names;
}
