import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { copyWorkspace, PROGRAM, PUBLISHED, pack, STRICT } from './packed.mjs';
import { CommandFailed, runMain } from './run.mjs';
import { ROOT } from './workspace.mjs';

/**
 * What a user has: the packages as `npm pack` makes them, installed by npm alone into an empty project, on the oldest
 * Node that they are for and on a later one. A script is run, a client calls a tool, and a strict TypeScript program is
 * compiled and run.
 */
const NODES = ['node@20.19.0', 'node@24'];

const SCRIPT = `steps:
  - tool: browser_navigate
    args: { url: "{{row.url}}" }
    save_as: page
extract: "{{steps.page.title}}"
`;

/** What a client says that opens a page. */
const MESSAGES = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
  {
    id: 2,
    method: 'tools/call',
    params: { name: 'browser_navigate', arguments: { url: 'data:text/html,<title>Shop</title>' } },
  },
];

await runMain(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pwpool-installed-'));
  try {
    const project = join(folder, 'project');
    for (const path of ['copy', 'project', 'home']) mkdirSync(join(folder, path));
    copyWorkspace(join(folder, 'copy'));
    const tarballs = PUBLISHED.map((each) => pack(join(folder, 'copy'), each).tarball);
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(project, 'titles.yaml'), SCRIPT);
    writeFileSync(join(project, 'urls.csv'), 'url\n"data:text/html,<title>Shop</title>"\n');
    writeFileSync(join(project, 'program.ts'), PROGRAM);
    const tools = ['typescript', '@types/node'].map((name) => `${name}@${versionOf(name)}`);
    npmInstall(project, [...tarballs, ...tools]);
    for (const node of NODES) {
      const place = join(folder, node.replaceAll('.', '-'));
      mkdirSync(place);
      npmInstall(place, [node]);
      await tryOut(project, join(place, 'node_modules/node/bin'), folder);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function tryOut(project, bin, folder) {
  const env = {
    ...process.env,
    PATH: [bin, process.env.PATH].join(delimiter),
    HOME: join(folder, 'home'),
    PWPOOL_RUNTIME_DIR: join(folder, 'home', 'run'),
  };
  const run = (command, ...args) =>
    execFileSync(command, args, {
      cwd: project,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const node = run('node', '--version').trim();
  const check = (what, answer, wanted) => {
    if (!wanted.test(answer)) throw new CommandFailed(`${what} on Node ${node}: ${answer}`);
    console.log(`${node}: ${what}`);
  };
  check('npx pwpool --version', run('npx', 'pwpool', '--version'), /^\d+\.\d+\.\d+/);
  const rows = run('npx', 'pwpool', 'run', 'titles.yaml', '--data', 'urls.csv');
  check('npx pwpool run', rows, /"ok":true,"result":"Shop"/);
  check(
    'npx pwpool-mcp',
    await answersOf(spawn('npx', ['pwpool-mcp'], { cwd: project, env })),
    /Page Title: Shop/,
  );
  run('npx', 'tsc', ...STRICT, 'program.ts');
  check('a strict TypeScript program', run('node', 'program.js'), /^Shop function$/m);
}

/** What a server has said when it has answered the last message and its client has left. */
async function answersOf(child) {
  let said = '';
  child.stderr.pipe(process.stderr);
  child.stdout.on('data', (chunk) => {
    said += chunk;
    if (said.includes('"id":2')) child.stdin.end();
  });
  for (const message of MESSAGES) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await new Promise((resolve) => child.once('close', resolve));
  return said;
}

function npmInstall(cwd, wanted) {
  const options = ['--no-audit', '--no-fund', '--engine-strict=false', '--loglevel=error'];
  execFileSync('npm', ['install', ...options, ...wanted], { cwd, stdio: 'inherit' });
}

function versionOf(name) {
  return JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version;
}
