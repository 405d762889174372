import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkRequirements, citationsIn, readRequirements } from './check-requirements.mjs';

let root;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pwpool-requirements-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function requirement(id, status = 'built') {
  return `- { id: ${id}, text: A sentence., source: A heading, step: 1, status: ${status} }\n`;
}

const ids = (source, file = 'a.test.ts') => citationsIn(source, file).citations.map(({ id }) => id);

describe('citations', () => {
  it('are read from the title of it, test and describe, one or several in a bracket', () => {
    const source = `
      describe('queue [000-lease-01]', () => {
        it('waits [000-lease-02, arch-lease-03]', async () => { await using lease = await take(); });
        test(\`by \${name} [003-id-01]\`, () => {});
      });`;
    assert.deepEqual(ids(source), ['000-lease-01', '000-lease-02', 'arch-lease-03', '003-id-01']);
  });

  it('are read through modifiers, tables and test functions of the suite’s own', () => {
    const source = `
      it.each([1, 2])('a [000-a-01]', () => {});
      it.each\`x\${1}\`('b [000-a-02]', () => {});
      describe.concurrent('c [000-a-03]', () => {});
      it.skipIf(windows)('d [000-a-04]', () => {});
      testRefusal('e [000-a-05]', () => {});`;
    assert.deepEqual(ids(source), ['000-a-01', '000-a-02', '000-a-03', '000-a-04', '000-a-05']);
  });

  it('are not read from comments, bodies, other calls or computed titles', () => {
    const source = `
      // it('a [000-a-01]')
      it('plain', () => { expect('[000-a-02]').toBe('[000-a-03]'); });
      log('[000-a-04]');
      testing('[000-a-07]');
      it('x' + '[000-a-05]', () => {});
      it(title, 'y [000-a-06]');`;
    assert.deepEqual(ids(source), []);
  });

  it('are not read from tests that do not run', () => {
    const source = `
      it.skip('a [000-a-01]', () => {});
      it.todo('b [000-a-02]');
      it.fails('c [000-a-03]', () => {});
      describe.skip('d [000-a-04]', () => { it('e [000-a-05]', () => {}); });
      it('f [000-a-06]', () => {});`;
    assert.deepEqual(ids(source), ['000-a-06']);
  });

  it('keep a mistyped id, and leave other brackets alone', () => {
    assert.deepEqual(ids(`it('a [1, 2] [x] [000-a-1] [arch-b]', () => {});`), ['000-a-1', 'arch-b']);
  });

  it('carry the line of their test', () => {
    const { citations } = citationsIn(`\n\nit('a [000-a-01]', () => {});`, 'a.test.ts');
    assert.deepEqual(citations, [{ id: '000-a-01', title: 'a [000-a-01]', line: 3 }]);
  });
});

describe('requirements', () => {
  it('are read from every file', () => {
    write('requirements/b.yaml', requirement('001-a-01'));
    write('requirements/a.yaml', requirement('000-a-01') + requirement('000-a-02', 'planned'));
    const { requirements, problems } = readRequirements(root);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      requirements.map(({ id }) => id),
      ['000-a-01', '000-a-02', '001-a-01'],
    );
  });

  it('with one id are reported, within a file and across files', () => {
    write('requirements/a.yaml', requirement('000-a-01') + requirement('000-a-01'));
    write('requirements/b.yaml', requirement('000-a-01'));
    assert.deepEqual(readRequirements(root).problems, [
      'a.yaml: 000-a-01: the id is also in a.yaml',
      'b.yaml: 000-a-01: the id is also in a.yaml',
    ]);
  });

  it('with a wrong id, step, status or field are reported all together', () => {
    write(
      'requirements/a.yaml',
      '- { id: first, text: "", source: A, step: 5, status: done, note: x }\n- 7\n',
    );
    assert.deepEqual(readRequirements(root).problems, [
      'a.yaml: first: unknown field "note"',
      'a.yaml: first: id is not of the form 000-name-01 or arch-name-01',
      'a.yaml: first: text is missing',
      'a.yaml: first: step is none of 1, 2, 3, 4, 6, 7, 8, 9, later',
      'a.yaml: first: status is none of built, partial, planned',
      'a.yaml: entry 2: not a mapping',
    ]);
  });

  it('that hold in part say what is missing, and no other does', () => {
    const sentence = (status, missing) =>
      `- { id: 000-a-0${status.length}, text: A., source: A, step: 4, status: ${status}${missing} }\n`;
    write('requirements/a.yaml', sentence('partial', ', missing: the rest'));
    assert.deepEqual(readRequirements(root).problems, []);
    write('requirements/a.yaml', sentence('partial', '') + sentence('built', ', missing: the rest'));
    assert.deepEqual(readRequirements(root).problems, [
      'a.yaml: 000-a-07: missing does not say what is missing',
      'a.yaml: 000-a-05: missing is only for the status partial',
    ]);
  });

  it('in a file that is no list, or no YAML, are reported', () => {
    write('requirements/a.yaml', 'id: 000-a-01\n');
    write('requirements/b.yaml', '- { id: [\n');
    const { problems } = readRequirements(root);
    assert.equal(problems[0], 'a.yaml: a list of requirements is expected');
    assert.match(problems[1], /^b\.yaml: /);
  });

  it('of this project are well-formed', () => {
    const { requirements, problems } = readRequirements(fileURLToPath(new URL('..', import.meta.url)));
    assert.deepEqual(problems, []);
    assert.ok(requirements.length > 0);
  });
});

