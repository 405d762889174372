/**
 * The gate between requirements/*.yaml and the tests: every requirement that is `built`, or built in part, is cited by
 * the title of a test, as in `it('waits for a busy instance [000-lease-01]')`, and every citation names a requirement,
 * also those in the comments of the code.
 *
 * `node scripts/check-requirements.mjs` prints the counts and what is wrong; `--list` prints every requirement with
 * the tests that cite it. Exit code 1 when something is wrong.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

// The root has no yaml of its own; core's is the one the product reads its files with.
const { parseDocument } = createRequire(new URL('../packages/core/package.json', import.meta.url))('yaml');

const FIELDS = ['id', 'text', 'source', 'step', 'status', 'missing'];
const STEPS = [1, 2, 3, 4, 6, 7, 8, 9, 'later'];
const STATUSES = ['built', 'partial', 'planned'];
const ID = /^(\d{3}|arch)-[a-z]+-\d{2}$/;

/** A bracket in a title that begins like an id is a citation, so that a mistyped id is reported and not passed over. */
const CITATION = /\[\s*((?:\d{3}|arch)-[^\]]*)\]/g;

const TEST_FILE = /\.test\.(ts|mts|js|mjs)$/;
/** A test function of the suite's own is named after the one that it extends: `testRefusal`. */
const TEST_FUNCTION = /^(?:it|test|describe|suite)(?:[A-Z]\w*)?$/;
/** What follows one of these does not run, or is expected to fail: it shows nothing. */
const NOT_RUN = new Set(['skip', 'todo', 'fails']);

/** Reads `requirements/*.yaml` below `root` and lists what is wrong with the data itself. */
export function readRequirements(root) {
  const requirements = [];
  const problems = [];
  const seen = new Map();
  const directory = join(root, 'requirements');
  for (const name of readdirSync(directory)
    .filter((entry) => entry.endsWith('.yaml'))
    .sort()) {
    const document = parseDocument(readFileSync(join(directory, name), 'utf8'));
    if (document.errors.length > 0) {
      problems.push(`${name}: ${document.errors[0].message}`);
      continue;
    }
    const entries = document.toJS();
    if (!Array.isArray(entries)) {
      problems.push(`${name}: a list of requirements is expected`);
      continue;
    }
    for (const [index, entry] of entries.entries()) {
      const flaws = flawsOf(entry);
      const where = `${name}: ${entry?.id ?? `entry ${index + 1}`}`;
      problems.push(...flaws.map((flaw) => `${where}: ${flaw}`));
      if (seen.has(entry?.id)) problems.push(`${where}: the id is also in ${seen.get(entry.id)}`);
      else if (flaws.length === 0) requirements.push({ ...entry, file: name });
      if (entry?.id !== undefined) seen.set(entry.id, name);
    }
  }
  return { requirements, problems };
}

function flawsOf(entry) {
  if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return ['not a mapping'];
  const flaws = [];
  for (const key of Object.keys(entry)) if (!FIELDS.includes(key)) flaws.push(`unknown field "${key}"`);
  if (!ID.test(entry.id)) flaws.push('id is not of the form 000-name-01 or arch-name-01');
  for (const key of ['text', 'source']) {
    if (typeof entry[key] !== 'string' || entry[key].trim() === '') flaws.push(`${key} is missing`);
  }
  if (!STEPS.includes(entry.step)) flaws.push(`step is none of ${STEPS.join(', ')}`);
  if (!STATUSES.includes(entry.status)) flaws.push(`status is none of ${STATUSES.join(', ')}`);
  const isPartial = entry.status === 'partial';
  if (isPartial !== (typeof entry.missing === 'string' && entry.missing.trim() !== ''))
    flaws.push(isPartial ? 'missing does not say what is missing' : 'missing is only for the status partial');
  return flaws;
}

/** The test files of every package, app and example below `root`. */
export function testFiles(root) {
  const files = [];
  for (const group of ['packages', 'apps', 'examples']) {
    for (const member of children(join(root, group))) {
      files.push(...filesBelow(join(root, group, member, 'test')).filter((file) => TEST_FILE.test(file)));
    }
  }
  return files.sort();
}

/** The source files of every package and app below `root`, whose comments cite where a rule comes from. */
function sourceFiles(root) {
  return ['packages', 'apps'].flatMap((group) =>
    children(join(root, group)).flatMap((member) => filesBelow(join(root, group, member, 'src'))),
  );
}

