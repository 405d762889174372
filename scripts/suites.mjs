import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure } from './reporters/failure.mjs';
import { CommandFailed, run } from './run.mjs';
import { ROOT, workspaceFolders } from './workspace.mjs';

/** A suite of tests: how it is run, its report going into the file that it is told of. */
const SCRIPTS = (report) => {
  const reporters = ['spec', './scripts/reporters/node-test.mjs'].map((name) => `--test-reporter=${name}`);
  const destinations = ['stdout', report].map((path) => `--test-reporter-destination=${path}`);
  // By default one at a time on two cores.
  return run(process.execPath, [
    '--test',
    '--test-concurrency=2',
    ...reporters,
    ...destinations,
    ...nodeTests(),
  ]);
};

const projects =
  (names, ...options) =>
  (report) => {
    const reporters = ['--reporter=default', '--reporter=./scripts/reporters/vitest.mjs'];
    const args = ['run', ...names.map((name) => `--project=${name}`), ...reporters, ...options];
    return run('vitest', args, { env: { PWPOOL_TEST_REPORT: report } });
  };

/** A server under load whose browsers are killed, as a suite of one test. */
const soak = (seconds) => () => run('tsx', ['benchmarks/soak/soak.ts', '--seconds', String(seconds)]);

/** The official conformance tool over HTTP, as a suite of one test. */
const conformance = () => run(process.execPath, ['scripts/conformance.mjs']);

/** The packages as a user installs them, as a suite of one test. */
const installed = () => run(process.execPath, ['scripts/installed.mjs']);

/** What `npm test` runs. */
export const SUITES = {
  scripts: SCRIPTS,
  unit: projects(['unit']),
  'browser, faults': projects(['browser', 'faults'], '--tags-filter=!at-length'),
};

/** What CI runs. */
export const ALL_SUITES = {
  ...SUITES,
  'browser, faults': projects(['browser', 'faults']),
  conformance,
  installed,
  soak: soak(120),
};

/**
 * Runs a suite to its end.
 * @returns `{ passed, failures }`, each failure as `failure` tells it
 */
export async function runSuite(name, suite) {
  const folder = mkdtempSync(join(tmpdir(), 'pwpool-report-'));
  const file = join(folder, 'report.json');
  let ending;
  try {
    await suite(file);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    ending = failure(name, error);
  }
  try {
    const report = existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : { passed: ending ? 0 : 1, failures: [] };
    // A suite that fails although no test does is a failure all the same.
    if (ending && report.failures.length === 0) report.failures.push(ending);
    return report;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Those of the scripts, and of the examples, which are plain JavaScript. */
function nodeTests() {
  const examples = workspaceFolders().filter((folder) => folder.startsWith('examples/'));
  return ['scripts', ...examples.map((folder) => `${folder}/test`)].flatMap((folder) => {
    if (!existsSync(join(ROOT, folder))) return [];
    const names = readdirSync(join(ROOT, folder), { recursive: true });
    return names.filter((name) => name.endsWith('.test.mjs')).map((name) => join(folder, name));
  });
}
