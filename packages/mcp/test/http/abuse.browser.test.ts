// @module-tag at-length
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { connectNew, connectOld } from './fixtures/clients.js';
import { startFakeHttpServer } from './fixtures/fake-http-server.js';
import { initialize, modern, send } from './fixtures/raw.js';

function open(address: string): Socket {
  const { hostname, port } = new URL(address);
  return connect(Number(port), hostname).on('error', () => {});
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.resume().once('close', resolve));
}

it('1,000 connections that say nothing, or half a word, are dropped while others work', async () => {
  const { address } = await startFakeHttpServer();
  await using old = await connectOld(address);
  const idle = Array.from({ length: 1_000 }, () => open(address));
  for (const [index, socket] of idle.entries()) if (index % 2) socket.write('POST /mcp HTTP/1.1\r\nHos');
  await using modernClient = await connectNew(address);
  for (const client of [old, modernClient])
    expect(await client.text('browser_pool_status')).toContain('DEFAULT');
  await Promise.all(idle.map(closed));
  for (const client of [old, modernClient])
    expect(await client.text('browser_pool_status')).toContain('DEFAULT');
});

it('a body that comes byte by byte is given up', async () => {
  const { address } = await startFakeHttpServer();
  const socket = open(address);
  const { host } = new URL(address);
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
  );
  const drip = setInterval(() => socket.write(' '), 500);
  await closed(socket);
  clearInterval(drip);
  expect((await send(address, modern('tools/list'))).status).toBe(200);
});

it('who never reads its answers is dropped, and others work meanwhile', async () => {
  const { address, server } = await startFakeHttpServer();
  const session = await initialize(address);
  await using other = await connectNew(address);
  const socket = open(address);
  socket.pause();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const head = [
    'POST /mcp HTTP/1.1',
    `Host: ${new URL(address).host}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Mcp-Session-Id: ${session['mcp-session-id']}`,
    `Content-Length: ${body.length}`,
  ].join('\r\n');
  for (let n = 0; n < 400; n++) socket.write(`${head}\r\n\r\n${body}`);
  expect(await other.text('browser_pool_status')).toContain('DEFAULT');
  // A socket that does not read learns by writing that the other end is gone.
  const drip = setInterval(() => socket.write('\r\n'), 1_000);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(drip);
  expect(await other.text('browser_pool_status')).toContain('DEFAULT');
  expect(server.pool.sessions.all()).toEqual([]);
});

it('2,000 clients of the old era that leave without a word leave room for new ones', {
  timeout: 600_000,
}, async () => {
  const { address } = await startFakeHttpServer();
  await using working = await connectOld(address);
  await working.text('browser_snapshot');
  for (let n = 0; n < 2_000; n += 20)
    await Promise.all(Array.from({ length: 20 }, () => initialize(address)));
  expect(await working.text('browser_snapshot')).toContain('DEFAULT/0');
  await using another = await connectOld(address);
  expect(await another.text('browser_snapshot')).toContain('DEFAULT/1');
});
