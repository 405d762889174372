import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { removeLeftovers, TemporaryFile } from '../atomic-file.js';
import type { Clock } from '../clock.js';
import { errnoOf, PwpoolError } from '../errors.js';
import { megabytes } from './sizes.js';

/** What is in the directory beside these is nobody's business here. */
const BLOB_FILE = /^[0-9a-f]{64}(?:\.[a-z0-9]{1,10})?$/;

/** What even an empty file takes of a disk. */
const BLOCK_BYTES = 4096;

export interface BlobStoreOptions {
  /** Made with mode 0700 by the first blob. */
  directory: string;
  /** Bytes of one blob. */
  maxBytes: number;
  /** Bytes of all blobs in the directory. */
  quotaBytes: number;
  clock: Clock;
}

/** Bytes to store: as they are, or those of a file. */
export type BlobContent = Uint8Array | { readonly file: string };

export interface StoredBlob {
  /** SHA-256 of the content, in hexadecimal. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** Where it is on this machine. */
  readonly path: string;
}

/**
 * Files by the SHA-256 of their content, each kept once and until a time of its own.
 *
 * Several stores and processes may use one directory: a file comes whole or not at all, and its time of modification is
 * when it expires, so that any of them can tell what is to go, also after a crash.
 */
export class BlobStore {
  readonly #options: BlobStoreOptions;
  /** Bytes in the directory when it was looked through, and what was added since. */
  #used: number | undefined;

  constructor(options: BlobStoreOptions) {
    this.#options = options;
  }

  /**
   * Stores the content, or lets what is there already live longer.
   * @param expiresAt milliseconds since the epoch
   * @param extension of the file's name, such as `.png`, for programs that go by it
   * @throws PwpoolError `EXECUTION_ERROR` for a blob that is too large, a quota that is used up, a disk that is full or a
   *   directory that cannot be written to
   */
  async put(content: BlobContent, expiresAt: number, extension = ''): Promise<StoredBlob> {
    const { directory, maxBytes } = this.#options;
    const given = content instanceof Uint8Array ? content.byteLength : undefined;
    if (given !== undefined && given > maxBytes) throw tooLarge(given, maxBytes);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const hash = createHash('sha256');
      await using temporary = await TemporaryFile.write(directory, hashed(content, hash, maxBytes));
      const id = hash.digest('hex');
      const path = join(directory, BLOB_FILE.test(id + extension) ? id + extension : id);
      const { size } = await stat(temporary.path);
      const there = await stat(path).catch(() => undefined);
      const seconds = Math.max(expiresAt, there?.mtimeMs ?? 0) / 1000;
      if (there?.size === size) {
        await utimes(path, seconds, seconds);
      } else {
        await this.#claim(size);
        // Before it has its name: from then on a clean-up, of another server too, goes by it.
        await utimes(temporary.path, seconds, seconds);
        await temporary.moveTo(path);
      }
      return { id, size, path };
    } catch (error) {
      throw error instanceof PwpoolError ? error : notWritten(error);
    }
  }

  /** @returns `undefined` when the file is gone */
  async read(path: string, offset: number, length: number): Promise<Buffer | undefined> {
    if (length === 0) return Buffer.alloc(0);
    try {
      await using handle = await open(path, 'r');
      return await buffer(handle.createReadStream({ start: offset, end: offset + length - 1 }));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /**
   * Removes what has expired and what writers that were killed have left.
   * @returns the bytes that stay
   */
  async sweep(): Promise<number> {
    const { directory, clock } = this.#options;
    let used = 0;
    for (const name of await readdir(directory).catch(() => [])) {
      if (!BLOB_FILE.test(name)) continue;
      const path = join(directory, name);
      const found = await stat(path).catch(() => undefined);
      if (!found?.isFile()) continue;
      if (found.mtimeMs > clock.now()) used += room(found.size);
      else await rm(path, { force: true }).catch(() => {});
    }
    await removeLeftovers(directory).catch(() => {});
    this.#used = used;
    return used;
  }

  async #claim(size: number): Promise<void> {
    const { quotaBytes } = this.#options;
    let used = this.#used;
    if (used === undefined || used + room(size) > quotaBytes) used = await this.sweep();
    if (used + room(size) > quotaBytes) throw full(size, used, quotaBytes);
    this.#used = used + room(size);
  }
}

function room(size: number): number {
  return Math.max(1, Math.ceil(size / BLOCK_BYTES)) * BLOCK_BYTES;
}

/** The content, in the pieces in which it is read, of which the hash is told. */
async function* hashed(
  content: BlobContent,
  hash: ReturnType<typeof createHash>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  const pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array> =
    content instanceof Uint8Array ? [content] : createReadStream(content.file);
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > maxBytes) throw tooLarge(size, maxBytes);
    hash.update(piece);
    yield piece;
  }
}

function tooLarge(size: number, maxBytes: number): PwpoolError {
  return new PwpoolError(
    'EXECUTION_ERROR',
    `It is larger than the ${megabytes(maxBytes)} that an artifact may have (BLOB_MAX_SIZE_MB).`,
    { details: { size, maxBytes } },
  );
}

function full(size: number, used: number, quotaBytes: number): PwpoolError {
  return new PwpoolError(
    'EXECUTION_ERROR',
    `Artifacts take up ${megabytes(used)} of ${megabytes(quotaBytes)} (BLOB_QUOTA_MB).`,
    { details: { size, used, quotaBytes } },
  );
}

/** The reason without the paths of the server. */
function notWritten(error: unknown): PwpoolError {
  const code = errnoOf(error);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
  const message = isFull
    ? `The disk of the server takes no more (${code}).`
    : `BLOB_STORAGE_ROOT cannot be written to (${code ?? 'unknown'}).`;
  return new PwpoolError('EXECUTION_ERROR', message, { cause: error });
}
