import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that does not exist yet, in one that is removed with everything in it. */
export async function newDirectory(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'pwpool-artifacts-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return join(parent, 'blobs');
}

export async function filesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).sort();
}

/** Bytes of every value, other ones for another seed. */
export function bytes(length: number, seed = 1): Buffer {
  return Buffer.alloc(
    length,
    Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 31 + seed * 7) % 256)),
  );
}
