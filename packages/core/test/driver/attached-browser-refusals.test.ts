import { createHash } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { AttachedBrowserDriver } from '../../src/driver/attached/attached-browser-driver.js';
import { browserType } from '../../src/driver/launch/engine.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { errorOf } from '../pool/pool-fixture.js';
import { executablePath, freePorts, instanceOf, listen, temporaryDirectory } from './fixtures/browsers.js';

const SECRETS = /s3cret|us3r|passw0rd/;

async function start(
  endpoint: string,
  startTimeout: number,
  options: { signal?: AbortSignal; clock?: Clock } = {},
) {
  const { signal = new AbortController().signal, clock = systemClock } = options;
  const driver = new AttachedBrowserDriver({ clock, outputDir: await temporaryDirectory() });
  const endpointHeaders = JSON.stringify({ Authorization: 'Bearer s3cret' });
  return driver.start(instanceOf({ endpoint, endpointHeaders, startTimeout }), signal);
}

/** Speaks HTTP, and answers plain requests and those for a WebSocket with the same. */
function answering(status: string, body: string) {
  const answer = `HTTP/1.1 ${status}\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n${body}`;
  const server = createHttpServer((request) => void request.socket.end(answer));
  return server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => void socket.end(answer));
}

const VERSIONS = 'Playwright version mismatch:\n  - server version: v1.40\n  - client version: v1.65\n';

describe('what is no browser is refused in words, without the secrets of address and headers', () => {
  it.each([
    ['nothing', undefined, 'refused', 'refused'],
    [
      'a server that never answers',
      () => createServer(),
      'no answer within 255 ms',
      'no answer within 255 ms',
    ],
    ['one that hangs up', () => createServer((socket) => void socket.destroy()), 'closed', 'closed'],
    [
      'a web site',
      () => answering('200 OK', '<h1>s3cret</h1>'),
      'what answers is not a browser (HTTP status 200)',
      'what answers is not a browser',
    ],
    [
      'one that asks for a login',
      () => answering('401 Unauthorized', 'no s3cret for us3r'),
      'access was refused (HTTP status 401)',
      'access was refused (HTTP status 401)',
    ],
    [
      'a Playwright server of another version',
      () => answering('428 Precondition Required', VERSIONS),
      'its Playwright is version 1.40, and pwpool has 1.65',
      'of another version (HTTP status 428)',
    ],
  ])('%s', async (_what, serverOf, overPlaywright, overCdp) => {
    const port = serverOf ? await listen(serverOf()) : await freePorts();
    const place = `127.0.0.1:${port}`;
    for (const [endpoint, reason, label] of [
      [`ws://us3r:passw0rd@${place}/?token=s3cret`, overPlaywright, `ws://${place}/`],
      [
        `ws://us3r:passw0rd@${place}/devtools/browser/1?token=s3cret`,
        overPlaywright,
        `ws://${place}/devtools`,
      ],
      [`http://us3r:passw0rd@${place}/?token=s3cret`, overCdp, `http://${place}/`],
    ] as const) {
      const error = await errorOf(start(endpoint, reason.includes('255 ms') ? 300 : 20_000));
      expect(error.code).toBe('BROWSER_NOT_READY');
      expect(error.message).toContain(`The browser at ${label}`);
      expect(error.message).toContain(reason);
      expect(error.hint).toBeTruthy();
      expect(`${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(SECRETS);
    }
  });
});

/** Takes a WebSocket, and closes it with the code 4001 and that reason (RFC 6455). */
function closingWith(reason: string) {
  return createHttpServer().on('upgrade', ({ headers }: IncomingMessage, socket: Duplex) => {
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accepted = createHash('sha1').update(key).digest('base64');
    const upgraded = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade';
    socket.write(`${upgraded}\r\nsec-websocket-accept: ${accepted}\r\n\r\n`);
    const payload = Buffer.concat([Buffer.from([4001 >> 8, 4001 & 255]), Buffer.from(reason)]);
    socket.end(Buffer.concat([Buffer.from([0x88, payload.length]), payload]));
  });
}

it('what a server says when it closes is told without the secrets, in whatever form', async () => {
  const login = Buffer.from('us3r:p@ssw0rd').toString('base64');
  const port = await listen(closingWith(`bad token s3cret, no us3r with p@ssw0rd or ${login}`));
  const error = await errorOf(start(`ws://us3r:p%40ssw0rd@127.0.0.1:${port}/`, 20_000));
  expect(error.message).toContain('bad token ***, no *** with *** or ***');
  expect(JSON.stringify(error)).not.toMatch(/s3cret|us3r|ssw0rd/);
});

it('what comes up after its start was given up is disconnected, for which the start waits three seconds', async () => {
  const server = await browserType('chromium').launchServer({ executablePath, host: '127.0.0.1' });
  onTestFinished(() => server.close());
  // In between, a port that lets nothing through until it is told to.
  const sockets = new Set<Socket>();
  const through: (() => void)[] = [];
  const gate = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    through.push(() => {
      const target = connect(Number(new URL(server.wsEndpoint()).port), '127.0.0.1');
      socket.pipe(target.on('error', () => {})).pipe(socket);
    });
  });
  const endpoint = new URL(server.wsEndpoint());
  endpoint.port = String(await listen(gate));
  const clock = new FakeClock();
  for (const inTime of [true, false]) {
    const controller = new AbortController();
    const ended = vi.fn();
    const error = errorOf(start(endpoint.href, 20_000, { signal: controller.signal, clock }).finally(ended));
    await expect.poll(() => through.length).toBe(1);
    controller.abort();
    await clock.advance(2_999);
    expect(ended).not.toHaveBeenCalled();
    if (!inTime) await clock.advance(1);
    else through.pop()?.();
    expect((await error).code).toBe('CANCELLED');
    through.pop()?.();
    await expect.poll(() => sockets.size).toBe(0);
  }
});
