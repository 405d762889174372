import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadToolset, parseScript, resolveConfig } from '@pwpool/core';
import {
  type DataRow,
  type JournalEntry,
  LeftOut,
  type RowResult,
  runningServers,
  runRows,
  selectRows,
  stepWork,
  systemClock,
} from '@pwpool/core/internal';
import { FakeDriver } from '@pwpool/core/testing';
import { PoolServer } from '@pwpool/mcp/internal';
import { expect, it, onTestFinished } from 'vitest';
import { ServerBrowsers } from '../src/run/server-browsers.js';

const SCRIPT = `
steps:
  - tool: browser_navigate
    args: { url: "https://a.example/{{row.name}}" }
    save_as: page
extract: "{{steps.page.title}}"
`;

/** A server with one browser, and one place to wait for it. */
async function busyServer() {
  const folder = await mkdtemp(join(tmpdir(), 'pwpool-rows-'));
  const env = { PWPOOL_RUNTIME_DIR: join(folder, 'run') };
  const driver = new FakeDriver();
  driver.answer = ({ args }) => {
    const url = String(args['url']);
    return {
      content: [{ type: 'text', text: `### Page\n- Page URL: ${url}\n- Page Title: ${url.slice(-1)}` }],
    };
  };
  const config = resolveConfig({
    pools: { SHOP: { isDefault: true, isolated: true, instances: 1, queueLimit: 1 } },
  });
  const server = await PoolServer.start(config, { log: () => {}, parts: { driver }, env });
  onTestFinished(async () => {
    driver.releaseAll();
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const [entry] = await runningServers(env);
  if (!entry) throw new Error('The server runs.');
  const toolset = await loadToolset(config.server);
  const run = async (names: readonly string[], options: { toolset?: string; signal?: AbortSignal } = {}) => {
    async function* data(): AsyncGenerator<DataRow> {
      for (const [index, name] of names.entries())
        yield { number: index + 1, line: index + 1, value: { name } };
    }
    const script = parseScript(SCRIPT, 's.yaml', toolset, { hasRows: true });
    const plan = { toolset: 'playwright', clean: script.clean, capacity: 3, files: folder, ...options };
    const results: RowResult[] = [];
    const attempts: JournalEntry[] = [];
    const report = await runRows(
      new ServerBrowsers(entry, plan),
      stepWork(script, { clock: systemClock, toolset, env: {} }),
      selectRows(data(), {}, new LeftOut()),
      {
        ...{ clock: systemClock, retries: 1, files: folder, signal: options.signal },
        onResult: (result) => results.push(result),
        onAttempt: (attempt) => attempts.push(attempt),
      },
    );
    return { report, results, attempts };
  };
  return { server, driver, run };
}

it('rows wait for the browsers of a server as long as it is busy, which is no failure of theirs [arch-bulk-16]', async () => {
  const { run, server } = await busyServer();
  const { report, results } = await run(['a', 'b', 'c']);
  expect(report).toEqual({ done: 3, failed: 0, retries: 0 });
  expect(results.map((row) => row.ok && row.result).sort()).toEqual(['a', 'b', 'c']);
  await expect.poll(() => server.pools.status().summary.leased_instances).toBe(0);
});

it('a browser of a server that crashes costs a retry, and a run that ends leaves none leased [arch-bulk-16]', async () => {
  const { run, server, driver } = await busyServer();
  const ending = new AbortController();
  const { answer } = driver;
  let calls = 0;
  driver.answer = (call) => {
    calls += 1;
    if (calls === 1) driver.browser('0').crash();
    if (calls === 3) ending.abort();
    return answer(call);
  };
  const { report, attempts } = await run(['a', 'b'], { signal: ending.signal });
  expect(attempts.map(({ code }) => code)).toEqual(expect.arrayContaining(['INSTANCE_CRASHED', 'OK']));
  expect(report).toMatchObject({ done: 1, failed: 0, endedBy: 'signal' });
  await expect.poll(() => server.pools.status().summary.leased_instances).toBe(0);
});

it('a script for other tools than the server has ends the run [arch-bulk-16]', async () => {
  const { run } = await busyServer();
  await expect(run(['a'], { toolset: 'compact' })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: 'The script is for the toolset compact, the server has playwright.',
  });
});
