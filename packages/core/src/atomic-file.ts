import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive } from './process-identity.js';

/** Tells this process also from one before it with the same id, as in a container. */
const WRITER = `${process.pid}-${randomBytes(6).toString('hex')}`;
const TEMPORARY_FILE = /^\.(?<writer>(?<pid>[1-9]\d{0,9})-[0-9a-f]{12})-\d+\.tmp$/;
let written = 0;

/**
 * Writes a file with mode 0600 by way of a temporary one beside it. A reader sees the old content or the new one,
 * also after a crash of the process or the machine.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  await using temporary = await TemporaryFile.write(dirname(file), text);
  await temporary.moveTo(file);
}

/** A file with mode 0600 that is all on the disk, under a name of its own until it is moved. Disposing removes it. */
export class TemporaryFile implements AsyncDisposable {
  readonly path: string;
  #moved = false;

  private constructor(path: string) {
    this.path = path;
  }

  static async write(
    directory: string,
    content: string | Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<TemporaryFile> {
    const path = join(directory, `.${WRITER}-${written++}.tmp`);
    try {
      await using handle = await open(path, 'wx', 0o600);
      await writeFile(handle, content);
      await handle.sync();
      return new TemporaryFile(path);
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Puts it in the place of what has that name in the same directory. */
  async moveTo(file: string): Promise<void> {
    await rename(this.path, file);
    this.#moved = true;
    // Windows opens no directories.
    if (process.platform === 'win32') return;
    await using directory = await open(dirname(file), 'r');
    await directory.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#moved) await rm(this.path, { force: true }).catch(() => {});
  }
}

/** Removes the temporary files of writers that were killed. Those of running ones stay. */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const { writer, pid } = TEMPORARY_FILE.exec(name)?.groups ?? {};
    if (writer === undefined || writer === WRITER) continue;
    if (Number(pid) !== process.pid && isAlive(Number(pid))) continue;
    // One that stays costs room, nothing else.
    await rm(join(directory, name), { force: true }).catch(() => {});
  }
}
