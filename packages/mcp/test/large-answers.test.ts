import type { PoolsStatus } from '@pwpool/core';
import { describe, expect, it } from 'vitest';
import { shorten, sizeInJson } from '../src/shorten.js';
import { directoryOfTest, operatedServer } from './fixtures/operated-server.js';

describe('an answer of pwpool itself that is larger than ANSWER_MAX_KB', () => {
  it('has whole pools with the first instances of each, and a link to all of it [arch-answer-07]', async () => {
    const blobStorageRoot = await directoryOfTest();
    const { ask, server } = await operatedServer({
      blobStorageRoot,
      pools: {
        ONE: { instances: 300, isDefault: true, isolated: true, lazy: true },
        TWO: { instances: 200, isolated: true, lazy: true },
      },
    });
    const result = (await ask('call', { tool: 'browser_pool_status' })) as {
      content: { type: string; text: string; uri?: string }[];
      structuredContent: PoolsStatus & { omitted: Record<string, number>; all: string };
    };
    const { pools, summary, omitted, all } = result.structuredContent;
    expect(summary.total_instances).toBe(500);
    expect(pools.map(({ total_instances }) => total_instances)).toEqual([300, 200]);
    const shown = pools.map(({ instances }) => instances.length);
    expect(shown[0]).toBeGreaterThan(20);
    expect(omitted).toEqual({
      'pools.0.instances': 300 - Number(shown[0]),
      'pools.1.instances': 200 - Number(shown[1]),
    });
    expect(pools[0]?.instances).toEqual(server.pools.status().pools[0]?.instances.slice(0, shown[0]));
    expect(sizeInJson(result.structuredContent)).toBeLessThanOrEqual(40 * 1024);
    expect(Buffer.byteLength(result.content[0]?.text ?? '')).toBeLessThanOrEqual(40 * 1024);
    const link = result.content.find(({ type }) => type === 'resource_link');
    expect(all).toContain(link?.uri ?? 'no link');
    expect(await ask('artifact', { uri: link?.uri ?? '' })).toMatchObject({ mimeType: 'text/plain' });
  });

  it.each([
    ['fits', { list: [{ a: 1 }] }, 1000, { list: [{ a: 1 }] }, {}],
    [
      'loses the ends of lists',
      { list: [{ a: 1 }, { a: 2 }, { a: 3 }] },
      26,
      { list: [{ a: 1 }, { a: 2 }] },
      { list: 1 },
    ],
    [
      'loses inner lists before outer ones',
      {
        outer: [
          { n: 1, inner: [{ x: 1 }] },
          { n: 2, inner: [{ x: 1 }] },
        ],
      },
      60,
      {
        outer: [
          { n: 1, inner: [] },
          { n: 2, inner: [] },
        ],
      },
      { 'outer.0.inner': 1, 'outer.1.inner': 1 },
    ],
    [
      'keeps lists of plain values whole',
      { names: ['a', 'b'], list: [{ a: 1 }] },
      30,
      { names: ['a', 'b'], list: [] },
      { list: 1 },
    ],
  ])('that %s', (_, answer, limit, shown, omitted) => {
    expect(shorten(answer, limit)).toEqual({ answer: shown, omitted });
  });
});
