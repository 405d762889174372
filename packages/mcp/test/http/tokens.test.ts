import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashToken } from '@pwpool/core/internal';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../fixtures/stdio-server.js';
import { connectNew, connectOld, ERAS, startSession } from './fixtures/clients.js';
import { startFakeHttpServer } from './fixtures/fake-http-server.js';
import { INITIALIZE, initialize, modern, send } from './fixtures/raw.js';

const TOKENS = { ada: 'token-of-ada', bob: 'token-of-bob', root: 'token-of-root' };

async function startWithTokens() {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'tokens.json');
  const tokens = Object.entries(TOKENS).map(([name, token]) => ({
    name,
    sha256: hashToken(token).toString('hex'),
    admin: name === 'root',
  }));
  await writeFile(file, JSON.stringify({ tokens }), { mode: 0o600 });
  return await startFakeHttpServer({ httpTokensFile: file });
}

it('without a good token nobody is let in, and nobody is sent to look for an OAuth server', async () => {
  const { address, origin } = await startWithTokens();
  const wrong = [
    undefined,
    'Bearer',
    'Bearer wrong',
    `Basic ${TOKENS.ada}`,
    `Bearer ${TOKENS.ada}x`,
    `Bearer ${TOKENS.ada} x`,
  ];
  for (const authorization of wrong) {
    const headers = authorization === undefined ? {} : { authorization };
    for (const request of [
      { headers, body: INITIALIZE },
      { ...modern('tools/list'), ...{ headers } },
    ]) {
      const { status, headers: answered } = await send(address, request);
      expect([status, answered['www-authenticate']], authorization).toEqual([401, 'Bearer']);
    }
  }
  expect((await send(`${origin}/.well-known/oauth-protected-resource`, { method: 'GET' })).status).toBe(404);
  expect((await send(`${origin}/healthz`, { method: 'GET' })).status).toBe(200);
});

it.each(ERAS)('a client of %s with a token works', async (_, connect) => {
  const { address } = await startWithTokens();
  await using client = await connect(address, TOKENS.ada);
  const sessionId = await startSession(client, 'mine');
  expect(await client.text('browser_snapshot', { sessionId })).toContain('DEFAULT/0');
});

it('in the new era a session belongs to the principal, over all its connections, and to no other', async () => {
  const { address } = await startWithTokens();
  await using first = await connectNew(address, TOKENS.ada);
  expect(await startSession(first, 'mine')).toBe('mine');
  await using second = await connectNew(address, TOKENS.ada);
  expect(await second.text('browser_snapshot', { sessionId: 'mine' })).toContain('DEFAULT/0');
  expect(await second.text('list_sessions')).toContain('"mine"');
  // Nothing tells windows of one principal apart: a call that names no session reaches none of them.
  expect(await second.text('browser_snapshot')).toContain('a browser for itself alone');
  await using other = await connectNew(address, TOKENS.bob);
  expect((await other.call('browser_snapshot', { sessionId: 'mine' })).isError).toBe(true);
});

it('the Mcp-Session-Id of one principal is nothing with the token of another', async () => {
  const { address } = await startWithTokens();
  const headers = { authorization: `Bearer ${TOKENS.ada}` };
  const { headers: answered } = await send(address, { headers, body: INITIALIZE });
  const session = { 'mcp-session-id': String(answered['mcp-session-id']) };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  expect((await send(address, { headers: { ...headers, ...session }, body: list })).status).toBe(200);
  const stolen = { authorization: `Bearer ${TOKENS.bob}`, ...session };
  for (const method of ['POST', 'GET', 'DELETE']) {
    const body = method === 'POST' ? list : undefined;
    expect((await send(address, { method, headers: stolen, body })).status, method).toBe(404);
  }
  await using again = await connectOld(address, TOKENS.ada);
  expect(await again.listTools()).not.toEqual([]);
  expect((await initialize(address))['mcp-session-id']).toBe('undefined');
});

it('an administrator operates the server at /admin, and nobody else', async () => {
  const { origin } = await startWithTokens();
  const ask = (path: string, token?: string, method = 'GET') =>
    send(`${origin}/admin/${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
  expect(JSON.parse((await ask('status', TOKENS.root)).body)).toMatchObject({ pools: [{ name: 'DEFAULT' }] });
  const logs = await ask('logs', TOKENS.root, 'POST');
  expect(logs.body.trim().split('\n').at(-1)).toBe('{"result":{}}');
  expect((await ask('no-such', TOKENS.root)).status).toBe(404);
  expect((await ask('status', TOKENS.ada)).status).toBe(403);
  expect((await ask('stop', TOKENS.bob, 'POST')).status).toBe(403);
  expect((await ask('status')).status).toBe(401);
  const { origin: open } = await startFakeHttpServer();
  expect((await send(`${open}/admin/status`, { method: 'GET' })).status).toBe(404);
});
