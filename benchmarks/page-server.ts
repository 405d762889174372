import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Pages on loopback: a small one with its number as its title at `<url>/7`, one with a button that does nothing at
 * `<url>/small/…`, one of 2,000 links at `<url>/links/…`.
 */
export interface PageServer extends AsyncDisposable {
  readonly url: string;
}

const LINKS = Array.from({ length: 2_000 }, (_, index) => `<a href="/${index}">Link ${index}</a>`).join('\n');

export async function startPageServer(): Promise<PageServer> {
  const server = createServer((request, response) => {
    const title = (request.url ?? '/').slice(1);
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>${title}</title><h1>Page ${title}</h1>${contentOf(title)}`);
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

function contentOf(title: string): string {
  if (title.startsWith('small/')) return '<button>Nothing happens</button>';
  if (title.startsWith('links/')) return LINKS;
  return `<p>${'Text of the page. '.repeat(50)}</p>`;
}
