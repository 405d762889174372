import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { chromium } from 'playwright';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { AttachedBrowserDriver } from '../../src/driver/attached/attached-browser-driver.js';
import {
  errorOf,
  executablePath,
  freePorts,
  instanceOf,
  listen,
  temporaryDirectory,
} from './fixtures/browsers.js';

const SECRETS = /s3cret|us3r|passw0rd/;

async function start(endpoint: string, startTimeout: number, signal = new AbortController().signal) {
  const driver = new AttachedBrowserDriver({ clock: systemClock, outputDir: await temporaryDirectory() });
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
      'no answer within 270 ms',
      'no answer within 270 ms',
    ],
    ['one that hangs up', () => createServer((socket) => void socket.destroy()), 'closed', 'closed'],
    [
      'a web site',
      () => answering('200 OK', '<h1>s3cret</h1>'),
      'what answers is no browser (HTTP status 200)',
      'what answers is no browser',
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
      const error = await errorOf(start(endpoint, reason.includes('270 ms') ? 300 : 20_000));
      expect(error.code).toBe('BROWSER_NOT_READY');
      expect(error.message).toContain(`The browser at ${label}`);
      expect(error.message).toContain(reason);
      expect(error.hint).toBeTruthy();
      expect(`${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(SECRETS);
    }
  });
});

it('what comes up after its start was given up is disconnected', async () => {
  const server = await chromium.launchServer({ executablePath, host: '127.0.0.1' });
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
  const controller = new AbortController();
  const error = errorOf(start(endpoint.href, 20_000, controller.signal));
  await expect.poll(() => through.length).toBe(1);
  controller.abort();
  expect((await error).code).toBe('CANCELLED');
  through[0]?.();
  await expect.poll(() => sockets.size).toBe(0);
});
