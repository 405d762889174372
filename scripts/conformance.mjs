import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runMain } from './run.mjs';
import { ROOT } from './workspace.mjs';

/**
 * The official conformance tool, against `pwpool-mcp --http`. It needs Node 24, and so both are installed for this
 * alone. Each scenario runs at the revisions that it names; those that are left out call tools, prompts and resources
 * of the tool's own fixture, which a server of browsers does not have.
 */
const TOOL = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const NODE = 'node@24';

const SCENARIOS = {
  '2025-06-18': [
    'server-initialize',
    'ping',
    'logging-set-level',
    'tools-list',
    'resources-list',
    'prompts-list',
  ],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'logging-set-level',
    'tools-list',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'server-session-lifecycle',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'server-stateless',
    'http-header-validation',
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'server-sse-multiple-streams',
    'caching',
    'input-required-result-unsupported-methods',
    'dns-rebinding-protection',
  ],
};

/**
 * Checks of these scenarios that ask for tools of the fixture: one that asks its client something, one that changes the
 * tools.
 */
const OF_THE_FIXTURE = [
  'server-stateless:sep-2575-server-rejects-undeclared-capability',
  'server-stateless:sep-2575-missing-capability-http-400',
  'server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription',
];

await runMain(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pwpool-conformance-'));
  const server = await startServer(folder);
  try {
    // What the tool is made of wants a later Node than this one, which the tool has.
    const options = ['--engine-strict=false', '--no-audit', '--no-fund', '--prefix', folder];
    await run('npm', ['install', ...options, NODE, TOOL], { cwd: folder, quiet: true });
    const [node, tool] = [NODE, TOOL].map((name) =>
      join(folder, 'node_modules', name.replace(/@[^@]*$/, '')),
    );
    const baseline = join(folder, 'expected.yml');
    writeFileSync(baseline, `server:\n${OF_THE_FIXTURE.map((check) => `  - ${check}\n`).join('')}`);
    for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
      for (const scenario of scenarios) {
        console.log(`${revision}: ${scenario}`);
        const expected = OF_THE_FIXTURE.some((check) => check.startsWith(`${scenario}:`));
        const args = [
          ...[join(tool, 'dist/index.js'), 'server', '--url', server.address],
          ...['--scenario', scenario, '--spec-version', revision],
          ...(expected ? ['--expected-failures', baseline] : []),
        ];
        await run(join(node, 'bin/node'), args, { quiet: true });
      }
    }
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
    rmSync(folder, { recursive: true });
  }
});

async function startServer(folder) {
  const bin = join(ROOT, 'packages/mcp/bin/pwpool-mcp.js');
  const child = spawn(process.execPath, [bin, '--http', '--port', '0'], {
    cwd: folder,
    env: { ...process.env, PWPOOL_RUNTIME_DIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let told = '';
  const address = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      told += chunk;
      const found = /Serving MCP at (\S+)/.exec(told);
      if (found) resolve(found[1]);
    });
    void ended.then(() => reject(new Error(`The server ended: ${told}`)));
  });
  return { child, ended, address };
}
