import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkLayers } from './check-layers.mjs';
import { describeImports, formatRooms, readRooms } from './layers/rooms.mjs';

const CORE = 'packages/core/src';

/** A small workspace made of `files`, that is gone after the test. */
function workspaceOf(t, files) {
  const root = mkdtempSync(join(tmpdir(), 'pwpool-layers-'));
  t.after(() => rmSync(root, { recursive: true }));
  const workspace = {
    'pnpm-workspace.yaml':
      'packages:\n  - packages/*\n  - apps/*\n  - examples/*\n  - benchmarks\n\ncatalog:\n  yaml: 1.0.0\n',
    'packages/core/package.json': '{}',
    'packages/mcp/package.json': '{}',
    'apps/cli/package.json': '{}',
    'benchmarks/package.json': '{}',
    'examples/library/package.json': '{}',
  };
  for (const [path, text] of Object.entries({ ...workspace, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function accepts(name, files) {
  test(`accepts ${name}`, (t) => assert.deepEqual(checkLayers(workspaceOf(t, files)), []));
}

/** `expected` are patterns: one for each violation, in order. */
function refuses(name, files, ...expected) {
  test(`refuses ${name}`, (t) => {
    const violations = checkLayers(workspaceOf(t, files));
    assert.equal(violations.length, expected.length, violations.join('\n'));
    for (const [index, pattern] of expected.entries()) assert.match(violations[index], pattern);
  });
}

accepts('imports from layers above, from the same folder and from other modules', {
  [`${CORE}/errors.ts`]: 'export const a = 1;',
  [`${CORE}/lease/queue.ts`]:
    "import { b } from './entry.js'; import fs from 'node:fs'; import { a } from '../errors.js';",
  [`${CORE}/lease/entry.ts`]: "import type { K } from '../config/keys.js';",
  [`${CORE}/config/keys.ts`]: '',
  [`${CORE}/index.ts`]: "export * from './lease/queue.js';",
});

const upward =
  /^packages\/core\/src\/lease\/queue\.ts:2: lease imports packages\/core\/src\/pool\/pool\.ts: pool is below lease/;
for (const [kind, statement] of Object.entries({
  'an import': "import { p } from '../pool/pool.js';",
  'an import for its effect': "import '../pool/pool.js';",
  'a type-only import': "import type { P } from '../pool/pool.js';",
  'a re-export': "export { p } from '../pool/pool.js';",
  'a re-export of everything': "export * from '../pool/pool.js';",
  'an import()': "const p = await import('../pool/pool.js');",
  "an import('…') type": "export type P = import('../pool/pool.js').P;",
})) {
  refuses(
    `${kind} from a layer below`,
    {
      [`${CORE}/lease/queue.ts`]: `// line one\n${statement}\n`,
      [`${CORE}/pool/pool.ts`]: '',
    },
    upward,
  );
}

refuses(
  'an import between layers of one row',
  {
    [`${CORE}/tabs/tab-pool.ts`]: "import '../sites/site.js';",
    [`${CORE}/sites/site.ts`]: '',
  },
  /tab-pool\.ts:1: tabs imports .*site\.ts: they are side by side/,
);

refuses(
  'an import of the index from inside',
  {
    [`${CORE}/control/client.ts`]: "import '../index.js';",
    [`${CORE}/index.ts`]: '',
  },
  /control imports .*index\.ts: index\.ts is below control/,
);

refuses(
  'a folder without a layer',
  {
    [`${CORE}/utils/things.ts`]: "import '../errors.js';",
    [`${CORE}/errors.ts`]: '',
  },
  /utils has no row in CORE_ROWS/,
);

accepts('the testing folder in tests, and everything in the testing folder', {
  [`${CORE}/testing/fake.ts`]: "import '../pool/pool.js';",
  [`${CORE}/pool/pool.ts`]: '',
  'packages/core/test/pool/pool.test.ts': "import '../../src/testing/fake.js';",
  'packages/mcp/test/server.test.ts': "import '@pwpool/core/testing';",
});

refuses(
  'the testing folder outside tests',
  {
    [`${CORE}/pool/pool.ts`]: "import '../testing/fake.js';",
    [`${CORE}/testing/fake.ts`]: '',
    'packages/mcp/src/server.ts': "import '@pwpool/core/testing';",
  },
  /pool\.ts:1: imports \.\.\/testing\/fake\.js: .*tests only/,
  /server\.ts:1: imports @pwpool\/core\/testing/,
);

accepts('packages that import those above them', {
  'packages/mcp/src/server.ts': "import '@pwpool/core';",
  'apps/cli/src/bin.ts': "import '@pwpool/core'; import '@pwpool/mcp';",
});

accepts("core's internal entry in the packages of the same release", {
  'packages/mcp/src/server.ts': "import '@pwpool/core/internal';",
  'apps/cli/src/bin.ts': "import '@pwpool/core/internal';",
  'benchmarks/queue.bench.ts': "import '@pwpool/core/internal';",
});

refuses(
  "core's internal entry in an example",
  { 'examples/library/main.mjs': "import '@pwpool/core/internal';" },
  /main\.mjs:1: imports @pwpool\/core\/internal, which is for packages\/mcp/,
);

refuses(
  'packages that import those below them',
  {
    [`${CORE}/index.ts`]: "import type { X } from '@pwpool/mcp';",
    'packages/mcp/test/a.test.ts': "import 'pwpool/package.json';",
  },
  /index\.ts:1: @pwpool\/core imports @pwpool\/mcp/,
  /a\.test\.ts:1: @pwpool\/mcp imports pwpool\/package\.json/,
);

refuses(
  'a relative path into another package',
  {
    'packages/mcp/src/server.ts': "import '../../core/src/errors.js';",
    'benchmarks/queue.bench.ts': "import '../packages/core/src/errors.js';",
    [`${CORE}/errors.ts`]: '',
  },
  /queue\.bench\.ts:1: .* a path into packages\/core/,
  /server\.ts:1: .* a path into packages\/core/,
);

accepts('the configuration of Vitest that all packages share', {
  'packages/core/vitest.config.ts': "export { default } from '../../vitest.config.ts';",
  'vitest.config.ts': '',
});

refuses(
  'a circle of files in one folder, types included, and in tests',
  {
    [`${CORE}/lease/a.ts`]: "import './b.js';",
    [`${CORE}/lease/b.ts`]: "import type { C } from './c.js';",
    [`${CORE}/lease/c.ts`]: "export type { A } from './a.js';",
    'apps/cli/test/x.ts': "import './y.js';",
    'apps/cli/test/y.ts': "import './x.js';",
  },
  /y\.ts:1: a circle of imports: .*x\.ts -> .*y\.ts -> .*x\.ts/,
  /c\.ts:1: .*a\.ts -> .*b\.ts -> .*c\.ts -> .*a\.ts/,
);

accepts('time in clock.ts, in tests and in other packages, and the words where they name no clock', {
  [`${CORE}/clock.ts`]: 'Date.now(); setTimeout(() => {}, 1);',
  'packages/core/test/clock.test.ts': 'new Date();',
  'packages/mcp/src/server.ts': 'setInterval(() => {}, 1);',
  [`${CORE}/pool/pool.ts`]:
    'new Date(5); page.setTimeout(1); const o = { setTimeout: 1 }; type T = typeof setTimeout;',
});

const CLOCKS = [
  [
    "import { setTimeout as sleep } from 'node:timers/promises';",
    /pool\.ts:1: node:timers\/promises: time comes/,
  ],
  ['Date.now();', /pool\.ts:2: Date\.now:/],
  ['new Date();', /pool\.ts:3: new Date\(\):/],
  ['performance.now();', /pool\.ts:4: performance\.now:/],
  ['setTimeout(() => {}, 1);', /pool\.ts:5: setTimeout:/],
  ['const later = setInterval;', /pool\.ts:6: setInterval:/],
  ["globalThis['setTimeout'](() => {}, 1);", /pool\.ts:7: setTimeout:/],
  ['AbortSignal.timeout(1);', /pool\.ts:8: AbortSignal\.timeout:/],
];
refuses(
  'any other clock in core',
  { [`${CORE}/pool/pool.ts`]: CLOCKS.map(([statement]) => statement).join('\n') },
  ...CLOCKS.map(([, pattern]) => pattern),
);

const ROOMS = {
  [`${CORE}/errors.ts`]: 'export const a = 1;\nexport const b = 2;\n',
  [`${CORE}/clock.ts`]: 'export const now = 1;\n',
  [`${CORE}/config/keys.ts`]: "import type { a } from '../errors.js';\n",
  [`${CORE}/config/model.ts`]: "import './keys.js';\n",
  [`${CORE}/lease/queue.ts`]: "import '../config/keys.js';\nimport '../errors.js';\nimport '../clock.js';\n",
  [`${CORE}/testing/fake.ts`]: '',
  'packages/core/test/lease/queue.test.ts': "import '../../src/lease/queue.js';\n",
  'packages/mcp/src/server.ts': "import '@pwpool/core';\n",
};

test('reports the rooms that have files in their order, with files, lines and imports, without tests', (t) => {
  assert.deepEqual(formatRooms(readRooms(workspaceOf(t, ROOMS))).split('\n'), [
    'room          files   lines  imports',
    'errors.ts         1       2  nothing',
    'clock.ts          1       1  nothing',
    'config            2       2  errors.ts',
    'lease             1       3  errors.ts, clock.ts, config',
    'packages/mcp      1       1  @pwpool/core',
  ]);
});

test('names many imports by what is left out', () => {
  const rooms = ['a', 'b', 'c', 'd', 'e', 'f'].map((room) => ({ room, imports: [] }));
  const described = (imports) => describeImports({ room: 'f', imports }, rooms);
  assert.equal(described(['a', 'b', 'c', 'd', 'e']), 'all above');
  assert.equal(described(['a', 'b', 'c', 'e']), 'all above but d');
  assert.equal(described(['a', 'b', 'c']), 'a, b, c');
});
