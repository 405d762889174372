import { ensureFirefox } from './ensure-browser.mjs';
import { run, runMain } from './run.mjs';
import { build, checkNode, ensureBrowser, installPackages } from './setup.mjs';
import { ALL_SUITES, runSuite, SUITES } from './suites.mjs';

/** What `npm test` checks before it runs the tests: the cheapest first, up to the first that fails. */
const CHECKS = {
  install: installPackages,
  lint: () => run('biome', ['check', '--error-on-warnings', '.']),
  layers: () => run('node', ['scripts/check-layers.mjs']),
  requirements: () => run('node', ['scripts/check-requirements.mjs']),
  'unused code': () => run('knip', ['--no-config-hints']),
  build,
  types: () => run('turbo', ['run', 'typecheck', '--output-logs=errors-only'], { quiet: true }),
  docs: () => run('node', ['scripts/generate-docs.mjs', '--check']),
  'API reports': () => run('node', ['scripts/api-report.mjs']),
  browser: ensureBrowser,
  Firefox: ensureFirefox,
};

/** The reason of a failure is told in one line, and cut when it is longer than that. */
const REASON_LENGTH = 200;

// With --all, as in CI, every fault strikes every driver, and a pool is under load for two minutes.
const suites = process.argv.includes('--all') ? ALL_SUITES : SUITES;

await runMain(async () => {
  checkNode();
  const lines = [];
  for (const [name, check] of Object.entries(CHECKS)) lines.push((await timed(name, check)).line);

  let passed = 0;
  const failures = [];
  for (const [name, suite] of Object.entries(suites)) {
    const { line, result } = await timed(name, () => runSuite(name, suite));
    lines.push(`${line} ${String(result.passed).padStart(6)} passed${lost(result.failures.length)}`);
    passed += result.passed;
    failures.push(...result.failures);
  }

  // Last, since CI keeps the end of what is printed.
  console.log(`\n${lines.join('\n')}\n`);
  for (const { test, reason } of failures) {
    console.log(`FAILED ${test}\n       ${reason.replace(/\s+/g, ' ').slice(0, REASON_LENGTH)}\n`);
  }
  console.log(`${passed} passed, ${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
});

/** Runs a stage under its headline; tells in a line of the summary how long it took. */
async function timed(name, stage) {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const result = await stage();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  return { line: `${name.padEnd(20)} ${seconds.padStart(6)} s`, result };
}

function lost(count) {
  return count > 0 ? `, ${count} failed` : '';
}
