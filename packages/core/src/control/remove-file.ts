import { unlink } from 'node:fs/promises';
import { errnoOf } from '../errors.js';

/**
 * Removes a file that may be a socket, if it is there. Not by `rm`: behind its look at a socket, Node 20 resolves the next
 * `require` without following symbolic links, such as those of pnpm, and then does not find what that module requires.
 */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
