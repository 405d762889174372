import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspectConfig, PlaywrightToolset, parseScript, SiteLimits } from '@pwpool/core';
import { ROOT } from './workspace.mjs';

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'packages/core/README.md',
  'packages/mcp/README.md',
];

/** The blocks of that language in the pages for users, each with its place. */
function blocksOf(language) {
  return PAGES.flatMap((page) => {
    // A block within a block is an example of an answer.
    const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^(`{4,})\w*\n[\s\S]*?^\1$/gm, (block) =>
      block.replaceAll('`', ''),
    );
    return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => ({
      place: `${page}:${text.slice(0, match.index).split('\n').length}`,
      text: match[1],
    }));
  });
}

function directory(t, parent) {
  const path = mkdtempSync(join(parent, 'pwpool-documents-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('every ts block compiles as it stands', (t) => {
  // Within the workspace, whose packages it imports.
  const folder = directory(t, join(ROOT, 'node_modules'));
  const blocks = blocksOf('ts');
  assert.ok(blocks.length > 5);
  for (const { place, text } of blocks) {
    writeFileSync(join(folder, `${place.replaceAll(/[/:]/g, '-')}.ts`), `${text}\nexport {};\n`);
  }
  const compilerOptions = {
    noEmit: true,
    composite: false,
    incremental: false,
    types: ['node'],
    noUnusedLocals: false,
  };
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions,
    include: [join(folder, '*.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    assert.fail(error.stdout);
  }
});

test('every json block parses', () => {
  for (const { place, text } of blocksOf('json')) assert.doesNotThrow(() => JSON.parse(text), place);
});

test('every block of variables is a valid configuration of a pool', (t) => {
  const pool = 'PW_MCP_PROXY__A_INSTANCES=2\nPW_MCP_PROXY__A_IS_DEFAULT=true\n';
  for (const { place, text } of blocksOf('sh').filter((block) => /^PW_MCP_PROXY_/m.test(block.text))) {
    const cwd = directory(t, tmpdir());
    writeFileSync(join(cwd, '.env'), /IS_DEFAULT=true/.test(text) ? text : `${pool}${text}`);
    const { violations, warnings } = inspectConfig({ env: {}, cwd });
    assert.deepEqual([...violations, ...warnings], [], place);
  }
});

test('every yaml block is a script, a configuration or a file of sites', async (t) => {
  const { config } = inspectConfig({ env: {}, cwd: directory(t, tmpdir()) });
  const toolset = await PlaywrightToolset.load(config.server);
  for (const { place, text } of blocksOf('yaml')) {
    if (/^(?:- tool|steps):/m.test(text)) {
      assert.deepEqual(parseScript(text, place, toolset, { hasRows: true }).warnings, []);
    } else if (/pwpool\.config/.test(text)) {
      const cwd = directory(t, tmpdir());
      writeFileSync(join(cwd, 'pwpool.config.yaml'), text);
      assert.deepEqual(inspectConfig({ env: {}, cwd }).violations, [], place);
    } else {
      const file = join(directory(t, tmpdir()), 'sites.yaml');
      writeFileSync(file, text);
      assert.deepEqual(await SiteLimits.inspect(file), [], place);
    }
  }
});

test('every changeset says of which packages it is, and what has changed', () => {
  const folder = join(ROOT, '.changeset');
  const form = /^---\n+(?:["'](?:@pwpool\/core|@pwpool\/mcp|pwpool)["']: (?:major|minor|patch)\n)+---\n\n\S/;
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.md'))) {
    assert.match(readFileSync(join(folder, name), 'utf8'), form, name);
  }
});
