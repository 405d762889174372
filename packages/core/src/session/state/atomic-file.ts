import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive } from '../../driver/process-alive.js';

/** Tells this process also from one before it with the same id, as in a container. */
const WRITER = `${process.pid}-${randomBytes(6).toString('hex')}`;
const TEMPORARY_FILE = /^\.(?<writer>(?<pid>[1-9]\d{0,9})-[0-9a-f]{12})-\d+\.tmp$/;
let written = 0;

/**
 * Writes a file with mode 0600 by way of a temporary one beside it. A reader sees the old content or the new one,
 * also after a crash of the process or the machine.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${WRITER}-${written++}.tmp`);
  try {
    await writeThrough(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  // Windows opens no directories.
  if (process.platform === 'win32') return;
  await using directory = await open(dirname(file), 'r');
  await directory.sync();
}

async function writeThrough(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  await handle.writeFile(text);
  await handle.sync();
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
