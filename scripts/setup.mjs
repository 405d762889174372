import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from './ensure-browser.mjs';
import { installPackages } from './install-packages.mjs';
import { CommandFailed, run, runMain } from './run.mjs';
import { readManifest } from './workspace.mjs';

export { ensureBrowser, installPackages };

/** @throws CommandFailed when this Node is older than the root package.json allows */
export function checkNode() {
  const range = readManifest('').engines.node;
  const wanted = range.replace('>=', '').split('.').map(Number);
  const actual = process.versions.node.split('.').map(Number);
  const different = actual.findIndex((part, index) => part !== (wanted[index] ?? part));
  if (different === -1 || actual[different] > wanted[different]) return;
  throw new CommandFailed(
    `pwpool needs Node ${range}; this is ${process.versions.node}. Install a newer one: https://nodejs.org`,
  );
}

/** Compiles every package; what has not changed since the last time is left alone. */
export async function build() {
  await run('turbo', ['run', 'build', '--output-logs=errors-only'], { quiet: true });
}

/** Brings a bare machine to where everything can run, and does nothing on one that is there already. */
export async function setup() {
  checkNode();
  await installPackages();
  await build();
  await ensureBrowser();
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await runMain(setup);
}