describe('the gate', () => {
  it('passes when every built requirement is cited in a package, an app or an example', () => {
    write('requirements/a.yaml', requirement('000-a-01') + requirement('000-a-02') + requirement('000-a-03'));
    write('packages/core/test/lease/queue.test.ts', `it('a [000-a-01]', () => {});`);
    write('apps/cli/test/run.test.ts', `it('a [000-a-02]', () => {});`);
    write('examples/library/test/main.test.mjs', `it('a [000-a-03]', () => {});`);
    const { problems, missing, cited } = checkRequirements(root);
    assert.deepEqual(problems, []);
    assert.deepEqual(missing, []);
    assert.deepEqual(cited.get('000-a-01'), [
      { file: join('packages', 'core', 'test', 'lease', 'queue.test.ts'), line: 1, title: 'a [000-a-01]' },
    ]);
  });

  it('names a built requirement that no test cites, also one built in part, and leaves planned ones alone', () => {
    const partial = requirement('000-a-03', 'partial, missing: the rest');
    write('requirements/a.yaml', requirement('000-a-01') + requirement('000-a-02', 'planned') + partial);
    const { problems, missing } = checkRequirements(root);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      missing.map(({ id }) => id),
      ['000-a-01', '000-a-03'],
    );
  });

  it('names a citation of an unknown requirement with its place', () => {
    write('requirements/a.yaml', requirement('000-a-01', 'planned'));
    write('packages/core/test/a.test.ts', `\nit('a [000-a-01, 000-a-09]', () => {});`);
    const file = join('packages', 'core', 'test', 'a.test.ts');
    assert.deepEqual(checkRequirements(root).problems, [
      `${file}:2: cites 000-a-09, which is no requirement: a [000-a-01, 000-a-09]`,
    ]);
  });

  it('names a citation of an unknown requirement in a comment of the code', () => {
    write('requirements/a.yaml', requirement('000-a-01', 'planned'));
    write('packages/core/src/a.ts', '/** As told [000-a-01]. */\n// Not so [000-a-09].\n');
    const file = join('packages', 'core', 'src', 'a.ts');
    assert.deepEqual(checkRequirements(root).problems, [
      `${file}:2: cites 000-a-09, which is no requirement`,
    ]);
  });

  it('reports a test file that cannot be parsed and goes on', () => {
    write('requirements/a.yaml', requirement('000-a-01'));
    write('packages/core/test/a.test.ts', `it('a [000-a-01]', () => {`);
    write('packages/core/test/b.test.ts', `it('a [000-a-01]', () => {});`);
    const { problems, missing } = checkRequirements(root);
    assert.equal(problems.length, 1);
    assert.deepEqual(missing, []);
  });

  it('reads no files outside the test folders', () => {
    write('requirements/a.yaml', requirement('000-a-01'));
    write('packages/core/src/a.test.ts', `it('a [000-a-01]', () => {});`);
    write('packages/core/test/node_modules/x/a.test.ts', `it('a [000-a-01]', () => {});`);
    write('packages/core/test/helper.ts', `it('a [000-a-01]', () => {});`);
    assert.equal(checkRequirements(root).missing.length, 1);
  });
});
