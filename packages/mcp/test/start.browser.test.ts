import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, it } from 'vitest';
import { ChildTransport } from './fixtures/child-transport.js';
import { BIN, environment, pool, runToEnd, temporaryDirectory } from './fixtures/stdio-server.js';
import { Desk } from './shared/windows.js';

/** What takes long to load, and is for those who use a browser, a file of sites or a tool server. */
const FOR_LATER = ['playwright', 'playwright-core', 'ajv', 'yaml', '@modelcontextprotocol/client'];

/** The packages, pwpool's own too, of which a process that ran with `NODE_V8_COVERAGE` has loaded anything. */
async function packagesIn(coverage: string): Promise<Set<string>> {
  const names = [...(await filesIn(coverage))].map((url) =>
    url.includes('/packages/core/')
      ? '@pwpool/core'
      : /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1],
  );
  return new Set(names.filter((name) => name !== undefined));
}

/** The URLs of the files that it has loaded. */
async function filesIn(coverage: string): Promise<Set<string>> {
  const reports = (await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8'));
  const urls = (await Promise.all(reports)).flatMap((report) =>
    (JSON.parse(report) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  return new Set(urls.filter((url) => url.startsWith('file:')));
}

it('a server answers the client’s first requests before it has loaded what only a browser needs', async () => {
  await using directory = await temporaryDirectory();
  const coverage = join(directory.path, 'coverage');
  const client = new Client({ name: 'test', version: '1' });
  const env = environment(directory.path, { ...pool('DEFAULT', 2), NODE_V8_COVERAGE: coverage });
  const command = [process.execPath, BIN];
  await client.connect(new ChildTransport({ command, env, cwd: directory.path }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('browser_click');
  const { isError } = await client.callTool({ name: 'browser_pool_status' });
  expect(isError).toBeUndefined();
  await client.close();

  const loaded = await packagesIn(coverage);
  expect(loaded).toContain('@pwpool/core');
  expect(FOR_LATER.filter((name) => loaded.has(name))).toEqual([]);
});

it('the version is told without loading anything, the options without what a server needs', async () => {
  await using directory = await temporaryDirectory();
  const [version, help] = ['version', 'help'].map((name) => join(directory.path, name));
  await runToEnd(directory.path, { NODE_V8_COVERAGE: version ?? '' }, ['--version']);
  expect(await packagesIn(version ?? '')).toEqual(new Set());
  const { stdout } = await runToEnd(directory.path, { NODE_V8_COVERAGE: help ?? '' }, ['--help']);
  expect(stdout).toContain('--isolated');
  expect(await packagesIn(help ?? '')).toEqual(new Set(['@pwpool/core']));
});

it('the end of a window has loaded little of pwpool and nothing else when its client is answered [arch-shared-09]', async () => {
  await using desk = await Desk.set();
  await desk.openWindow();
  const coverage = join(desk.path, 'coverage');
  const window = await desk.openWindow({ NODE_V8_COVERAGE: coverage });
  await window.client.listTools();
  await window.client.close();

  expect(await packagesIn(coverage)).toEqual(new Set(['@pwpool/core']));
  // The SDK and zod are parts of pwpool's own files: of them alone there are more kilobytes.
  const sizes = await Promise.all(
    [...(await filesIn(coverage))].map(async (url) => (await stat(new URL(url))).size),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0) / 1024).toBeLessThan(400);
});
