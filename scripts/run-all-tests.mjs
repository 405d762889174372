import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed, run } from './run.mjs';
import { ROOT, workspaceFolders } from './workspace.mjs';

/**
 * Runs every test of the repository, one suite after another: Node's runner for scripts and examples, Vitest for
 * the packages. Each suite writes its report into `reportFolder`, and the next one runs even when it fails.
 * @returns one `{ name, passed, failed }` for each suite
 */
export async function runAllTests(reportFolder) {
  const folders = workspaceFolders();
  const vitestFolders = folders.filter((folder) => existsSync(join(ROOT, folder, 'vitest.config.ts')));
  const others = ['scripts', ...folders.filter((folder) => !vitestFolders.includes(folder))];
  const results = [];
  for (const folder of [...others, ...vitestFolders]) {
    const report = join(reportFolder, folder.replaceAll('/', '-'));
    const suite = vitestFolders.includes(folder) ? vitestSuite(folder, report) : nodeSuite(folder, report);
    if (suite) results.push({ name: folder, ...(await runSuite(suite)) });
  }
  return results;
}

async function runSuite({ command, args, cwd, readCounts }) {
  try {
    await run(command, args, { cwd });
    return readCounts();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const { passed, failed } = readCounts();
    // A suite that fails although no test does, as with an unhandled rejection, is a failure all the same.
    return { passed, failed: Math.max(failed, 1) };
  }
}

function vitestSuite(folder, report) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return {
    command: 'vitest',
    args: ['run', '--passWithNoTests', ...reporters],
    cwd: join(ROOT, folder),
    readCounts() {
      if (!existsSync(report)) return { passed: 0, failed: 0 };
      const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
      // A file that cannot be loaded has failed without having a test.
      const broken = testResults.filter(
        ({ status, assertionResults }) =>
          status === 'failed' && assertionResults.every((result) => result.status !== 'failed'),
      );
      return { passed: numPassedTests, failed: numFailedTests + broken.length };
    },
  };
}

function nodeSuite(folder, report) {
  const files = testFiles(folder === 'scripts' ? folder : `${folder}/test`);
  if (files.length === 0) return undefined;
  const reporters = ['spec', 'tap'].map((reporter) => `--test-reporter=${reporter}`);
  const destinations = ['stdout', report].map((path) => `--test-reporter-destination=${path}`);
  return {
    command: process.execPath,
    args: ['--test', ...reporters, ...destinations, ...files],
    cwd: ROOT,
    readCounts() {
      const tap = existsSync(report) ? readFileSync(report, 'utf8') : '';
      const count = (word) => Number(new RegExp(`^# ${word} (\\d+)`, 'm').exec(tap)?.[1] ?? 0);
      return { passed: count('pass'), failed: count('fail') + count('cancelled') };
    },
  };
}

function testFiles(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  const names = readdirSync(join(ROOT, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith('.test.mjs'))
    .sort()
    .map((name) => join(folder, name));
}
