import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const BROWSER_TESTS = '**/test/**/*.browser.test.ts';
const FAULTS = '**/test/faults/**/*.test.ts';
const LOAD_PLAYWRIGHT = fileURLToPath(
  new URL('packages/core/test/driver/fixtures/load-playwright.ts', import.meta.url),
);
/** Files at a time that start browsers. */
const WORKERS = 4;

/** Faults wait more than they work, and the longest of them for a minute: begun first, they cost hardly any time. */
class FaultsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFault = ({ project }: TestSpecification) => Number(project.name === 'faults');
    return (await super.sort(files)).sort((a, b) => isFault(b) - isFault(a));
  }
}

/** The tests of all packages, by what they need. Each package runs its own by the same file. */
export default defineConfig({
  test: {
    // What a busy machine takes for several browsers.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: FaultsFirst },
    expect: { poll: { timeout: 20_000, interval: 20 } },
    tags: [
      {
        name: 'at-length',
        description:
          'Left out of npm test: other engines, drivers and faults in full, comparisons with upstream, more of the same',
      },
    ],
    projects: [
      // No browser, and no process that takes a second to start.
      {
        extends: true,
        test: {
          name: 'unit',
          // They leave nothing behind that another one could see; loading all of core for each takes half of the time.
          isolate: false,
          maxWorkers: 2,
          include: ['**/test/**/*.test.ts'],
          exclude: ['**/node_modules/**', BROWSER_TESTS, FAULTS],
        },
      },
      // They wait for a third of their time: WORKERS at a time keep two cores busy. Each worker loads Playwright once, not
      // for each file: what a file leaves behind is found by the files themselves.
      {
        extends: true,
        test: {
          name: 'browser',
          isolate: false,
          include: [BROWSER_TESTS],
          setupFiles: [LOAD_PLAYWRIGHT],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      // Browsers, servers and connections that are killed, stopped or cut under load; beside the tests with browsers.
      {
        extends: true,
        test: {
          name: 'faults',
          include: [FAULTS],
          setupFiles: [LOAD_PLAYWRIGHT],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
