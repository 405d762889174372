import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { type ConfigInput, resolveConfig } from '@pwpool/core';
import { FakeClock, FakeDriver } from '@pwpool/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DeferredServer } from '../src/deferred-server.js';
import type { PoolServerOptions } from '../src/pool-server.js';
import { createMcpServer } from '../src/server.js';
import { directoryOfTest } from './fixtures/operated-server.js';

/** Pools that are started with the server. */
const EAGER: ConfigInput = {
  pools: { SHOP: { instances: 1, isDefault: true, lazy: false }, CHAT: { instances: 1, lazy: true } },
};

/** A server that has not started, on browsers that are fakes, with one client; gone with the test. */
async function deferred(input: ConfigInput = EAGER, options: Partial<PoolServerOptions> = {}) {
  const [clock, driver] = [new FakeClock(), new FakeDriver()];
  const server = await DeferredServer.prepare(resolveConfig(input), {
    log: () => {},
    env: null,
    parts: { clock, driver },
    ...options,
  });
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createMcpServer({ id: 'test', sharesDisk: true }, server).connect(theirs);
  await client.connect(ours);
  onTestFinished(async () => {
    driver.releaseAll();
    await client.close();
    await server[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });
  return { server, client, clock, driver };
}

/** The files that those import before they run, and in turn what these import. */
async function loadedWith(...urls: URL[]): Promise<Set<string>> {
  const loaded = new Set<string>();
  for (const url of urls) {
    if (loaded.has(url.href)) continue;
    loaded.add(url.href);
    const source = await readFile(url, 'utf8');
    for (const [, specifier = ''] of source.matchAll(/(?:^|[;}\n])(?:import|export)\b[^'"();]*"([^"]+)"/g)) {
      if (specifier.startsWith('.')) urls.push(new URL(specifier, url));
      if (specifier.startsWith('@pwpool/')) urls.push(new URL(import.meta.resolve(specifier)));
    }
  }
  return loaded;
}

describe('a server over stdio', () => {
  it('tells its tools from files in which there are no pools', async () => {
    const dist = new URL('../dist/', import.meta.url);
    const [, chunk] =
      /import\("\.\/(run-server[^"]+)"\)/.exec(await readFile(new URL('bin.js', dist), 'utf8')) ?? [];
    const loaded = await loadedWith(new URL(chunk ?? '', dist));
    const core = (entry: string) => import.meta.resolve(entry);
    expect(loaded).toContain(core('@pwpool/core/first-answers'));
    expect(loaded).not.toContain(core('@pwpool/core'));
    expect(loaded).not.toContain(core('@pwpool/core/internal'));
  });

  it('names its pools before they are there, and starts them once its client has had time to ask', async () => {
    const { client, driver, clock } = await deferred();
    const { tools } = await client.listTools();
    expect(JSON.stringify(tools)).toContain('"enum":["SHOP","CHAT"]');
    expect(client.getInstructions()).toContain('Browsers from a pool.');
    expect((await client.listPrompts()).prompts).toHaveLength(2);
    expect(driver.browsers).toEqual([]);
    await clock.advance(100);
    await expect.poll(() => driver.browsers).toHaveLength(1);
    expect((await client.listTools()).tools).toEqual(tools);
  });

  it('starts with a call', async () => {
    const { client } = await deferred();
    const { isError } = await client.callTool({ name: 'browser_pool_status' });
    expect(isError).toBeUndefined();
  });

  it('answers a call that came before its end, for which it has to start', async () => {
    // To be found takes it as long as files and a socket take.
    const env = { PWPOOL_RUNTIME_DIR: join(await directoryOfTest(), 'run') };
    const { server, client } = await deferred(EAGER, { env });
    const answer = client.callTool({ name: 'browser_pool_status' });
    await setImmediate();
    await server.drain();
    expect((await answer).isError).toBeUndefined();
  });

  it('that nobody called ends without having started', async () => {
    const { server, clock, driver } = await deferred();
    await server.drain();
    expect(clock.pendingTimers).toBe(0);
    expect(driver.browsers).toEqual([]);
  });

  it('ends, and tells why, when it cannot start', async () => {
    class BrokenClock extends FakeClock {
      override now(): number {
        throw new Error('no time');
      }
    }
    const { server, client } = await deferred(EAGER, {
      parts: { clock: new BrokenClock(), driver: new FakeDriver() },
    });
    await expect(client.callTool({ name: 'browser_pool_status' })).rejects.toThrow('no time');
    expect(server.stopping.aborted).toBe(true);
    await expect(server.drain()).rejects.toThrow('no time');
  });

  it('is refused with a file of sites that is wrong, before it serves anybody', async () => {
    const config = resolveConfig({ sitesFile: '/does/not/exist.yaml' });
    await expect(DeferredServer.prepare(config, { log: () => {}, env: null })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});
