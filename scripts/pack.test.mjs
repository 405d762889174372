import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyWorkspace, PROGRAM, PUBLISHED, pack, STRICT } from './packed.mjs';
import { ROOT, readManifest } from './workspace.mjs';

function directory(t) {
  const path = mkdtempSync(join(tmpdir(), 'pwpool-pack-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function run(command, args, cwd, input = '') {
  return execFileSync(command, args, { cwd, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
}

/** A server answers this without a browser, from what its package and the packages that it depends on hold. */
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

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
  const workspace = directory(t);
  copyWorkspace(workspace);
  const user = directory(t);
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }');
  for (const folder of PUBLISHED) {
    const source = join(workspace, folder);
    const written = readFileSync(join(source, 'package.json'), 'utf8');
    const { tarball, names } = pack(workspace, folder);
    assert.equal(readFileSync(join(source, 'package.json'), 'utf8'), written, 'the manifest is as it was');
    for (const name of ['package.json', 'README.md', 'LICENSE', 'dist/THIRD-PARTY-LICENSES.txt'])
      assert.ok(names.includes(name), `${folder}: ${name}`);
    assert.deepEqual(
      names.filter((name) => /^(src|test|api)\/|tsbuildinfo|kept/.test(name)),
      [],
    );
    const { name } = JSON.parse(written);
    const manifest = install(tarball, folder, join(user, 'node_modules', name));
    assert.equal(manifest.devDependencies, undefined);
    assert.equal(manifest.scripts, undefined);
  }
  const bin = (name, file, args, input) =>
    run(process.execPath, [join(user, 'node_modules', name, 'bin', file), ...args], user, input);
  assert.equal(bin('pwpool', 'pwpool.js', ['--version']).trim(), readManifest('apps/cli').version);
  assert.match(bin('@pwpool/mcp', 'pwpool-mcp.js', ['--help']), /pwpool-mcp/);
  const answer = bin('@pwpool/mcp', 'pwpool-mcp.js', [], `${JSON.stringify(INITIALIZE)}\n`);
  assert.equal(JSON.parse(answer).result.serverInfo.name, 'pwpool');
  const program = "import { BrowserPools } from '@pwpool/core'; console.log(typeof BrowserPools.create);";
  assert.equal(run(process.execPath, ['--input-type=module', '-e', program], user).trim(), 'function');
  assert.equal(
    bin('pwpool', 'pwpool.js', ['validate', '--no-probe', '--set', 'headless=false']).split(':')[0],
    'Valid',
  );
  const schema = JSON.parse(bin('pwpool', 'pwpool.js', ['config', 'schema']));
  const published = join(user, 'node_modules/@pwpool/core/schema/pwpool.config.schema.json');
  assert.deepEqual(JSON.parse(readFileSync(published, 'utf8')), schema);
  compile(user);
});

/**
 * A program of somebody who is strict: the types of all packages are complete, and those of their dependencies are
 * found.
 */
function compile(user) {
  writeFileSync(join(user, 'program.ts'), PROGRAM);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types')];
  try {
    run(process.execPath, [tsc, ...STRICT, ...types, '--noEmit', 'program.ts'], user);
  } catch (error) {
    assert.fail(error.stdout);
  }
}
