import { extname, resolve } from 'node:path';
import type { CancelTimer } from '../clock.js';
import { KEYS } from '../config/keys.js';
import { PwpoolError } from '../errors.js';
import type { BrowserPools } from '../pool/browser-pools.js';
import { artifactUri } from './artifact-uri.js';
import { type BlobContent, BlobStore, type StoredBlob } from './blob-store.js';
import { sizeText } from './sizes.js';
import { isContinuation } from './utf-8.js';

/** Milliseconds between two clean-ups. */
const SWEEP_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;

/**
 * Bytes of one read, as base64 and as JSON of whatever characters: the SDK's clients take messages of 10 MiB at most, and
 * end the connection at a longer one.
 */
const MAX_BINARY_BYTES = 7 * MIB;
const MAX_TEXT_BYTES = MIB;

/** A binary or a long text that was made for a caller, and what the caller is told of it. */
export interface Artifact extends StoredBlob {
  readonly uri: string;
  /** For people: `page-2026-11-22.png`. */
  readonly name: string;
  readonly mimeType: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Whose an artifact is. */
export interface ArtifactOwner {
  /** Who alone may read it: a client, by its id. */
  readonly client: string;
  /** The pool that it comes from, which may have a store of its own [000-future-03]. */
  readonly pool: string;
}

interface Kept extends Artifact {
  readonly store: BlobStore;
}

/**
 * What was stored for each client [arch-artifact-01]. An artifact can be read by the client that it was made for until it
 * expires or the server ends; its file stays until it expires, and is removed by this server or a later one.
 */
export class Artifacts implements AsyncDisposable {
  readonly #pools: BrowserPools;
  /** By client, then by id, the earliest first. */
  readonly #kept = new Map<string, Map<string, Kept>>();
  /** By directory. */
  readonly #stores = new Map<string, BlobStore>();
  #sweeping: Promise<void> = Promise.resolve();
  #cancelSweep: CancelTimer = () => {};
  #closed = false;

  constructor(pools: BrowserPools) {
    this.#pools = pools;
  }

  /** Up to which an image stands in an answer. */
  get inlineImageBytes(): number {
    return this.#pools.config.server.blobSizeThresholdKb * 1024;
  }

  /** How much text an answer may have. */
  get answerBytes(): number {
    return this.#pools.config.server.answerMaxKb * 1024;
  }

  /** Cleans up what has expired, also what earlier servers left: now and from time to time. */
  start(): void {
    this.#sweeping = this.#sweep().finally(() => {
      if (!this.#closed) this.#cancelSweep = this.#pools.clock.after(SWEEP_MS, () => this.start());
    });
  }

  /**
   * @throws PwpoolError `EXECUTION_ERROR` when it cannot be stored, as `BlobStore.put`
   */
  async store(owner: ArtifactOwner, name: string, content: BlobContent): Promise<Artifact> {
    const store = this.#storeOf(owner.pool);
    const expiresAt = this.#pools.clock.now() + this.#pools.config.server.blobTtlHours * HOUR_MS;
    const blob = await store.put(content, expiresAt, extname(name).toLowerCase());
    const { lookup } = await import('mrmime');
    const mimeType = lookup(name) ?? 'application/octet-stream';
    const kept = { ...blob, uri: artifactUri(blob.id), name, mimeType, expiresAt, store };
    const own = this.#kept.get(owner.client) ?? new Map<string, Kept>();
    this.#kept.set(owner.client, own);
    own.delete(blob.id);
    own.set(blob.id, kept);
    return kept;
  }

  /** Those of a client that can be read, the latest first. */
  list(client: string): Artifact[] {
    return [...(this.#kept.get(client)?.values() ?? [])].filter((kept) => this.#isAlive(kept)).reverse();
  }

  /**
   * Reads bytes of an artifact; fewer where it ends. Of a text: the characters that begin among those bytes, so that one
   * range after the other gives all of it.
   * @param length up to the end if left out
   * @returns `undefined` for one that has expired, and for one that was never this client's
   * @throws PwpoolError `INVALID_ARGUMENTS` for a range that is too long or begins behind the end
   */
  async read(
    client: string,
    id: string,
    { offset, length }: { offset: number; length?: number | undefined },
  ): Promise<{ artifact: Artifact; content: string | Buffer } | undefined> {
    const kept = this.#kept.get(client)?.get(id);
    if (!kept || !this.#isAlive(kept)) return undefined;
    const { size, path, store, mimeType } = kept;
    if (offset > size) throw behindTheEnd(offset, size);
    const bytes = Math.min(length ?? size, size - offset);
    const isText = isTextual(mimeType);
    const limit = isText ? MAX_TEXT_BYTES : MAX_BINARY_BYTES;
    if (bytes > limit) throw tooLong(bytes, limit, kept);
    // A character has four bytes at most.
    const read = await store.read(path, offset, isText ? Math.min(bytes + 3, size - offset) : bytes);
    if (!read) return undefined;
    return { artifact: kept, content: isText ? charactersIn(read, bytes) : read };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#cancelSweep();
    await this.#sweeping;
  }

  #isAlive({ expiresAt }: Artifact): boolean {
    return expiresAt > this.#pools.clock.now();
  }

  #storeOf(pool: string): BlobStore {
    const { clock, config } = this.#pools;
    const { blobStorageRoot } = this.#pools.pool(pool).config.settings;
    const directory = resolve(blobStorageRoot ?? KEYS.BLOB_STORAGE_ROOT.defaultIn.path());
    const { blobMaxSizeMb, blobQuotaMb } = config.server;
    const store =
      this.#stores.get(directory) ??
      new BlobStore({ directory, maxBytes: blobMaxSizeMb * MIB, quotaBytes: blobQuotaMb * MIB, clock });
    this.#stores.set(directory, store);
    return store;
  }

  async #sweep(): Promise<void> {
    for (const { name } of this.#pools.config.pools) this.#storeOf(name);
    for (const store of this.#stores.values()) await store.sweep();
    for (const own of this.#kept.values()) {
      for (const [id, kept] of own) if (!this.#isAlive(kept)) own.delete(id);
    }
  }
}

function isTextual(mimeType: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|javascript)$/.test(mimeType);
}

/** The characters that begin in the first bytes of what was read. */
function charactersIn(read: Buffer, bytes: number): string {
  let start = 0;
  while (start < bytes && isContinuation(read[start])) start++;
  let end = bytes;
  while (start < bytes && end < read.length && isContinuation(read[end])) end++;
  return read.toString('utf8', start, end);
}

function behindTheEnd(offset: number, size: number): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `offset ${offset} is behind the end of the artifact, which has ${size} bytes.`,
    { hint: `Give an offset from 0 to ${size}.`, details: { size } },
  );
}

function tooLong(bytes: number, limit: number, { size, uri }: Artifact): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `One read gives at most ${sizeText(limit)}; ${sizeText(bytes)} were asked for.`,
    {
      hint: `Read it in parts, the first one as ${uri}?offset=0&length=${limit}.`,
      details: { size, limit },
    },
  );
}
