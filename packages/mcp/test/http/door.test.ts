import { describe, expect, it } from 'vitest';
import { connectNew, connectOld, MODERN } from './fixtures/clients.js';
import { startFakeHttpServer } from './fixtures/fake-http-server.js';
import { INITIALIZE, initialize, messageIn, modern, send, sendBytes } from './fixtures/raw.js';

const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const STATUS = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'browser_pool_status', arguments: {} },
};

describe('at the door', () => {
  it('a foreign Host or Origin is refused, with the key that lets it in [arch-security-03]', async () => {
    const { address } = await startFakeHttpServer();
    for (const headers of [
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const { status, body } = await send(address, { headers, body: INITIALIZE });
      expect(status).toBe(403);
      expect(JSON.parse(body)).toMatchObject({
        jsonrpc: '2.0',
        error: { message: expect.stringContaining('PW_MCP_PROXY_HTTP_ALLOWED_HOSTS') },
      });
    }
    expect(
      (await send(address, { headers: { origin: 'http://localhost:3000' }, body: INITIALIZE })).status,
    ).toBe(200);
  });

  it('there is nothing but MCP and health; above all no OAuth server', async () => {
    const { origin } = await startFakeHttpServer();
    const paths = [
      '/',
      '/sse',
      '/mcp/..%2f',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/register',
    ];
    for (const path of paths) expect((await send(origin + path, { method: 'GET' })).status, path).toBe(404);
    expect((await send(`${origin}/healthz`, { method: 'GET' })).status).toBe(200);
  });

  it('/readyz says whether the pools can serve', async () => {
    const { origin, driver, server } = await startFakeHttpServer({
      pools: { DEFAULT: { instances: 1, isDefault: true, lazy: false, autoRestart: false } },
    });
    const ready = async () => await send(`${origin}/readyz`, { method: 'GET' });
    await expect.poll(async () => (await ready()).status).toBe(200);
    driver.starting.fail(new Error('no browser'));
    driver.browser('0').crash();
    await expect.poll(async () => (await ready()).status).toBe(503);
    expect(JSON.parse((await ready()).body)).toEqual({
      ready: false,
      pools: [{ pool: 'DEFAULT', ready: false }],
    });
    expect((await send(`${origin}/healthz`, { method: 'GET' })).status).toBe(200);
    await server.drain();
  });
});

describe('bad input has a clear answer, and nobody else notices', () => {
  it('of what is no message', async () => {
    const { address } = await startFakeHttpServer();
    await using old = await connectOld(address);
    await using modernClient = await connectNew(address);
    const session = await initialize(address);
    const cases: [Parameters<typeof send>[1], number, (number | null)?][] = [
      [{ body: 'no JSON' }, 400, -32_700],
      [{ body: '' }, 400, -32_700],
      [{ body: '{"jsonrpc":"2.0","id":1,"method":' }, 400, -32_700],
      [{ body: 'null' }, 400],
      [{ body: '"text"' }, 400],
      [{ body: '[]' }, 400],
      [{ body: { jsonrpc: '1.0', id: 1, method: 'tools/list' } }, 400],
      [{ body: LIST, headers: { 'content-type': 'text/plain' } }, 415],
      [{ body: `"${'x'.repeat(5 * 1024 * 1024)}"` }, 413],
      [{ body: LIST }, 400],
      [{ body: LIST, headers: { 'mcp-session-id': 'forged' } }, 404, -32_001],
      [{ body: LIST, headers: { ...session, accept: 'text/html' } }, 406],
      [{ body: LIST, headers: { ...session, 'mcp-protocol-version': '1999-01-01' } }, 400],
      [{ body: [LIST, INITIALIZE], headers: session }, 400],
      [{ body: Array.from({ length: 500 }, (_, id) => ({ ...LIST, id })), headers: session }, 400],
      [{ method: 'PUT', body: LIST, headers: session }, 405],
      [{ method: 'OPTIONS' }, 405],
      [{ method: 'GET', headers: { 'mcp-session-id': 'forged' } }, 404],
      [{ method: 'DELETE', headers: { 'mcp-session-id': 'forged' } }, 404],
      [{ method: 'DELETE' }, 400],
    ];
    for (const [request, status, code] of cases) {
      const answer = await send(address, request);
      expect([answer.status, request], answer.body).toEqual([status, request]);
      const error = (JSON.parse(answer.body) as { error: { code: number; message: string } }).error;
      expect(error.message).not.toBe('');
      if (code !== undefined) expect(error.code).toBe(code);
    }
    expect(await old.text('browser_pool_status')).toContain('DEFAULT');
    expect(await modernClient.text('browser_pool_status')).toContain('DEFAULT');
  });

  it('of a request of the new era whose headers and body disagree', async () => {
    const { address } = await startFakeHttpServer();
    const { headers, body } = modern('tools/list');
    const later = modern('tools/list', {}, '2099-01-01');
    const cases: [Parameters<typeof send>[1], number, number][] = [
      [{ headers: { ...headers, 'mcp-method': 'tools/call' }, body }, 400, -32_020],
      [{ headers: { ...headers, 'mcp-protocol-version': '2025-06-18' }, body }, 400, -32_020],
      [{ headers: { 'mcp-method': 'tools/list' }, body }, 400, -32_020],
      [later, 400, -32_022],
      [{ headers, body: [body] }, 400, -32_600],
      [{ headers, body: LIST }, 400, -32_602],
      [modern('no/such'), 404, -32_601],
    ];
    for (const [request, status, code] of cases) {
      const answer = await send(address, request);
      expect([answer.status, messageIn(answer)]).toMatchObject([status, { error: { code } }]);
    }
    expect(messageIn(await send(address, { headers, body }))).toMatchObject({
      result: { resultType: 'complete' },
    });
  });

  it('of half a message, of headers that are too large, and of no HTTP', async () => {
    const { address, lines } = await startFakeHttpServer();
    const { host } = new URL(address);
    const begun = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
    expect(await sendBytes(address, `${begun}Content-Length: 100\r\n\r\n{"jsonrpc"`, true)).not.toContain(
      '200',
    );
    expect(await sendBytes(address, `${begun}X: ${'x'.repeat(20_000)}\r\n\r\n`)).toContain('431');
    expect(await sendBytes(address, 'no HTTP at all\r\n\r\n')).toContain('400');
    expect((await send(address, { body: INITIALIZE })).status).toBe(200);
    expect(lines).toEqual([]);
  });

  it('of a batch in the old era: each of its requests is answered', async () => {
    const { address } = await startFakeHttpServer();
    const headers = await initialize(address);
    const { status, body } = await send(address, { headers, body: [LIST, { ...STATUS, id: 8 }] });
    expect(status).toBe(200);
    expect(body).toContain('"id":7');
    expect(body).toContain('"id":8');
  });
});

describe('ending', () => {
  it('running calls end, new ones are told when to come again, nobody new is let in [arch-run-03]', async () => {
    const { server, address, origin, driver } = await startFakeHttpServer();
    await using old = await connectOld(address);
    await using modernClient = await connectNew(address);
    await old.text('browser_snapshot');
    driver.browser('0').calling.hold();
    const running = old.text('browser_snapshot');
    await expect.poll(() => driver.calls.length).toBe(2);
    const drained = server.drain();
    for (const client of [old, modernClient]) {
      expect(await client.call('browser_pool_status')).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'SHUTTING_DOWN', details: { retryAfterMs: 5_000 } } },
      });
    }
    const refused = await send(address, { body: INITIALIZE });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(refused.body).toContain('SHUTTING_DOWN');
    expect((await send(`${origin}/readyz`, { method: 'GET' })).status).toBe(503);
    driver.releaseAll();
    expect(await running).toContain('browser_snapshot on DEFAULT/0');
    await drained;
  });
});

it(`says ${MODERN} in its list of versions, and what it is`, async () => {
  const { address } = await startFakeHttpServer();
  expect(messageIn(await send(address, modern('server/discover')))).toMatchObject({
    result: { supportedVersions: [MODERN], instructions: expect.stringContaining('start_browser first') },
  });
});
