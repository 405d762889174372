import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed, runMain } from './run.mjs';
import { catalog, readManifest, workspaceFolders } from './workspace.mjs';

/** Where the manifest as it is written waits for the end of the packing. */
const KEPT = 'package.json.kept';

/**
 * The manifest that a package is installed by: versions in place of `catalog:` and `workspace:`, which only pnpm knows,
 * and nothing that is for developers.
 */
function packedManifest({ devDependencies: _, scripts: __, dependencies = {}, ...manifest }, versions) {
  const resolved = Object.entries(dependencies).map(([name, range]) => {
    const version = versions(name, range);
    if (version === undefined) throw new CommandFailed(`No version is known for ${name}@${range}.`);
    return [name, version];
  });
  return { ...manifest, dependencies: Object.fromEntries(resolved) };
}

/** What stands for the range of a dependency in this workspace. */
function workspaceVersions() {
  const pinned = catalog();
  const members = new Map(
    workspaceFolders().map((folder) => [readManifest(folder).name, readManifest(folder)]),
  );
  return (name, range) => {
    if (range === 'catalog:') return pinned.get(name);
    // The packages of the workspace share one version, and are tested together only.
    if (range.startsWith('workspace:')) return members.get(name)?.version;
    return range;
  };
}

/**
 * As `prepack`, writes the manifest of the package in the working directory anew; as `postpack`, puts the old one back.
 */
await runMain(async () => {
  const [manifest, kept] = ['package.json', KEPT].map((name) => join(process.cwd(), name));
  // Also before packing: the last time may have been interrupted.
  if (existsSync(kept)) {
    rmSync(manifest);
    renameSync(kept, manifest);
  }
  if (process.argv[2] === 'postpack') return;
  const written = readFileSync(manifest, 'utf8');
  const packed = packedManifest(JSON.parse(written), workspaceVersions());
  renameSync(manifest, kept);
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`);
});
