import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small page on loopback, with its number as its title: `<url>/7`. */
export interface PageServer extends AsyncDisposable {
  readonly url: string;
}

export async function startPageServer(): Promise<PageServer> {
  const server = createServer((request, response) => {
    const title = (request.url ?? '/').slice(1);
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${title}</title><h1>Page ${title}</h1><p>${'Text of the page. '.repeat(50)}</p>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
