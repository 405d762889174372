import { defineConfig } from 'vitest/config';

const BROWSER_TESTS = '**/test/**/*.browser.test.ts';
const FAULTS = '**/test/faults/**/*.test.ts';

/** The tests of all packages, by what they need. Each package runs its own by the same file. */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000, interval: 20 } },
    tags: [{ name: 'one-strike', description: 'Each fault once: what npm test runs of the faults' }],
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
      // They wait for a third of their time: three at a time keep two cores busy.
      {
        extends: true,
        test: { name: 'browser', include: [BROWSER_TESTS], maxWorkers: 3, sequence: { groupOrder: 1 } },
      },
      // Browsers, servers and connections that are killed, stopped or cut under load.
      {
        extends: true,
        test: { name: 'faults', include: [FAULTS], maxWorkers: 3, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
