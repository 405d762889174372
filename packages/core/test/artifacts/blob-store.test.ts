import { createHash } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BlobStore } from '../../src/artifacts/blob-store.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { errorOf } from '../pool/pool-fixture.js';
import { bytes, filesIn, newDirectory } from './artifacts-fixture.js';

const HOUR = 3_600_000;
const MIB = 1024 * 1024;

async function newStore(options: { maxBytes?: number; quotaBytes?: number } = {}) {
  const directory = await newDirectory();
  const clock = new FakeClock();
  const limits = { maxBytes: MIB, quotaBytes: MIB, ...options };
  const store = new BlobStore({ directory, clock, ...limits });
  /** What another server has of the same directory. */
  const other = () => new BlobStore({ directory, clock, ...limits });
  return { directory, clock, store, other, inAnHour: clock.now() + HOUR };
}

describe('a store of blobs', () => {
  it('keeps a content once, under its SHA-256, for its user alone [000-shared-01]', async () => {
    const { store, other, directory, inAnHour } = await newStore();
    const content = bytes(5000);
    const id = createHash('sha256').update(content).digest('hex');
    const file = join(dirname(directory), 'page.png');
    await writeFile(file, content);
    const blobs = await Promise.all([
      store.put(content, inAnHour, '.png'),
      store.put({ file }, inAnHour, '.png'),
      other().put(content, inAnHour, '.png'),
    ]);
    for (const blob of blobs) expect(blob).toEqual({ id, size: 5000, path: join(directory, `${id}.png`) });
    expect(await filesIn(directory)).toEqual([`${id}.png`]);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, `${id}.png`))).mode & 0o777).toBe(0o600);
  });

  it('reads a range, and what is gone as nothing', async () => {
    const { store, inAnHour } = await newStore();
    const content = bytes(1000);
    const { path } = await store.put(content, inAnHour);
    expect(await store.read(path, 10, 20)).toEqual(content.subarray(10, 30));
    expect(await store.read(path, 990, 100)).toEqual(content.subarray(990));
    expect(await store.read(path, 0, 0)).toEqual(Buffer.alloc(0));
    expect(await store.read(`${path}x`, 0, 10)).toBeUndefined();
  });

  it('removes what has expired, also that of a server that is gone, and nothing else [arch-artifact-05]', async () => {
    const { store, other, directory, clock, inAnHour } = await newStore();
    const short = await store.put(bytes(100), inAnHour);
    const long = await store.put(bytes(200), inAnHour + HOUR);
    const leftover = `.${2 ** 22 + 1}-0123456789ab-0.tmp`;
    for (const name of ['notes.txt', leftover]) await writeFile(join(directory, name), 'x');
    await clock.advance(HOUR);
    await other().sweep();
    expect(await filesIn(directory)).toEqual([long.id, 'notes.txt'].sort());
    expect(await store.read(short.path, 0, 10)).toBeUndefined();
  });

  it('lets a content that is stored again live longer, and never shorter', async () => {
    const { store, clock, inAnHour } = await newStore();
    await store.put(bytes(100), inAnHour);
    await store.put(bytes(100), inAnHour + HOUR);
    const { path } = await store.put(bytes(100), inAnHour);
    await clock.advance(HOUR);
    await store.sweep();
    expect(await store.read(path, 0, 100)).toEqual(bytes(100));
  });

  it('replaces a file that was cut off', async () => {
    const { store, inAnHour } = await newStore();
    const { path } = await store.put(bytes(100), inAnHour);
    await writeFile(path, '');
    await store.put(bytes(100), inAnHour);
    expect(await store.read(path, 0, 100)).toEqual(bytes(100));
  });

  it('refuses what is too large before it is written, and leaves nothing', async () => {
    const { store, directory, inAnHour } = await newStore({ maxBytes: 1000 });
    const file = join(dirname(directory), 'video.webm');
    await writeFile(file, bytes(1001));
    for (const content of [bytes(1001), { file }]) {
      expect(await errorOf(store.put(content, inAnHour))).toMatchObject({
        code: 'EXECUTION_ERROR',
        message: expect.stringContaining('BLOB_MAX_SIZE_MB'),
      });
    }
    expect(await filesIn(directory).catch(() => [])).toEqual([]);
  });

  it('keeps to the quota with what other servers have stored, and has room again when something expires', async () => {
    const { store, other, directory, clock, inAnHour } = await newStore({ quotaBytes: 3 * 4096 });
    await other().put(bytes(8000), inAnHour);
    await store.put(bytes(10), inAnHour + HOUR);
    const refusal = await errorOf(store.put(bytes(20), inAnHour));
    expect(refusal).toMatchObject({
      code: 'EXECUTION_ERROR',
      message: expect.stringContaining('BLOB_QUOTA_MB'),
    });
    expect(await filesIn(directory)).toHaveLength(2);
    // What is there already takes no more room.
    await store.put(bytes(10), inAnHour);
    await clock.advance(HOUR);
    await store.put(bytes(20), inAnHour + HOUR);
    expect(await filesIn(directory)).toHaveLength(2);
  });

  it('says that a directory cannot be used without telling where it is', async () => {
    const { store, directory, inAnHour } = await newStore();
    await mkdir(dirname(directory), { recursive: true });
    await writeFile(directory, 'a file');
    const error = await errorOf(store.put(bytes(10), inAnHour));
    expect(error.message).toMatch(/^BLOB_STORAGE_ROOT cannot be written to \(E\w+\)\.$/);
    expect(await store.sweep()).toBe(0);
  });
});
