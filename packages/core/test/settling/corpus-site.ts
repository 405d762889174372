import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import type { Duplex } from 'node:stream';
import { PRELUDE } from './prelude.js';
import type { Row } from './row.js';

const TYPES: Readonly<Record<string, string>> = {
  '': 'text/plain',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.pdf': 'application/pdf',
  '.bin': 'application/octet-stream',
};

/** The pages of a corpus on loopback, each in the folder of its row. */
export interface CorpusSite extends AsyncDisposable {
  /** The address of a row's page. */
  addressOf(row: Row): string;
}

/**
 * Any address takes parameters: `after=400` answers so many milliseconds late; `body=600` sends the headers at once and
 * the body late; `chunks=3` sends the body in as many parts, one each 100 ms; `events=100` is an endless stream with an
 * event in so many milliseconds; `to=…` redirects; `status=404`; `never` answers not at all; `lost` cuts the connection.
 * A WebSocket gets what it sends back after `after`, and a message each `events`.
 */
export async function startCorpusSite(rows: readonly Row[]): Promise<CorpusSite> {
  const timers = new Set<NodeJS.Timeout>();
  const sockets = new Set<Duplex>();
  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };
  const every = (ms: number, until: Duplex | ServerResponse, work: () => void) => {
    const timer = setInterval(work, ms);
    timers.add(timer);
    until.once('close', () => {
      clearInterval(timer);
      timers.delete(timer);
    });
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams: wanted } = new URL(request.url ?? '/', 'http://site');
    const [, folder, file = ''] = pathname.split('/');
    const row = rows[Number(folder)];
    if (wanted.has('never')) return;
    if (wanted.has('lost')) return void request.socket.destroy();
    request.resume();
    later(Number(wanted.get('after') ?? 0), () => {
      const body = file === '' && row ? pageOf(row) : (row?.files?.[file] ?? 'done');
      const to = wanted.get('to');
      const status = Number(wanted.get('status') ?? (to === null ? 200 : 302));
      response.writeHead(row ? status : 204, {
        'content-type': wanted.has('events')
          ? 'text/event-stream'
          : (TYPES[extname(file || 'index.html')] ?? 'text/plain'),
        'access-control-allow-origin': '*',
        'access-control-allow-headers': '*',
        'cache-control': 'no-store',
        ...(to === null ? {} : { location: to }),
        ...row?.headers,
      });
      answer(response, body, wanted);
    });
  });

  function answer(response: ServerResponse, body: string | Buffer, wanted: URLSearchParams): void {
    const events = Number(wanted.get('events'));
    if (events > 0) {
      response.write('data: hello\n\n');
      every(events, response, () => response.write('data: beat\n\n'));
      return;
    }
    const parts = Number(wanted.get('chunks') ?? 1);
    const size = Math.ceil(body.length / parts);
    for (let part = 1; part < parts; part++) {
      later(part * 100, () => response.write(body.slice((part - 1) * size, part * size)));
    }
    if (wanted.has('body')) response.flushHeaders();
    later(Number(wanted.get('body') ?? (parts - 1) * 100 + 50 * Number(parts > 1)), () =>
      response.end(body.slice((parts - 1) * size)),
    );
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const { searchParams: wanted } = new URL(request.url ?? '/', 'http://site');
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('end', () => socket.end());
    socket.once('close', () => sockets.delete(socket));
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const send = (text: string) => {
      if (socket.writable) socket.write(Buffer.from([0x81, text.length, ...Buffer.from(text)]));
    };
    socket.on('data', () => later(Number(wanted.get('after') ?? 0), () => send('done')));
    if (wanted.has('events')) every(Number(wanted.get('events')), socket, () => send('beat'));
  });

  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    addressOf: (row) => `http://127.0.0.1:${port}/${rows.indexOf(row)}/`,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      server.close();
      server.closeAllConnections();
      // Connections that were upgraded are nobody's.
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Neither title nor address tell of the row: what its state tells comes from the page. */
function pageOf({ html = '', script = '' }: Row): string {
  return `<!doctype html><html lang="en"><head><title>page</title><link rel="icon" href="data:,"></head><body>
    <button id="go">Go</button>${html}<div id="out"></div><script>${PRELUDE}${script}</script></body></html>`;
}
