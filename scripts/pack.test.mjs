import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, readManifest, workspaceFolders } from './workspace.mjs';

const PUBLISHED = ['packages/core', 'packages/mcp', 'apps/cli'];

function directory(t) {
  const path = mkdtempSync(join(tmpdir(), 'pwpool-pack-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The workspace without what is installed: packing writes to it. */
function copyOfWorkspace(t) {
  const copy = directory(t);
  const wanted = [
    'pnpm-workspace.yaml',
    'scripts',
    ...workspaceFolders().map((folder) => `${folder}/package.json`),
  ];
  const packed = PUBLISHED.flatMap((folder) =>
    [...readManifest(folder).files, 'README.md', 'LICENSE'].map((name) => `${folder}/${name}`),
  );
  for (const path of [...wanted, ...packed.filter((each) => !/\/!|core\/bin/.test(each))]) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  }
  return copy;
}

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** `npm install` of the tarballs, without the network: what they need beside each other is taken from this workspace. */
function install(tarball, folder, target) {
  mkdirSync(target, { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', target], ROOT);
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+/, `${manifest.name} needs ${name}@${version}`);
    if (name === 'pwpool' || name.startsWith('@pwpool/')) continue;
    const link = join(target, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(ROOT, folder, 'node_modules', name), link);
  }
  return manifest;
}

test('npm pack makes packages that can be installed and run', (t) => {
  const workspace = copyOfWorkspace(t);
  const user = directory(t);
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }');
  for (const folder of PUBLISHED) {
    const source = join(workspace, folder);
    const written = readFileSync(join(source, 'package.json'), 'utf8');
    const [{ filename, files }] = JSON.parse(
      run('npm', ['pack', '--json', '--foreground-scripts=false'], source),
    );
    assert.equal(readFileSync(join(source, 'package.json'), 'utf8'), written, 'the manifest is as it was');
    const names = files.map(({ path }) => path);
    for (const name of ['package.json', 'README.md', 'LICENSE'])
      assert.ok(names.includes(name), `${folder}: ${name}`);
    assert.deepEqual(
      names.filter((name) => /^(src|test|api)\/|tsbuildinfo|kept/.test(name)),
      [],
    );
    const { name } = JSON.parse(written);
    const manifest = install(join(source, filename), folder, join(user, 'node_modules', name));
    assert.equal(manifest.devDependencies, undefined);
    assert.equal(manifest.scripts, undefined);
  }
  const bin = (name, file, ...args) =>
    run(process.execPath, [join(user, 'node_modules', name, 'bin', file), ...args], user);
  assert.equal(bin('pwpool', 'pwpool.js', '--version').trim(), readManifest('apps/cli').version);
  assert.match(bin('@pwpool/mcp', 'pwpool-mcp.js', '--help'), /pwpool-mcp/);
  const program = "import { BrowserPools } from '@pwpool/core'; console.log(typeof BrowserPools.create);";
  assert.equal(run(process.execPath, ['--input-type=module', '-e', program], user).trim(), 'function');
});
