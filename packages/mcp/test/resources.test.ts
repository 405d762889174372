import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { BrowserPools, PlaywrightToolset, SessionManager, type ToolResult } from '@pwpool/core';
import { Artifacts } from '@pwpool/core/internal';
import { FakeClock, FakeDriver } from '@pwpool/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectInMemory } from './fixtures/memory-client.js';
import { textOf } from './fixtures/stdio-server.js';

const PNG = Buffer.alloc(60 * 1024, 'png');

/** Two clients over fake browsers: `browser_take_screenshot` answers a large image, `browser_evaluate` its function. */
async function startFake() {
  const directory = await mkdtemp(join(tmpdir(), 'pwpool-resources-'));
  const clock = new FakeClock();
  const driver = new FakeDriver();
  const pools = await BrowserPools.create(
    { blobStorageRoot: directory, blobTtlHours: 1, pools: { DEFAULT: { instances: 2, isDefault: true } } },
    { clock, driver },
  );
  const sessions = new SessionManager(pools);
  const artifacts = new Artifacts(pools);
  const toolset = await PlaywrightToolset.load({ allowUnsafeCode: false });
  const parts = { pools, sessions, toolset, artifacts };
  const clients: Client[] = [];
  const connect = async (name: string) => {
    const client = await connectInMemory(name, parts);
    clients.push(client);
    return client;
  };
  onTestFinished(async () => {
    for (const client of clients) await client.close();
    await sessions[Symbol.asyncDispose]();
    await artifacts[Symbol.asyncDispose]();
    await pools.close();
    await rm(directory, { recursive: true, force: true });
    expect(clock.pendingTimers).toBe(0);
  });
  driver.answer = ({ tool, args }): ToolResult => ({
    content:
      tool === 'browser_take_screenshot'
        ? [{ type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' }]
        : [{ type: 'text', text: String(args['function']) }],
  });
  return { clock, ada: await connect('ada'), bob: await connect('bob') };
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

async function linkFrom(client: Client): Promise<string> {
  const { content } = await call(client, 'browser_take_screenshot');
  const link = content.find((part) => part.type === 'resource_link');
  return link?.uri ?? 'no link';
}

async function read(client: Client, uri: string) {
  const { contents } = await client.readResource({ uri });
  return contents;
}

async function artifactsOf(client: Client) {
  const { resources } = await client.listResources();
  return resources.filter(({ uri }) => uri.startsWith('blob:'));
}

describe('artifacts as resources', () => {
  it('are announced, listed, and read whole and by range [arch-artifact-01]', async () => {
    const { ada } = await startFake();
    expect(ada.getServerCapabilities()?.resources).toEqual({});
    const uri = await linkFrom(ada);
    expect(await artifactsOf(ada)).toEqual([
      {
        uri,
        name: 'browser_take_screenshot.png',
        mimeType: 'image/png',
        size: PNG.byteLength,
        description: '60 KB, until 2026-01-02 11:15 UTC',
        _meta: { expiresAt: '2026-01-02T11:15:30.000Z' },
      },
    ]);
    const { resourceTemplates } = await ada.listResourceTemplates();
    expect(resourceTemplates[0]?.uriTemplate).toBe('blob://{id}{?offset,length}');
    expect(await read(ada, uri)).toEqual([{ uri, mimeType: 'image/png', blob: PNG.toString('base64') }]);
    const part = `${uri}?offset=3&length=3`;
    expect(await read(ada, part)).toEqual([{ uri: part, mimeType: 'image/png', blob: btoa('png') }]);
  });

  it('are read as text when they are text', async () => {
    const { ada } = await startFake();
    const long = `${'Zürich '.repeat(10_000)}end`;
    const { content } = await call(ada, 'browser_evaluate', { function: long });
    const link = content.find((part) => part.type === 'resource_link');
    expect(await read(ada, `${link?.uri}?offset=80000`)).toEqual([
      { uri: `${link?.uri}?offset=80000`, mimeType: 'text/plain', text: 'end' },
    ]);
  });

  it('are answered with the error of the protocol when there are none: of another client, expired, unknown [arch-artifact-02]', async () => {
    const { ada, bob, clock } = await startFake();
    const uri = await linkFrom(ada);
    const notFound = (address: string) => ({ code: -32602, data: { uri: address } });
    await expect(bob.readResource({ uri })).rejects.toMatchObject(notFound(uri));
    expect(await artifactsOf(bob)).toEqual([]);
    await expect(ada.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject(
      notFound('file:///etc/passwd'),
    );
    await clock.advance(3_600_000);
    await expect(ada.readResource({ uri })).rejects.toMatchObject(notFound(uri));
    expect(await artifactsOf(ada)).toEqual([]);
  });

  it('are refused with what is wrong with their address', async () => {
    const { ada } = await startFake();
    const uri = await linkFrom(ada);
    for (const bad of [
      'blob://../../etc/passwd',
      `${uri}/..%2f`,
      `${uri}?offset=x`,
      `${uri}?offset=99999999`,
    ]) {
      await expect(ada.readResource({ uri: bad })).rejects.toMatchObject({
        code: -32602,
        message: expect.not.stringContaining('There is no resource'),
      });
    }
  });

  it('are listed in pages', async () => {
    const { ada } = await startFake();
    const long = 'x'.repeat(41 * 1024);
    for (let number = 0; number < 101; number++)
      await call(ada, 'browser_evaluate', { function: `${number} ${long}` });
    const first = await ada.listResources();
    expect(first.resources).toHaveLength(100);
    const second = await ada.listResources({ cursor: first.nextCursor });
    // The last artifact, and the activity of the client.
    expect(second.resources).toHaveLength(2);
    expect(second.nextCursor).toBeUndefined();
    await expect(ada.listResources({ cursor: 'nowhere' })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('the calls of a session', () => {
  it('are not there for an address that encodes no name', async () => {
    const { ada } = await startFake();
    for (const bad of ['pwpool://activity/%zz', 'pwpool://activity/'])
      await expect(ada.readResource({ uri: bad })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('There is no resource'),
      });
  });
});

describe('a bulk answer', () => {
  it('links the images of its results and keeps to ANSWER_MAX_KB as a whole [arch-artifact-03]', async () => {
    const { ada } = await startFake();
    const quoted = '"quoted"\n'.repeat(3000);
    const short = 'short';
    const answer = await call(ada, 'browser_execute_bulk', {
      return_all_results: true,
      commands: [quoted, short, quoted]
        .map((text): { tool: string; args?: object } => ({
          tool: 'browser_evaluate',
          args: { function: text },
        }))
        .concat({ tool: 'browser_take_screenshot' }),
    });
    expect(Buffer.byteLength(textOf({ content: answer.content.slice(0, 1) }))).toBeLessThanOrEqual(40 * 1024);
    const { results } = answer.structuredContent as { results: { result: string }[] };
    expect(
      results.map(({ result }) => /Cut: \d+ KB of 26 KB|short|is not shown here/.exec(result)?.[0]),
    ).toEqual([
      expect.stringContaining('Cut: '),
      'short',
      expect.stringContaining('Cut: '),
      'is not shown here',
    ]);
    expect(answer.content.filter(({ type }) => type === 'resource_link')).toHaveLength(3);
  });

  it('of many long results names where each is read', async () => {
    const { ada } = await startFake();
    const commands = Array.from({ length: 200 }, (_, number) => ({
      tool: 'browser_evaluate',
      args: { function: `${number} `.repeat(1000) },
    }));
    const answer = await call(ada, 'browser_execute_bulk', { return_all_results: true, commands });
    expect(Buffer.byteLength(textOf({ content: answer.content.slice(0, 1) }))).toBeLessThanOrEqual(40 * 1024);
    const { results } = answer.structuredContent as { results: { result: string }[] };
    const [, uri = ''] = /^4 KB: read (blob:\S+)$/.exec(results[150]?.result ?? '') ?? [];
    expect(await read(ada, uri)).toEqual([{ uri, mimeType: 'text/plain', text: '150 '.repeat(1000) }]);
  });

  it('uses in a later command all that an earlier one answered', async () => {
    const { ada } = await startFake();
    const items = JSON.stringify(Array.from({ length: 10_000 }, (_, index) => `item ${index}`));
    const answer = await call(ada, 'browser_execute_bulk', {
      commands: [
        { tool: 'browser_evaluate', args: { function: `### Result\n${items}` } },
        { tool: 'browser_evaluate', args: { function: '${0.result[-1]}' }, return_result: true },
      ],
    });
    expect(answer.structuredContent).toMatchObject({ results: [{ result: 'item 9999' }] });
  });
});
