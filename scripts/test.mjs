import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureFirefox } from './ensure-browser.mjs';
import { run, runMain } from './run.mjs';
import { runAllTests } from './run-all-tests.mjs';
import { build, checkNode, ensureBrowser, installPackages } from './setup.mjs';

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

await runMain(async () => {
  checkNode();
  const times = [];
  for (const [name, check] of Object.entries(CHECKS)) times.push(await timed(name, check));

  let suites = [];
  times.push(
    await timed('tests', async () => {
      suites = await testAll();
    }),
  );

  // One minute of benchmarks/soak: a server under load whose browsers are killed.
  times.push(await timed('soak', () => run('tsx', ['benchmarks/soak/soak.ts', '--seconds', '60'])));

  console.log(`\n${[...times, '', ...suites.map(describe)].join('\n')}\n`);
  const passed = suites.reduce((sum, suite) => sum + suite.passed, 0);
  const failed = suites.reduce((sum, suite) => sum + suite.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

/** Runs a stage under its headline; returns the line of the summary that says how long it took. */
async function timed(name, stage) {
  console.log(`\n== ${name}`);
  const start = performance.now();
  await stage();
  return `${name.padEnd(20)} ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s`;
}

async function testAll() {
  const reports = mkdtempSync(join(tmpdir(), 'pwpool-reports-'));
  try {
    return await runAllTests(reports);
  } finally {
    rmSync(reports, { recursive: true });
  }
}

function describe({ name, passed, failed }) {
  return `${name.padEnd(20)} ${String(passed).padStart(6)} passed${failed > 0 ? `, ${failed} failed` : ''}`;
}
