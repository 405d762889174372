import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PoolInput } from '../../src/config/config-input.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';

/** The library as a program uses it, with real browsers. */
describe('BrowserPools', () => {
  const server = createServer(
    (_, response) => void response.setHeader('content-type', 'text/html').end('<title>page</title>'),
  );
  let directory: string;
  let url: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pwpool-library-'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true, force: true });
  });

  /** A pool for all that comes and goes with a lease. */
  let pools: BrowserPools;
  beforeAll(async () => {
    pools = await create({ instances: 1 });
  });
  afterAll(() => pools.close());

  const create = (pool: PoolInput = {}) =>
    BrowserPools.create({
      outputDir: directory,
      pools: { DEFAULT: { instances: 2, isDefault: true, lazy: true, isolated: true, ...pool } },
    });

  it('leases Playwright’s own page and context, the same that the tools work on [arch-driver-01]', async () => {
    await using lease = await pools.lease();
    const page = await lease.page();
    await page.goto(url);
    expect(page.context()).toBe(lease.context());
    const result = await lease.callTool('browser_snapshot');
    expect(JSON.stringify(result.content)).toContain('Page Title: page');
  });

  it('releases at the end of the block, also after an error, and refuses later use [arch-lease-06, arch-lease-07]', async () => {
    let kept: Awaited<ReturnType<typeof pools.lease>> | undefined;
    const work = async () => {
      await using lease = await pools.lease({ holder: 'work' });
      kept = lease;
      throw new Error('of the program');
    };
    await expect(work()).rejects.toThrow('of the program');
    expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 1 });
    await expect(kept?.callTool('browser_snapshot')).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
    await expect(kept?.page()).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
  });

  it('closes everything when it is disposed of, leases and all [arch-error-08, 002-life-04]', async () => {
    const pools = await create();
    const lease = await pools.lease();
    await lease.page();
    await pools.close();
    await pools.close();
    await expect(lease.callTool('browser_snapshot')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await expect(pools.lease()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await lease.release();
  });

  it('starts clean and leaves nothing to the next, unless both keep the page [arch-reset-04]', async () => {
    const logIn = async (options: { keep?: boolean }) => {
      await using lease = await pools.lease(options);
      const page = await lease.page();
      await page.goto(url);
      await page.evaluate("document.cookie = 'user=ada'");
    };
    const found = async (options: { keep?: boolean }) => {
      await using lease = await pools.lease(options);
      return [(await lease.page()).url(), (await lease.context().cookies()).map(({ value }) => value)];
    };
    const nothing = ['about:blank', []];
    await logIn({});
    expect(await found({})).toEqual(nothing);
    await logIn({});
    expect(await found({ keep: true })).toEqual(nothing);
    await logIn({ keep: true });
    expect(await found({ keep: true })).toEqual([url, ['ada']]);
    expect(await found({})).toEqual(nothing);
  });

  it('closes the page and the context that a holder kept, before its release ends [arch-reset-05]', async () => {
    const lease = await pools.lease();
    const [page, context] = [await lease.page(), lease.context()];
    await lease.release();
    expect(page.isClosed()).toBe(true);
    await expect(page.goto(url)).rejects.toThrow('has been closed');
    await expect(context.newPage()).rejects.toThrow('has been closed');
  });

  it('keeps a profile on disk for each instance with ISOLATED=false, over restarts, and pages for nobody [arch-config-14]', {
    tags: ['at-length'],
  }, async () => {
    const profileDir = join(directory, 'profiles');
    const visit = async (expected: string) => {
      await using pools = await create({ isolated: false, profileDir });
      const leases = await Promise.all([pools.lease({ instance: '0' }), pools.lease({ instance: '1' })]);
      const cookies: string[] = [];
      for (const lease of leases) {
        expect(lease.context().pages()).toHaveLength(1);
        const page = await lease.page();
        await page.goto(url);
        cookies.push(await page.evaluate('document.cookie'));
        await page.evaluate(`document.cookie = 'instance=${lease.instance}; max-age=3600'`);
        await lease.release();
        expect(lease.config.settings.profileDir).toBe(profileDir);
      }
      const next = await pools.lease({ instance: '0' });
      expect((await next.page()).url()).toBe('about:blank');
      expect(cookies.join('|')).toBe(expected);
    };
    await visit('|');
    await visit('instance=0|instance=1');
    expect((await readdir(join(profileDir, 'DEFAULT'))).sort()).toEqual(['0', '1']);
  });

  it('reads the environment with fromEnv', async () => {
    await using pools = await BrowserPools.fromEnv({
      cwd: directory,
      env: {
        PW_MCP_PROXY__ONE_INSTANCES: '1',
        PW_MCP_PROXY__ONE_IS_DEFAULT: 'true',
        PW_MCP_PROXY__ONE_LAZY: 'true',
      },
    });
    expect(pools.status().pools.map(({ name, total_instances }) => [name, total_instances])).toEqual([
      ['ONE', 1],
    ]);
    await expect(pools.lease({ pool: 'TWO' })).rejects.toMatchObject({ code: 'POOL_NOT_FOUND' });
  });
});
