import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { ROOT, readManifest } from './workspace.mjs';

/**
 * What becomes part of a package: what its start needs, and whose many files take longer to find than to run.
 * Everything else is imported as installed. Of `@pwpool/core` there is one copy, so that a `PwpoolError` is one
 * everywhere.
 */
const INLINED = {
  'packages/core': ['leven', 'picomatch', 'zod'],
  'packages/mcp': [
    '@hono/node-server',
    '@modelcontextprotocol/core',
    '@modelcontextprotocol/node',
    '@modelcontextprotocol/server',
    'hono',
    'zod',
  ],
  'apps/cli': [],
};

/**
 * Bundles the package in the working directory: a file for each entry, and for what several share or only some calls
 * need.
 */
const folder = relative(ROOT, process.cwd()).replaceAll('\\', '/');
const inlined = INLINED[folder];
if (!inlined) throw new Error(`${folder} has no row in INLINED of scripts/bundle.mjs.`);

// Of an earlier build: the names of chunks change with what they hold.
for (const name of readdirSync('dist', { recursive: true })) {
  if (/\.js(?:\.map)?$/.test(name)) rmSync(join('dist', name));
}
const { metafile } = await build({
  entryPoints: entries(),
  outdir: 'dist',
  outbase: 'src',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  charset: 'ascii',
  sourcemap: true,
  minifyWhitespace: true,
  lineLimit: 160,
  metafile: true,
  plugins: [{ name: 'installed', setup: leaveInstalled }],
});
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences(Object.keys(metafile.inputs)));

function entries() {
  const { exports } = readManifest(folder);
  const exported = Object.values(exports).flatMap(({ default: file }) => file ?? []);
  const sources = exported.map((file) => file.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts'));
  return [...sources, 'src/bin.ts'].filter((file) => existsSync(file));
}

/** Leaves every import of another package as it is, unless that is inlined. */
function leaveInstalled({ onResolve }) {
  onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
    path: join(ROOT, 'packages/mcp/src/sdk-shims.ts'),
  }));
  onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    return kind === 'entry-point' || inlined.includes(name) ? undefined : { path, external: true };
  });
}

/** The licences of what was inlined, in full. */
function licences(inputs) {
  const packages = new Set(
    inputs.flatMap((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  return [...packages]
    .sort()
    .map((path) => {
      const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const text = readdirSync(path).find((file) => /^licen[cs]e/i.test(file));
      if (text === undefined) return `${name} ${version}: ${license}\n`;
      return `${name} ${version}: ${license}\n\n${readFileSync(join(path, text), 'utf8').trim()}\n`;
    })
    .join('\n---\n\n');
}
