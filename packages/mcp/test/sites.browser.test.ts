import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSite } from './fixtures/site.js';
import {
  packedPool,
  runToEnd,
  StdioServer,
  temporaryDirectory,
  textOf,
  titleOf,
} from './fixtures/stdio-server.js';

/** A server with real browsers and a file of sites. */
async function startWith(
  sites: string,
  variables: Record<string, string>,
): Promise<StdioServer & AsyncDisposable> {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const path = join(directory.path, 'sites.yaml');
  await writeFile(path, sites);
  return await StdioServer.start({ ...variables, PW_MCP_PROXY_SITES_FILE: path });
}

/** `127.0.0.1` and `localhost` are two sites on one server. */
async function startTwoSites() {
  const site = await startSite();
  const other = site.origin.replace('127.0.0.1', 'localhost');
  return { ...site, other, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
}

describe('navigations of several sessions', () => {
  it('reach a site at most `concurrency` at a time, in order, and another site meanwhile [004-site-02, 004-site-03, 004-site-04]', async () => {
    await using site = await startTwoSites();
    await using server = await startWith('"127.0.0.1": { concurrency: 1 }', packedPool('DEFAULT', 3));
    const sessions = ['ann', 'bob', 'cem'];
    await Promise.all(sessions.map((sessionId) => server.text('start_browser', { sessionId })));
    const open = async (sessionId: string, url: string) =>
      titleOf(textOf(await server.call('browser_navigate', { sessionId, url })));

    const first = open('ann', `${site.origin}/held/a`);
    await expect.poll(() => site.requests).toEqual(['/held/a']);
    const second = open('bob', `${site.origin}/held/b`);
    // The same session's next call stays behind the one that waits for its site.
    const after = server.text('browser_snapshot', { sessionId: 'bob' });
    expect(await open('cem', `${site.other}/page/c`)).toBe('c');
    expect(await open('cem', `${site.other}/page/d`)).toBe('d');
    expect(site.requests).toEqual(['/held/a', '/page/c', '/page/d']);

    site.release();
    expect(await first).toBe('a');
    await expect.poll(() => site.requests.at(-1)).toBe('/held/b');
    site.release();
    expect(await second).toBe('b');
    expect(titleOf(await after)).toBe('b');
  });

  it('that wait too long for their interval are told the site, and the session goes on [004-site-01, 004-site-03]', {
    tags: ['at-length'],
  }, async () => {
    await using site = await startTwoSites();
    const sites = 'shop: { hosts: ["127.0.0.1"], min_interval: 3600 }';
    await using server = await startWith(sites, packedPool('DEFAULT', 2, { LEASE_TIMEOUT: '1000' }));
    await server.text('start_browser', { sessionId: 'ann', navigationUrl: `${site.origin}/page/a` });
    await server.text('start_browser', { sessionId: 'bob' });
    const url = `${site.origin}/page/b`;
    const error = await server.error('browser_navigate', { sessionId: 'bob', url });
    expect(error).toMatchObject({
      code: 'CALL_TIMEOUT',
      message: expect.stringContaining("site 'shop' (min_interval 3600 s)"),
    });
    const other = `${site.other}/page/c`;
    expect(titleOf(await server.text('browser_navigate', { sessionId: 'bob', url: other }))).toBe('c');
    // A new tab is a request as any other.
    expect(
      await server.error('browser_tabs', { sessionId: 'bob', action: 'new', url: `${site.origin}/page/d` }),
    ).toMatchObject({ code: 'CALL_TIMEOUT' });
    expect(site.requests).toEqual(['/page/a', '/page/c']);
  });

  it('do not start with a file of sites that is faulty: status 78, every line on stderr', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'sites.yaml');
    await writeFile(path, 'shop:\n  min_interval: soon\n  concurrency: none\n');
    const { status, stdout, stderr } = await runToEnd(directory.path, { PW_MCP_PROXY_SITES_FILE: path });
    expect([status, stdout]).toEqual([78, '']);
    expect(stderr).toContain(`${path}:2`);
    expect(stderr).toContain(`${path}:3`);
  });
});
