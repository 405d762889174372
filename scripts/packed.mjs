import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readManifest, workspaceFolders } from './workspace.mjs';

/** The packages that are published. */
export const PUBLISHED = ['packages/core', 'packages/mcp', 'apps/cli'];

/** What somebody writes with the packages. */
export const PROGRAM = `import { BrowserPools, type PwpoolConfig, resolveConfig } from '@pwpool/core';
import { serveStdio } from '@pwpool/mcp';

const config: PwpoolConfig = resolveConfig({ headless: true, pools: { SHOP: { instances: 2, isDefault: true } } });
await using pools = BrowserPools.start(config);
await using lease = await pools.lease({ pool: 'SHOP' });
const page = await lease.page();
await page.goto('data:text/html,<title>Shop</title>');
console.log(await page.title(), typeof serveStdio);
`;

/** How TypeScript compiles it for somebody who is strict. */
export const STRICT = [
  '--strict',
  ...['--module', 'nodenext', '--types', 'node', '--target', 'es2022'],
  ...['--lib', 'es2023,esnext.disposable,dom'],
];

/** Copies the workspace into a folder, without what is installed: packing writes to it. */
export function copyWorkspace(copy) {
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
}

/** `npm pack` of a package of such a copy: the tarball and the names of what is in it. */
export function pack(copy, folder) {
  const cwd = join(copy, folder);
  const args = ['pack', '--json', '--foreground-scripts=false'];
  const [{ filename, files }] = JSON.parse(execFileSync('npm', args, { cwd, encoding: 'utf8' }));
  return { tarball: join(cwd, filename), names: files.map(({ path }) => path) };
}