function children(directory) {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

function filesBelow(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/**
 * The citations of one test file, `{ id, title, line }` each, or the error why it cannot be parsed.
 *
 * Only the literal first argument of it, test, describe or suite counts (also with a modifier, as in
 * `it.each(…)('…')`, and of `testThat`, which extends one), and nothing that is skipped.
 */
export function citationsIn(source, file) {
  const parsed = parseSync(file, source);
  if (parsed.errors.length > 0) return { citations: [], error: parsed.errors[0].message };
  const citations = [];
  const skipped = [];
  new Visitor({
    CallExpression(node) {
      const names = calleeNames(node.callee);
      if (!TEST_FUNCTION.test(names[0])) return;
      if (names.some((name) => NOT_RUN.has(name))) skipped.push(node);
      if (skipped.length > 0) return;
      const title = literalText(node.arguments[0]);
      for (const id of idsIn(title)) {
        citations.push({ id, title, line: source.slice(0, node.start).split('\n').length });
      }
    },
    'CallExpression:exit'(node) {
      if (skipped.at(-1) === node) skipped.pop();
    },
  }).visit(parsed.program);
  return { citations };
}

/** `it.each(table)` gives it, each: the names of a callee from left to right. */
function calleeNames(node) {
  if (node.type === 'Identifier') return [node.name];
  if (node.type === 'MemberExpression') return [...calleeNames(node.object), node.property.name];
  if (node.type === 'CallExpression') return calleeNames(node.callee);
  if (node.type === 'TaggedTemplateExpression') return calleeNames(node.tag);
  return [];
}

function literalText(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') return node.quasis.map((part) => part.value.cooked).join('…');
  return '';
}

function idsIn(title) {
  return [...title.matchAll(CITATION)].flatMap((match) => match[1].split(',').map((id) => id.trim()));
}

/** Compares the requirements with the tests below `root`. */
export function checkRequirements(root) {
  const { requirements, problems } = readRequirements(root);
  const cited = new Map(requirements.map((requirement) => [requirement.id, []]));
  for (const path of testFiles(root)) {
    const file = relative(root, path);
    const { citations, error } = citationsIn(readFileSync(path, 'utf8'), file);
    if (error) problems.push(`${file}: ${error}`);
    for (const { id, title, line } of citations) {
      const tests = cited.get(id);
      if (tests) tests.push({ file, line, title });
      else problems.push(`${file}:${line}: cites ${id}, which is no requirement: ${title}`);
    }
  }
  for (const path of sourceFiles(root)) {
    for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
      for (const id of idsIn(line).filter((id) => !cited.has(id))) {
        problems.push(`${relative(root, path)}:${index + 1}: cites ${id}, which is no requirement`);
      }
    }
  }
  const missing = requirements.filter(({ id, status }) => status !== 'planned' && cited.get(id).length === 0);
  return { requirements, problems, cited, missing };
}

function printList({ requirements, cited }) {
  for (const { id, status, step, text, missing } of requirements) {
    console.log(`${id.padEnd(20)} ${status.padEnd(7)} step ${String(step).padEnd(5)} ${text}`);
    if (missing) console.log(`${' '.repeat(20)} missing: ${missing}`);
    for (const { file, line, title } of cited.get(id))
      console.log(`${' '.repeat(20)} ${file}:${line} ${title}`);
  }
}

function printReport({ requirements, problems, cited, missing }) {
  const isCited = ({ id }) => cited.get(id).length > 0;
  const built = requirements.filter(({ status }) => status === 'built');
  const partial = requirements.filter(({ status }) => status === 'partial');
  const planned = requirements.filter(({ status }) => status === 'planned');
  console.log(
    `${requirements.length} requirements: ${built.length} built (${built.filter(isCited).length} cited by a test), ` +
      `${partial.length} built in part, ` +
      `${planned.length} planned (${planned.filter(isCited).length} cited already)`,
  );
  for (const problem of problems) console.error(problem);
  if (missing.length > 0) console.error(`Built, at least in part, and cited by no test (${missing.length}):`);
  for (const { id, file, source, text } of missing) console.error(`  ${id} (${file}, ${source}): ${text}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = checkRequirements(fileURLToPath(new URL('..', import.meta.url)));
  if (process.argv.includes('--list')) printList(report);
  printReport(report);
  process.exitCode = report.problems.length + report.missing.length > 0 ? 1 : 0;
}
