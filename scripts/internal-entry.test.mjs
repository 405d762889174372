import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSources } from './layers/sources.mjs';
import { ROOT } from './workspace.mjs';

const ENTRY = 'packages/core/src/internal.ts';

/** The names that the declarations of `program` bring in or hand on, from `specifier` if one is given. */
function namesOf(program, type, specifier) {
  return program.body
    .filter((node) => node.type === type && (specifier ?? node.source?.value) === node.source?.value)
    .flatMap((node) => node.specifiers.map((each) => (each.imported ?? each.exported).name));
}

test("each name of core's internal entry is used by a package beside it, and is not public as well", () => {
  const sources = readSources(ROOT);
  const programOf = (path) => sources.find(({ file }) => file === path).program;
  const used = sources.flatMap(({ program }) =>
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
