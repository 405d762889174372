import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { exchange } from '../../src/http/exchange.js';

it('a stream whose reader has left ends at once, also when there is nothing to write on it', async () => {
  let hasEnded = false;
  const cancel = () => {
    hasEnded = true;
  };
  const headers = { 'content-type': 'text/event-stream' };
  const answer = new Response(new ReadableStream({ cancel }), { headers });
  await using server = createServer((request, response) => {
    void exchange(request, response, undefined, async () => answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const left = new AbortController();
  const { port } = server.address() as AddressInfo;
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { signal: left.signal });
  expect(status).toBe(200);
  left.abort();
  await expect.poll(() => hasEnded).toBe(true);
});
