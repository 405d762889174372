import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Artifacts } from '../../src/artifacts/artifacts.js';
import type { PoolInput } from '../../src/config/config-input.js';
import { errorOf, poolsOf } from '../pool/pool-fixture.js';
import { bytes, filesIn, newDirectory } from './artifacts-fixture.js';

const HOUR = 3_600_000;
const ADA = { client: 'ada', pool: 'WEB' };

async function artifactsOf(side: PoolInput = {}) {
  const directory = await newDirectory();
  const { pools, clock } = await poolsOf(
    { WEB: { instances: 1, isDefault: true }, SIDE: { instances: 1, ...side } },
    { server: { blobStorageRoot: directory, blobTtlHours: 2 } },
  );
  const artifacts = new Artifacts(pools);
  onTestFinished(() => artifacts[Symbol.asyncDispose]());
  return { directory, clock, artifacts };
}

const all = { offset: 0 };

describe('artifacts', () => {
  it('have an address, a name, a type, a size and an expiry, and are listed latest first [arch-artifact-01]', async () => {
    const { artifacts, clock } = await artifactsOf();
    const page = await artifacts.store(ADA, 'page.png', bytes(300));
    expect(page).toMatchObject({
      uri: `blob://${page.id}`,
      name: 'page.png',
      mimeType: 'image/png',
      size: 300,
      expiresAt: clock.now() + 2 * HOUR,
    });
    const data = await artifacts.store(ADA, 'data.unheard-of', bytes(10));
    expect(data.mimeType).toBe('application/octet-stream');
    expect(artifacts.list('ada').map(({ id }) => id)).toEqual([data.id, page.id]);
  });

  it('are read whole and in parts', async () => {
    const { artifacts } = await artifactsOf();
    const { id } = await artifacts.store(ADA, 'page.png', bytes(300));
    expect((await artifacts.read('ada', id, all))?.content).toEqual(bytes(300));
    expect((await artifacts.read('ada', id, { offset: 100, length: 50 }))?.content).toEqual(
      bytes(300).subarray(100, 150),
    );
    expect((await artifacts.read('ada', id, { offset: 300 }))?.content).toEqual(Buffer.alloc(0));
    expect(await errorOf(artifacts.read('ada', id, { offset: 301 }))).toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('are texts whose parts, one after the other, give every character once', async () => {
    const { artifacts } = await artifactsOf();
    const text = 'aé€🙂'.repeat(7);
    const { id, size } = await artifacts.store(ADA, 'text.txt', Buffer.from(text));
    for (const length of [1, 2, 3, 5, 7, 100]) {
      const parts: (string | Buffer | undefined)[] = [];
      for (let offset = 0; offset < size; offset += length)
        parts.push((await artifacts.read('ada', id, { offset, length }))?.content);
      expect(parts.join('')).toBe(text);
    }
  });

  it('are read in parts when a client could not take them in one message', async () => {
    const { artifacts } = await artifactsOf();
    const { id, uri } = await artifacts.store(ADA, 'trace.zip', Buffer.alloc(8 * 1024 * 1024));
    const refusal = await errorOf(artifacts.read('ada', id, all));
    expect(refusal).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      hint: expect.stringContaining(`${uri}?offset=0&length=`),
    });
    expect((await artifacts.read('ada', id, { offset: 7 * 1024 * 1024 }))?.content).toHaveLength(1024 * 1024);
  });

  it('are invisible to other clients, also those of the same content [arch-artifact-02]', async () => {
    const { artifacts, directory } = await artifactsOf();
    const { id } = await artifacts.store(ADA, 'page.png', bytes(300));
    expect(await artifacts.read('bob', id, all)).toBeUndefined();
    expect(artifacts.list('bob')).toEqual([]);
    await artifacts.store({ client: 'bob', pool: 'SIDE' }, 'other.png', bytes(300));
    expect(artifacts.list('bob').map(({ name }) => name)).toEqual(['other.png']);
    expect(artifacts.list('ada').map(({ name }) => name)).toEqual(['page.png']);
    // Of two pools, and on the disk once [000-shared-01].
    expect(await filesIn(directory)).toHaveLength(1);
  });

  it('of a pool with a directory of its own are kept there and nowhere else [000-future-03]', async () => {
    const own = await newDirectory();
    const { artifacts, directory } = await artifactsOf({ blobStorageRoot: own });
    const shared = await artifacts.store(ADA, 'a.png', bytes(10));
    const side = await artifacts.store({ client: 'ada', pool: 'SIDE' }, 'b.png', bytes(20));
    expect(await filesIn(directory)).toEqual([`${shared.id}.png`]);
    expect(await filesIn(own)).toEqual([`${side.id}.png`]);
    expect((await artifacts.read('ada', side.id, all))?.content).toEqual(bytes(20));
  });

  it('are gone when they have expired, and their files with the next clean-up [arch-artifact-05]', async () => {
    const { artifacts, clock, directory } = await artifactsOf();
    const { pendingTimers } = clock;
    artifacts.start();
    const swept = () => expect.poll(() => clock.pendingTimers).toBe(pendingTimers + 1);
    await swept();
    const { id } = await artifacts.store(ADA, 'page.png', bytes(300));
    await clock.advance(2 * HOUR);
    expect(await artifacts.read('ada', id, all)).toBeUndefined();
    expect(artifacts.list('ada')).toEqual([]);
    await swept();
    await clock.advance(HOUR);
    await expect.poll(async () => await filesIn(directory)).toEqual([]);
  });

  it('of a server that was killed are removed by the next one', async () => {
    const { artifacts, clock, directory } = await artifactsOf();
    const { path } = await artifacts.store(ADA, 'page.png', bytes(300));
    await writeFile(join(directory, 'mine.txt'), 'not of pwpool');
    await clock.advance(2 * HOUR);
    artifacts.start();
    await expect.poll(async () => await stat(path).catch(() => 'gone')).toBe('gone');
    expect(await filesIn(directory)).toEqual(['mine.txt']);
  });

  it('whose file somebody has removed are gone', async () => {
    const { artifacts } = await artifactsOf();
    const { id, path } = await artifacts.store(ADA, 'page.png', bytes(300));
    await rm(path);
    expect(await artifacts.read('ada', id, all)).toBeUndefined();
  });
});
