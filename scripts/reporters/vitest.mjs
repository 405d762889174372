import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from '../workspace.mjs';

/**
 * Writes what became of a run of Vitest, as `{ passed, failures: [{ test, reason }] }`, into the file that
 * PWPOOL_TEST_REPORT names. A file that cannot be loaded is a failure, and so is an error outside of every test.
 */
export default class ReportFile {
  onTestRunEnd(modules, unhandledErrors) {
    const failures = unhandledErrors.map((error) => failure('(outside of every test)', error));
    let passed = 0;
    for (const module of modules) {
      const file = relative(ROOT, module.moduleId);
      for (const suite of [module, ...module.children.allSuites()]) {
        const name = suite === module ? file : `${file} > ${suite.fullName}`;
        failures.push(...suite.errors().map((error) => failure(name, error)));
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed') passed++;
        if (state === 'failed') failures.push(failure(`${file} > ${test.fullName}`, errors?.[0]));
      }
    }
    writeFileSync(process.env.PWPOOL_TEST_REPORT, JSON.stringify({ passed, failures }));
  }
}

function failure(test, error) {
  return { test, reason: error?.message ?? 'no reason given' };
}
