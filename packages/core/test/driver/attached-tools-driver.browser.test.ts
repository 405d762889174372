// @module-tag at-length
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import type { BrowserHandle } from '../../src/driver/browser-driver.js';
import { AttachedToolsDriver } from '../../src/driver/tool-server/attached-tools-driver.js';
import type { PwpoolError } from '../../src/errors.js';
import {
  refuse,
  serve,
  sseHandler,
  streamableHandler,
  toolCalls,
} from '../connection/fixtures/http-tool-server.js';
import { servePlaywrightMcp } from '../connection/fixtures/playwright-mcp.js';
import { descendantsOf, isRunning } from '../connection/fixtures/processes.js';
import { freePorts } from './fixtures/browsers.js';
import { caller, instanceConfig, temporaryDirectory, warningsOfManyCalls } from './process-driver-fixture.js';

type Settings = Parameters<typeof instanceConfig>[0];

const driver = new AttachedToolsDriver({ clock: systemClock });
const noSignal = () => new AbortController().signal;

async function attach(endpoint: string, settings: Settings = {}): Promise<BrowserHandle> {
  const browser = await driver.start(instanceConfig({ endpoint, ...settings }), noSignal());
  onTestFinished(() => browser[Symbol.asyncDispose]());
  return browser;
}

async function refusalOf(endpoint: string, settings: Settings = {}): Promise<PwpoolError> {
  return await attach(endpoint, settings).then(
    () => {
      throw new Error('The endpoint was attached.');
    },
    (error: PwpoolError) => error,
  );
}

const page = (title: string) => ({ url: `data:text/html,<title>${title}</title>` });

it.each([
  ['Streamable HTTP', 'mcp+', '/mcp'],
  ['SSE', 'sse+', '/sse'],
])(
  '[arch-driver-08] serves the tools of a remote playwright-mcp over %s, a session for each instance, and never ends it',
  async (_, prefix, path) => {
    const server = await servePlaywrightMcp(await temporaryDirectory());
    const { port } = new URL(server.origin);
    let again: typeof server | undefined;
    try {
      const endpoint = prefix + server.origin + path;
      const [one, other] = await Promise.all([attach(endpoint), attach(endpoint)]);
      expect(one).toMatchObject({ owned: false, processId: null, sharedBy: 1, context: undefined });
      await Promise.all([
        caller(one)('browser_navigate', page('one')),
        caller(other)('browser_navigate', page('other')),
      ]);
      expect(await caller(one)('browser_tabs', { action: 'list' })).toContain('[one]');
      expect(await caller(other)('browser_tabs', { action: 'list' })).toContain('[other]');

      await using silent = await serve(async () => undefined);
      const given = new AbortController();
      const endless = one.callTool('browser_navigate', { url: silent.url }, given.signal).catch(() => {});
      await silent.reached;
      given.abort();
      await endless;
      await one.unblock();
      await one.reset(noSignal());
      expect(await caller(one)('browser_tabs', { action: 'list' })).toContain('about:blank');
      await one.inspect();

      await other[Symbol.asyncDispose]();
      expect(other.lost.aborted).toBe(false);
      expect(isRunning(server.pid)).toBe(true);
      await one.ping();

      const browsers = descendantsOf(server.pid);
      await server.kill();
      await expect.poll(() => one.lost.aborted).toBe(true);
      expect(one.lost.reason).toMatchObject({
        code: 'INSTANCE_CRASHED',
        message: expect.stringContaining(
          `The tool server ${endpoint} of instance '0' of pool 'WEB' is lost: `,
        ),
      });
      await expect(one.ping()).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
      await expect.poll(() => browsers.filter(isRunning)).toEqual([]);

      again = await servePlaywrightMcp(await temporaryDirectory(), Number(port));
      await (await attach(endpoint)).ping();
    } finally {
      await server.kill();
      await again?.kill();
    }
  },
);

it('a server that forgets the session is lost at the next ping', async () => {
  const { handle, sessions } = streamableHandler(toolCalls());
  await using server = await serve(handle);
  const browser = await attach(`mcp+${server.url}`, { reset: 'never' });
  sessions.clear();
  await expect(browser.ping()).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
  expect(browser.lost.reason).toMatchObject({ message: expect.stringContaining('is lost: HTTP 404') });
});

