import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site that remembers what it told browsers, and answers so that it shows what they remember of it. */
export interface StateSite extends AsyncDisposable {
  readonly url: string;
  /** The same site by another name: another origin. */
  readonly otherUrl: string;
}

const SHARED_WORKER = `
  let visits = 0;
  onconnect = ({ ports: [port] }) => port.postMessage(++visits);`;

export async function startStateSite(): Promise<StateSite> {
  let answers = 0;
  let sockets = new WeakSet<object>();
  let old = new WeakSet<object>();
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    '/': (_, response) => response.setHeader('content-type', 'text/html').end('<title>site</title>'),
    '/cookie': (_, response) => response.setHeader('set-cookie', 'id=7; HttpOnly').end(),
    '/headers': ({ headers }, response) => response.end(JSON.stringify(headers)),
    '/cached': (_, response) =>
      response.setHeader('cache-control', 'max-age=3600').end(`answer ${++answers}`),
    '/etag': ({ headers }, response) =>
      response
        .setHeader('etag', '"one"')
        .setHeader('cache-control', 'no-cache')
        .end(headers['if-none-match'] ?? 'never seen'),
    '/moved': (_, response) =>
      response.writeHead(301, { location: '/', 'cache-control': 'max-age=3600' }).end(),
    // Whoever is not asked tells only what the browser tells by itself.
    '/secret': ({ headers, url }, response) => {
      const isKnown = headers.authorization !== undefined;
      if (!isKnown && url?.includes('challenge'))
        response.writeHead(401, { 'www-authenticate': 'Basic realm="site"' });
      response.end(isKnown ? 'welcome' : 'who are you?');
    },
    '/hints': (_, response) =>
      response
        .setHeader('accept-ch', 'Sec-CH-UA-Arch')
        .setHeader('content-type', 'text/html')
        .end('<title>hints</title>'),
    '/socket': ({ socket, url }, response) => {
      if (url?.includes('remember')) [old, sockets] = [sockets, new WeakSet()];
      response.end(old.has(socket) ? 'old' : 'new');
    },
    '/service-worker.js': (_, response) => script(response, 'onfetch = () => {}'),
    '/shared-worker.js': (_, response) => script(response, SHARED_WORKER),
    '/preflighted': ({ method }, response) => {
      if (method === 'OPTIONS') answers += 1;
      response
        .setHeader('access-control-allow-origin', '*')
        .setHeader('access-control-allow-headers', 'x-own')
        .setHeader('access-control-max-age', '3600')
        .end(`preflight ${answers}`);
    },
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const answer = routes[pathname];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    otherUrl: `http://localhost:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function script(response: ServerResponse, source: string): void {
  response.setHeader('content-type', 'text/javascript').end(source);
}
