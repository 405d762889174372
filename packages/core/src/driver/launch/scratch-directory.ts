import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../process-alive.js';
import { killInScratch } from './scratch-processes.js';

const PREFIX = 'pwpool-';
const NAME = /^pwpool-\d+-[A-Za-z0-9]{6}$/;

/** Bytes. Chromium puts a socket into its temporary folder and does not start when that path gets too long. */
const LONGEST = 60;

/**
 * The folder for the temporary files of one browser. A browser that is killed leaves them behind, so they get a
 * place that pwpool removes itself. The name bears the process id of its owner.
 */
export async function makeScratchDirectory(): Promise<string> {
  return await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/** The variables that make a browser use the folder; none where its path is too long for that. */
export function scratchEnvironment(scratch: string): { TMPDIR?: string } {
  return Buffer.byteLength(scratch) > LONGEST ? {} : { TMPDIR: scratch };
}

export async function removeScratchDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes what servers that were killed have left, as far as that can be done. Never rejects. */
export async function sweepScratchDirectories(): Promise<void> {
  const all = await readdir(tmpdir()).catch(() => []);
  const names = all.filter((name) => NAME.test(name));
  const stale = names
    .filter((name) => !isAlive(Number.parseInt(name.slice(PREFIX.length), 10)))
    .map((name) => join(tmpdir(), name));
  await killInScratch(stale);
  // Another user's folder cannot be removed, and need not be.
  await Promise.allSettled(stale.map(removeScratchDirectory));
}
