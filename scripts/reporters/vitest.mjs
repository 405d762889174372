import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../workspace.mjs';
import { failure } from './failure.mjs';

/**
 * Writes what became of a run of Vitest, as `{ passed, failures }`, each of these as `failure` tells it, into the file
 * that PWPOOL_TEST_REPORT names. A file that cannot be loaded is a failure, and so is an error outside of every test.
 */
export default class ReportFile {
  onTestRunEnd(modules, unhandledErrors) {
    const failures = unhandledErrors.map((error) => ofError('(outside of every test)', error));
    let passed = 0;
    for (const module of modules) {
      const file = relative(ROOT, module.moduleId);
      for (const suite of [module, ...module.children.allSuites()]) {
        const name = suite === module ? file : `${file} > ${suite.fullName}`;
        failures.push(...suite.errors().map((error) => ofError(name, error)));
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed') passed++;
        if (state === 'failed') failures.push(ofError(`${file} > ${test.fullName}`, errors?.[0]));
      }
    }
    writeFileSync(process.env.PWPOOL_TEST_REPORT, JSON.stringify({ passed, failures }));
  }
}

function ofError(test, error) {
  return failure(test, { message: error?.message, diff: stripVTControlCharacters(error?.diff ?? '') });
}