it('sends ENDPOINT_HEADERS and the user of the address, and names neither when the server refuses', async () => {
  const seen: (string | undefined)[] = [];
  await using server = await serve(async (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401).end(`${request.headers.authorization} ${request.url}`);
  });
  const address = new URL(`${server.url}?key=of-the-door`);
  const endpointHeaders = '{"Authorization":"Bearer s3cr3t-token"}';
  const refused = [
    await refusalOf(`mcp+${address}`, { endpointHeaders }),
    await refusalOf(`sse+${address}`, { endpointHeaders }),
  ];
  address.username = 'somebody';
  address.password = 'p4ssword';
  refused.push(await refusalOf(`mcp+${address}`));
  expect(seen).toContain('Bearer s3cr3t-token');
  expect(seen.at(-1)).toBe(`Basic ${Buffer.from('somebody:p4ssword').toString('base64')}`);
  for (const error of refused) {
    expect(error).toMatchObject({
      code: 'BROWSER_NOT_READY',
      hint: expect.stringContaining('ENDPOINT_HEADERS'),
    });
    expect(error.message).toMatch(/^No tools from (mcp|sse)\+http:\/\/127.0.0.1:\d+\/mcp: HTTP 401\.$/);
    expect(JSON.stringify(error)).not.toMatch(/s3cr3t|p4ssword|somebody|of-the-door|Basic/);
  }
});

it('what a server says of itself is told without the secrets, in whatever form', async () => {
  await using server = await serve(async (_, response) => {
    const error = { code: -32000, message: 'no s3cret for p@ssw0rd of somebody' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, error }));
  });
  const endpoint = `mcp+http://somebody:p%40ssw0rd@127.0.0.1:${server.port}/mcp`;
  const error = await refusalOf(endpoint, { endpointHeaders: '{"X-Token":"Token s3cret"}' });
  expect(error.message).toContain('no *** for *** of ***');
});

it('an endpoint that refuses, is silent or speaks something else fails within START_TIMEOUT, with the reason', async () => {
  expect(await refusalOf(`mcp+http://127.0.0.1:${await freePorts()}/mcp`)).toMatchObject({
    code: 'BROWSER_NOT_READY',
    message: expect.stringContaining('ECONNREFUSED'),
    hint: expect.stringContaining('Check that an MCP server runs at ENDPOINT'),
  });

  const deaf = createServer();
  deaf.listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  const silent = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}/mcp`;
  try {
    for (const prefix of ['mcp+', 'sse+']) {
      expect(await refusalOf(prefix + silent, { startTimeout: 1_000 })).toMatchObject({
        code: 'BROWSER_NOT_READY',
        message: expect.stringContaining('gave no MCP answer within 850 ms'),
      });
    }
  } finally {
    deaf.close();
  }

  await using web = await serve(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  });
  for (const prefix of ['mcp+', 'sse+']) {
    const error = await refusalOf(prefix + web.url);
    expect(error.code).toBe('BROWSER_NOT_READY');
    expect(error.message).toMatch(/content type/i);
  }

  await using older = await serve(sseHandler(toolCalls()).handle);
  expect(await refusalOf(`mcp+${older.url}`)).toMatchObject({
    message: expect.stringContaining('HTTP 405'),
    hint: expect.stringContaining('sse+http://'),
  });
  await using lost = await serve(async (_, response) => refuse(response, 404));
  expect(await refusalOf(`sse+${lost.url}`)).toMatchObject({
    message: expect.stringContaining('HTTP 404'),
    hint: expect.stringContaining('mcp+http://'),
  });
});

it('a start that is given up settles when its session with the server is ended', async () => {
  const { handle, sessions } = streamableHandler(toolCalls());
  let posts = 0;
  await using server = await serve(async (request, response) => {
    // Connected, it says hello, and gets no answer when it asks for the tools.
    if (request.method === 'POST' && ++posts > 2) return;
    await handle(request, response);
  });
  const unwanted = new AbortController();
  const starting = driver.start(instanceConfig({ endpoint: `mcp+${server.url}` }), unwanted.signal);
  const failed = starting.catch((error) => error);
  await expect.poll(() => posts).toBe(3);
  unwanted.abort();
  expect(await failed).toMatchObject({ code: 'CANCELLED' });
  expect(sessions.size).toBe(0);
});

it('a dozen calls at once make Node warn of nothing', async () => {
  await using server = await serve(streamableHandler(toolCalls()).handle);
  expect(await warningsOfManyCalls({ endpoint: `mcp+${server.url}`, reset: 'never' }, 'read')).toEqual([]);
});

it('a server that cannot be reset is refused unless RESET=never', async () => {
  await using server = await serve(streamableHandler(toolCalls()).handle);
  expect(await refusalOf(`mcp+${server.url}`)).toMatchObject({
    code: 'BROWSER_NOT_READY',
    message: expect.stringContaining('has no tool browser_close'),
    hint: expect.stringContaining('RESET=never'),
  });
  const browser = await attach(`mcp+${server.url}`, { reset: 'never' });
  expect(await caller(browser)('read')).toBe('read');
});
