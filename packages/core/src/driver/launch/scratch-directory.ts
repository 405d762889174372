import { readlinkSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '../process-alive.js';
import { argumentsOf, killInScratch } from './scratch-processes.js';

const PREFIX = 'pwpool-';
const NAME = /^pwpool-(\d+)-([0-9a-z]*)-[A-Za-z0-9]{6}$/;

/** What Playwright calls the profile of a browser that keeps none, which it makes beside the scratch directory. */
const PROFILE = /^playwright_[a-z]+dev_profile-[A-Za-z0-9]{6}$/;

/** Bytes. Chromium puts a socket into its temporary folder and does not start when that path gets too long. */
const LONGEST = 60;

/**
 * The folder for the temporary files of one browser. A browser that is killed leaves them behind, so they get a
 * place that pwpool removes itself. The name bears the process id of its owner, and where that id holds.
 */
export async function makeScratchDirectory(): Promise<string> {
  return await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${pidNamespace()}-`));
}

/** The variables that make a browser use the folder; none where its path is too long for that. */
export function scratchEnvironment(scratch: string): { TMPDIR?: string } {
  return Buffer.byteLength(scratch) > LONGEST ? {} : { TMPDIR: scratch };
}

/**
 * Has the profile that Playwright made for a browser removed with its scratch directory. Playwright does so by itself, but
 * not when its process is killed, and when the browser is, nobody can wait for it. Outside Linux nothing is known of it.
 */
export async function claimProfile(scratch: string, browser: number): Promise<void> {
  const names = (await argumentsOf(browser)).map((argument) => basename(argument));
  const profile = names.find((name) => PROFILE.test(name));
  if (profile !== undefined) await writeFile(join(scratch, profile), '');
}

export async function removeScratchDirectory(path: string): Promise<void> {
  const names = await readdir(path).catch(() => []);
  const profiles = names.filter((name) => PROFILE.test(name)).map((name) => join(dirname(path), name));
  for (const each of [...profiles, path]) await rm(each, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes what servers that were killed have left, as far as that can be done. Never rejects. */
export async function sweepScratchDirectories(): Promise<void> {
  const all = await readdir(tmpdir()).catch(() => []);
  const here = pidNamespace();
  const isStale = (name: string) => {
    const [, owner, namespace] = NAME.exec(name) ?? [];
    return owner !== undefined && namespace === here && !isAlive(Number(owner));
  };
  const found = all.filter(isStale).map((name) => join(tmpdir(), name));
  const own = await Promise.all(found.map(isOwn));
  const stale = found.filter((_, index) => own[index]);
  await killInScratch(stale);
  await Promise.allSettled(stale.map(removeScratchDirectory));
}

/** Another user's folder cannot be removed, and what it says of profiles is not believed. */
async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && found.uid === (process.getuid?.() ?? found.uid);
}

/** Containers may share a temporary folder, and the id of a process means another one in each. Empty outside Linux. */
function pidNamespace(): string {
  try {
    const [id = ''] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    return id === '' ? '' : Number(id).toString(36);
  } catch {
    return '';
  }
}
