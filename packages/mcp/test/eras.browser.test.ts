import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdioTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { ToolResult } from '@pwpool/core';
import { describe, expect, it } from 'vitest';
import { cancelledWait } from './fixtures/cancelled-wait.js';
import { startSite } from './fixtures/site.js';
import { BIN, environment, pool, temporaryDirectory, textOf, titleOf } from './fixtures/stdio-server.js';

const CLIENT = { name: 'test', version: '1' };
const MODERN = '2026-07-28';

interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { message?: string | undefined }) => void;
}

/** What both clients do, each by the methods of its own SDK. */
interface EraClient extends AsyncDisposable {
  instructions: string | undefined;
  listTools(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
}

function command(directory: string) {
  const patient = { PW_MCP_PROXY_SHUTDOWN_GRACE: '30000' };
  const env = environment(directory, { ...pool('DEFAULT', 1), ...patient });
  return { command: process.execPath, args: [BIN], env, cwd: directory };
}

async function connectOld(directory: string): Promise<EraClient> {
  const client = new OldClient(CLIENT);
  await client.connect(new OldStdioTransport(command(directory)));
  return {
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, options) =>
      (await client.callTool({ name, arguments: args }, undefined, options)) as ToolResult,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Its SDK would ask a server of its own first what it speaks; of a subclass it asks the one that it goes on with. */
class InPlace extends NewStdioTransport {}

async function connectNew(directory: string): Promise<EraClient> {
  const client = new NewClient(CLIENT, { versionNegotiation: { mode: { pin: MODERN } } });
  await client.connect(new InPlace(command(directory)));
  expect(client.getNegotiatedProtocolVersion()).toBe(MODERN);
  return {
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, options) => await client.callTool({ name, arguments: args }, options),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

it.each([
  ['2025 (SDK 1.32)', connectOld],
  [MODERN, connectNew],
])('a client of %s lists, calls, is told of progress and cancels [arch-era-01]', async (_, connect) => {
  await using directory = await temporaryDirectory();
  await using client = await connect(directory.path);
  expect(client.instructions).toContain('call start_browser with a sessionId');
  expect(await client.listTools()).toEqual(expect.arrayContaining(['start_browser', 'browser_navigate']));

  const page = 'data:text/html,<title>mine</title>';
  expect(titleOf(textOf(await client.call('browser_navigate', { url: page })))).toBe('mine');
  // The connection is the client: a second call finds the page of the first.
  expect(titleOf(textOf(await client.call('browser_snapshot', {})))).toBe('mine');

  await cancelledWait(client);
  // What was cancelled waits no more: the next in line is the one that asks next.
  const third = client.call('start_browser', { sessionId: 'third' });
  expect((await client.call('close_session', { sessionId: 'browser-1' })).isError).toBeUndefined();
  expect((await third).isError).toBeUndefined();
  const sessions = (await client.call('list_sessions', {})).structuredContent;
  expect(sessions).toMatchObject({ sessions: [{ sessionId: 'third' }] });
});

/** A server and its stdin and stdout, with nothing of an SDK between. */
class Wire {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #answers = new Map<unknown, (answer: Record<string, unknown>) => void>();
  #id = 0;

  constructor(directory: string) {
    const { args, env, cwd } = command(directory);
    this.child = spawn(process.execPath, args, { env, cwd });
    this.child.stderr.resume();
    createInterface(this.child.stdout).on('line', (line) => {
      const { id, ...answer } = JSON.parse(line) as { id?: unknown };
      this.#answers.get(id)?.(answer);
    });
  }

  line(text: string): void {
    this.child.stdin.write(`${text}\n`);
  }

  async ask(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = `request-${++this.#id}`;
    const answer = new Promise<Record<string, unknown>>((resolve) => this.#answers.set(id, resolve));
    this.line(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return await answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode !== null) return;
    this.child.stdin.end();
    await exited;
  }
}

const RUBBISH = ['no JSON', '[]', '{"jsonrpc":"1.0","id":1}', '""'];
const NO_METHOD = { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' } };
const LIST = expect.arrayContaining([expect.objectContaining({ name: 'browser_navigate' })]);
const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT };

describe('on the wire', () => {
  it('server/discover opens the revision of 2026-07-28, in which each request says so [arch-era-01]', async () => {
    await using directory = await temporaryDirectory();
    await using wire = new Wire(directory.path);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    for (const line of RUBBISH) wire.line(line);
    const later = { ..._meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    expect(await wire.ask('server/discover', { _meta: later })).toMatchObject({
      error: { code: -32022, data: { supported: [MODERN] } },
    });
    expect(await wire.ask('server/discover', { _meta })).toMatchObject({
      result: {
        supportedVersions: [MODERN],
        capabilities: { tools: {} },
        instructions: expect.stringContaining('start_browser'),
        resultType: 'complete',
      },
    });
    for (const line of RUBBISH) wire.line(line);
    expect(await wire.ask('tools/list', { _meta })).toMatchObject({
      result: { tools: LIST, resultType: 'complete', ttlMs: expect.any(Number), cacheScope: 'private' },
    });
    const status = { name: 'browser_pool_status', arguments: {} };
    expect(await wire.ask('tools/call', { _meta, ...status })).toMatchObject({
      result: { resultType: 'complete', structuredContent: { pools: [{ name: 'DEFAULT' }] } },
    });
    expect(await wire.ask('tools/call', status)).toMatchObject({ error: { code: -32602 } });
    expect(await wire.ask('no/such', { _meta })).toEqual(NO_METHOD);
    expect(await wire.ask('ping', { _meta })).toEqual(NO_METHOD);
  });

  it('initialize opens one of 2025, also after a server/discover that says no revision [arch-era-01]', {
    tags: ['at-length'],
  }, async () => {
    await using directory = await temporaryDirectory();
    await using wire = new Wire(directory.path);
    for (const line of RUBBISH) wire.line(line);
    expect(await wire.ask('server/discover')).toEqual(NO_METHOD);
    expect(await wire.ask('initialize', INITIALIZE)).toMatchObject({
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'pwpool', icons: [{ mimeType: 'image/svg+xml' }] },
        instructions: expect.stringContaining('start_browser'),
      },
    });
    wire.line('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    for (const line of RUBBISH) wire.line(line);
    expect(await wire.ask('tools/list')).toEqual({ jsonrpc: '2.0', result: { tools: LIST } });
    expect(await wire.ask('ping')).toEqual({ jsonrpc: '2.0', result: {} });
    expect(await wire.ask('no/such')).toEqual(NO_METHOD);
  });

  it('a call that runs when stdin ends is still answered [arch-run-03]', {
    tags: ['at-length'],
  }, async () => {
    await using site = await startSite();
    await using directory = await temporaryDirectory();
    await using wire = new Wire(directory.path);
    await wire.ask('initialize', INITIALIZE);
    wire.line('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    const url = `${site.origin}/held/last`;
    const running = wire.ask('tools/call', { name: 'browser_navigate', arguments: { url } });
    await expect.poll(() => site.requests).toContain('/held/last');
    wire.child.stdin.end();
    site.release();
    expect(JSON.stringify(await running)).toContain('Page Title: last');
  });
});
