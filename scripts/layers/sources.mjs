import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { workspaceFolders } from '../workspace.mjs';
import { walk } from './walk.mjs';

const SOURCE_FILE = /\.[cm]?[jt]sx?$/;
const SKIPPED = new Set(['node_modules', 'dist', 'coverage']);

/**
 * Every source file of the workspace's packages, its lines and what it imports, types included. Paths are relative to
 * `root`, with forward slashes; `target` is the file that a relative import means, where there is one.
 */
export function readSources(root) {
  const files = workspaceFolders(root).flatMap((folder) => listFiles(root, folder));
  return files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    const lineOf = (offset) => text.slice(0, offset).split('\n').length;
    const lines = text.split('\n').length - 1;
    return { file, lines, program, lineOf, imports: importsOf(root, file, program, lineOf) };
  });
}

function listFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listFiles(root, path);
    return SOURCE_FILE.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}

/** `import`, `export … from`, `import()`, `import('…').Type`, `import x = require('…')`, `require('…')`. */
function importsOf(root, file, program, lineOf) {
  const imports = [];
  walk(program, (node) => {
    const source =
      node.source ??
      (node.type === 'TSExternalModuleReference' ? node.expression : undefined) ??
      (node.type === 'CallExpression' && node.callee.name === 'require' ? node.arguments[0] : undefined);
    if (typeof source?.value !== 'string') return;
    const specifier = source.value;
    imports.push({ specifier, line: lineOf(source.start), target: resolve(root, file, specifier) });
  });
  return imports;
}

function resolve(root, file, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(file), specifier);
  const candidates = [path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'), path, `${path}.ts`, `${path}/index.ts`];
  return (
    candidates.find((candidate) => SOURCE_FILE.test(candidate) && existsSync(join(root, candidate))) ?? path
  );
}
