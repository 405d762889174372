import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { ROOT, readManifest, workspaceFolders } from './workspace.mjs';

/** Holds the hash of what was installed last, so that a second start installs nothing. */
const STAMP = join(ROOT, 'node_modules', '.pwpool-installed');

/** Installs what pnpm-lock.yaml names, unless exactly that is installed already. */
export async function installPackages() {
  const wanted = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  console.log('Installing packages (the first time takes about half a minute) ...');
  // By npx, because a bare machine has npm only; corepack is no longer part of Node.
  // There is nobody to ask, should pnpm want to lay out node_modules anew.
  const options = ['--frozen-lockfile', '--config.confirm-modules-purge=false'];
  await run('npx', ['-y', readManifest('').packageManager, 'install', ...options], { quiet: true });
  writeFileSync(STAMP, wanted);
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  const manifests = ['', ...workspaceFolders()].map((folder) => join(folder, 'package.json'));
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex');
}
