import { chmod, link, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '@pwpool/core/internal';

/** The text of a file; '' where there is none. */
export async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Writes a file that must not be there yet, all of it or nothing.
 * @returns whether it was written; false if somebody else's is there
 */
export async function createFile(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = await writeBeside(path, text);
  try {
    // Unlike a rename, this fails where there is a file.
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Puts a text in the place of a file's, with its mode, at once. A link stays one. */
export async function rewriteFile(path: string, text: string): Promise<void> {
  const file = await realpath(path);
  const { mode } = await stat(file);
  const temporary = await writeBeside(file, text);
  try {
    await chmod(temporary, mode);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeBeside(path: string, text: string): Promise<string> {
  const temporary = join(dirname(path), `.pwpool-${process.pid}.tmp`);
  await writeFile(temporary, text, { flag: 'wx' });
  return temporary;
}
