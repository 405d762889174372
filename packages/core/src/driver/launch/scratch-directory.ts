import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '../../process-identity.js';
import {
  hasOwnTemporaryDirectory,
  temporaryDirectory,
  useTemporaryDirectory,
} from '../../temporary-directory.js';
import { argumentsOf, killInScratch } from './scratch-processes.js';

const PREFIX = 'pwpool-';
const NAME = /^pwpool-(\d+)-([0-9a-z]*)-[A-Za-z0-9]{6}$/;

/** What Playwright calls the profile of a browser that keeps none, which it makes where temporary files go. */
const PROFILE = /^playwright_[a-z]+dev_profile-[A-Za-z0-9]{6}$/;

/** A browser that was killed may go on writing for a second or two on a busy machine: ten tries take five and a half. */
const REMOVE = { recursive: true, force: true, maxRetries: 10 };

/** Bytes. Chromium puts a socket into its temporary folder and does not start when that path gets too long. */
const LONGEST = 60;

/**
 * The folder for the temporary files of one browser. A browser that is killed leaves them behind, so they get a
 * place that pwpool removes itself. The name bears the process id of its owner, and where that id holds.
 */
export async function makeScratchDirectory(): Promise<string> {
  // Systems clear away what nobody has touched for days, and this process may have had its folder for weeks.
  if (hasOwnTemporaryDirectory()) await mkdir(tmpdir(), { recursive: true, mode: 0o700 });
  return await mkdtemp(ownPath());
}

/**
 * For a process that is pwpool's own, at its start: gives it a folder for all temporary files, which goes with the
 * process, and is swept like a scratch directory when that is killed. So what Playwright makes in the middle of a
 * launch has an owner. Windows has another variable for it, and shorter paths.
 */
export function keepTemporaryFiles(): void {
  if (process.platform === 'win32' || hasOwnTemporaryDirectory()) return;
  const folder = mkdtempSync(ownPath());
  useTemporaryDirectory(folder);
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // A browser that is being killed still writes: the next start removes it.
    }
  });
}

function ownPath(): string {
  return join(temporaryDirectory(), `${PREFIX}${process.pid}-${pidNamespace()}-`);
}

/** What makes a browser use the folder; it uses none of its own where the path of that is too long. */
export function scratchEnvironment(scratch: string): { TMPDIR: string } {
  return { TMPDIR: isShort(scratch) ? scratch : temporaryDirectory() };
}

export function isShort(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST;
}

/**
 * Has the profile that Playwright made for a browser removed with its scratch directory. Playwright does so by itself,
 * but not when its process is killed, and when the browser is, nobody can wait for it. Outside Linux nothing is known
 * of it.
 */
export async function claimProfile(scratch: string, browser: number): Promise<void> {
  const names = (await argumentsOf(browser)).map((argument) => basename(argument));
  const profile = names.find((name) => PROFILE.test(name));
  if (profile !== undefined) await writeFile(join(scratch, profile), '');
}

export async function removeScratchDirectory(path: string): Promise<void> {
  await removeWithProfiles(path, tmpdir());
}

/** Removes what servers that were killed have left, as far as that can be done. Never rejects. */
export async function sweepScratchDirectories(): Promise<void> {
  const all = await readdir(temporaryDirectory()).catch(() => []);
  const here = pidNamespace();
  const isStale = (name: string) => {
    const [, owner, namespace] = NAME.exec(name) ?? [];
    return owner !== undefined && namespace === here && !isAlive(Number(owner));
  };
  const found = all.filter(isStale).map((name) => join(temporaryDirectory(), name));
  const own = await Promise.all(found.map(isOwn));
  const stale = found.filter((_, index) => own[index]);
  await killInScratch(stale);
  await Promise.allSettled(stale.map((path) => removeWithProfiles(path, dirname(path))));
}

async function removeWithProfiles(path: string, profilesIn: string): Promise<void> {
  const names = await readdir(path).catch(() => []);
  const profiles = names.filter((name) => PROFILE.test(name)).map((name) => join(profilesIn, name));
  for (const each of [...profiles, path]) await rm(each, REMOVE);
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
