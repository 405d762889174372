// @module-tag at-length
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { textOf } from '../../src/connection/answer-text.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { LeasedTab } from '../../src/pool/leased-tab.js';

const PAGE = `<title>PATH</title><a href="/file" download="PATH.txt">Get</a>
<a href="/popup-of-PATH" target="_blank">Open</a><button onclick="alert('hi')">Say</button>`;

it('tabs of one lease work at once, each with its own pages, dialogs and files; cookies are common [arch-bulk-15]', async () => {
  const site = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    if (name === 'file') return response.end('file');
    return response.setHeader('content-type', 'text/html').end(PAGE.replaceAll('PATH', name));
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), 'pwpool-leased-tabs-'));
  onTestFinished(() => {
    site.close();
    site.closeAllConnections();
    return rm(folder, { recursive: true, force: true });
  });
  const pool = { instances: 1, isDefault: true, lazy: true, isolated: true };
  await using pools = await BrowserPools.create({ outputDir: folder, pools: { DEFAULT: pool } });
  await using lease = await pools.lease();
  const names = ['one', 'two'];
  const tabs = await Promise.all(
    names.map((name) => lease.openTab(pools.workspaces.openAt(join(folder, name)))),
  );
  const [one, two] = tabs as [LeasedTab, LeasedTab];
  const textsOf = async (tool: string, args: Record<string, unknown> = {}) =>
    (await Promise.all(tabs.map((tab) => tab.callTool(tool, args)))).map((result) => textOf(result));

  await Promise.all(
    tabs.map((tab, at) => tab.callTool('browser_navigate', { url: `${origin}/${names[at]}` })),
  );
  await (await one.page()).evaluate("document.cookie = 'who=ada'");
  expect(await (await two.page()).evaluate('document.cookie')).toBe('who=ada');

  // A dialog holds up its own tab and no other.
  expect(textOf(await one.callTool('browser_click', { target: 'text=Say' }))).toContain('alert');
  expect(textOf(await two.callTool('browser_snapshot'))).toContain('Page Title: two');
  await one.callTool('browser_handle_dialog', { accept: true });

  await textsOf('browser_click', { target: 'text=Get' });
  await expect
    .poll(() => Promise.all(names.map((name) => readdir(join(folder, name)))))
    .toEqual([['one.txt'], ['two.txt']]);

  await textsOf('browser_click', { target: 'text=Open' });
  const lists = await textsOf('browser_tabs', { action: 'list' });
  for (const [at, name] of names.entries()) {
    expect(lists[at]).toContain(`/popup-of-${name}`);
    expect(lists[at]?.match(/^- \d:/gm)).toHaveLength(2);
  }
  await one[Symbol.asyncDispose]();
  expect(lease.context().pages()).toHaveLength(2);
  // Closes the pages of its own tab.
  await two.callTool('browser_close');
  expect(textOf(await two.callTool('browser_navigate', { url: `${origin}/again` }))).toContain(
    'Page Title: again',
  );
  expect(await (await two.page()).evaluate('document.cookie')).toBe('who=ada');
  await two[Symbol.asyncDispose]();
  expect(lease.context().pages()).toEqual([]);
}, 60_000);
