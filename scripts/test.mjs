import { ensureFirefox } from './ensure-browser.mjs';
import { run, runMain } from './run.mjs';
import { build, checkNode, ensureBrowser, installPackages } from './setup.mjs';
import { ALL_SUITES, runSuite, SUITES } from './suites.mjs';

/** What `npm test` checks before it runs the tests, in stages, up to the first with a failure: those of a stage run side by side. */
const CHECKS = [
  { install: installPackages },
  {
    lint: () => run('biome', ['check', '--error-on-warnings', '.']),
    layers: () => run('node', ['scripts/check-layers.mjs']),
    requirements: () => run('node', ['scripts/check-requirements.mjs']),
    'unused code': () => run('knip', ['--no-config-hints']),
    build,
  },
  {
    types: () => run('turbo', ['run', 'typecheck', '--output-logs=errors-only'], { quiet: true }),
    docs: () => run('node', ['scripts/generate-docs.mjs', '--check']),
    'API reports': () => run('node', ['scripts/api-report.mjs']),
    browser: ensureBrowser,
    Firefox: ensureFirefox,
  },
];

// With --all, as in CI, every fault strikes every driver, and a pool is under load for two minutes.
const suites = process.argv.includes('--all') ? ALL_SUITES : SUITES;

await runMain(async () => {
  checkNode();
  const lines = [];
  for (const stage of CHECKS) {
    const checks = Object.entries(stage).map(async ([name, check]) => (await timed(name, check)).line);
    // None of them is left running when another one has failed.
    await Promise.allSettled(checks);
    lines.push(...(await Promise.all(checks)));
  }

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
  for (const { test, reason, changes } of failures) {
    console.log(`FAILED ${test}\n${[reason, ...changes].map((line) => `       ${line}\n`).join('')}`);
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
