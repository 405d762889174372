import type { BrowserContext, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import type { MapOptions, MapProgress } from '../../src/pool/map-items.js';
import { settle } from '../../src/testing/fake-clock.js';
import type { FakeDriver } from '../../src/testing/fake-driver.js';
import { poolOf } from './pool-fixture.js';

/** A pool whose browsers have a page each, told by its title. */
async function poolWithPages(instances: number) {
  return await poolOf(
    { instances },
    {
      prepare: (driver) => {
        driver.onStart = (browser) => {
          const page = { title: () => browser.config.id } as unknown as Page;
          browser.context = { pages: () => [page] } as unknown as BrowserContext;
        };
      },
    },
  );
}

describe('pools.map', () => {
  it('does the work for every item on the browsers of a pool, and gives results in order [arch-bulk-10]', async () => {
    const { pools, driver } = await poolWithPages(2);
    const seen: MapProgress[] = [];
    const used = new Set<unknown>();
    const results = await pools.map(
      [1, 2, 3, 4, 5],
      async ({ page, item, index, lease }) => {
        used.add(await page.title());
        await lease.callTool('browser_snapshot');
        return `${item * 10} at ${index}`;
      },
      { onProgress: (progress) => seen.push(progress) },
    );
    expect(results).toEqual(['10 at 0', '20 at 1', '30 at 2', '40 at 3', '50 at 4']);
    expect(used).toEqual(new Set(['0', '1']));
    expect(seen.at(-1)).toEqual({ done: 5, failed: 0, running: 0 });
    expect(Math.max(...seen.map(({ running }) => running))).toBe(2);
    await settle();
    expect(driver.browsers.map(({ resetting }) => resetting.count).reduce((sum, count) => sum + count)).toBe(
      5,
    );
  });

  it('gives each of several items at once a tab of its own in a browser that they share [arch-bulk-15]', async () => {
    let opened = 0;
    let open = 0;
    let most = 0;
    const context = {
      newPage: async () => {
        open += 1;
        most = Math.max(most, open);
        opened += 1;
        const close = async () => {
          open -= 1;
        };
        return { number: opened, close };
      },
    } as unknown as BrowserContext;
    const prepare = (driver: FakeDriver) => {
      driver.onStart = (browser) => {
        browser.context = context;
      };
    };
    const { pools, driver } = await poolOf({ instances: 1 }, { prepare });
    const work = async ({ page }: { page: unknown }) => (page as { number: number }).number;
    expect(await pools.map(['a', 'b', 'c', 'd'], work, { tabs: 2, clean: 'lease' })).toEqual([1, 2, 3, 4]);
    expect({ open, most, browsers: driver.browsers.length }).toEqual({ open: 0, most: 2, browsers: 1 });
    await expect(pools.map([1], work, { tabs: 2 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(pools.map([1], work, { tabs: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('tries an item again, and ends with the error of the first that failed for good [arch-bulk-10]', async () => {
    const { pools, clock } = await poolWithPages(2);
    const tries: number[] = [];
    const given: AbortSignal[] = [];
    const work = pools.map([1, 2, 3], async ({ item, attempt, signal }) => {
      if (item === 1) {
        given.push(signal);
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('given up'))),
        );
      }
      tries.push(attempt);
      throw new Error(`item ${item} is bad`);
    });
    const failed = expect(work).rejects.toThrow('item 2 is bad');
    await clock.advance(250);
    await clock.advance(500);
    await failed;
    expect(tries).toEqual([1, 2, 3]);
    expect(given.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('goes on in the same browser when that is asked for, and starts clean after a failure', async () => {
    const { pools, driver, clock } = await poolWithPages(1);
    const resets: number[] = [];
    const options: MapOptions = { clean: 'lease', retries: 1 };
    const work = pools.map(
      [1, 2, 3],
      async ({ item, attempt }) => {
        resets.push(driver.browser('0').resetting.count);
        if (item === 2 && attempt === 1) throw new Error('once');
      },
      options,
    );
    await clock.advance(250);
    await work;
    expect(resets).toEqual([0, 0, 1, 1]);
  });

  it('ends with its signal, and takes items without end', async () => {
    const { pools } = await poolWithPages(2);
    const controller = new AbortController();
    let asked = 0;
    async function* endless() {
      for (;;) yield ++asked;
    }
    const work = pools.map(
      endless(),
      async ({ item }) => {
        if (item === 50) controller.abort();
      },
      { signal: controller.signal },
    );
    await expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(asked).toBeLessThan(55);
    await expect(pools.map([1], () => 1, { pool: 'NONE' })).rejects.toMatchObject({ code: 'POOL_NOT_FOUND' });
  });
});
