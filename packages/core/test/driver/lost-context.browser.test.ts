import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';

it('a context that its holder closed does not break the tools: the next lease works on a new one [arch-driver-02]', {
  tags: ['at-length'],
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pwpool-driver-'));
  const data = join(directory, 'profiles');
  const title = async (lease: Awaited<ReturnType<BrowserPools['lease']>>, name: string) => {
    const url = `data:text/html,<title>${name}</title>`;
    return JSON.stringify((await lease.callTool('browser_navigate', { url })).content);
  };
  try {
    await using pools = await BrowserPools.create({
      outputDir: directory,
      pools: {
        ISOLATED: { instances: 1, isDefault: true, lazy: true, isolated: true },
        PROFILE: { instances: 1, lazy: true, isolated: false, profileDir: data },
      },
    });
    for (const [pool, keep] of [
      ['ISOLATED', true],
      ['ISOLATED', false],
      ['PROFILE', true],
    ] as const) {
      const first = await pools.lease({ pool, keep: true });
      expect(await title(first, 'first')).toContain('Page Title: first');
      await first.context().close();
      await first.release();
      const next = await pools.lease({ pool, keep });
      expect(await title(next, 'next')).toContain('Page Title: next');
      expect(await (await next.page()).title()).toBe('next');
      await next.release();
    }
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
