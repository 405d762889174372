import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A shop on loopback: `/catalogue` with 2,000 links and 12 buttons, `/order` with a form and a download. */
export interface Shop extends AsyncDisposable {
  readonly origin: string;
}

const GOODS = 2_000;
export const OFFERS = 12;

/** What `/prices.csv` downloads. */
export const PRICES = Array.from({ length: GOODS }, (_, item) => `Item ${item},${item % 97}.90\n`).join('');

const CATALOGUE = `<title>Catalogue</title><h1>Catalogue</h1>
  ${Array.from({ length: GOODS }, (_, item) => `<a href="/item/${item}">Item ${item}</a>`).join(' ')}
  ${Array.from({ length: OFFERS }, (_, offer) => `<button>Buy offer ${offer}</button>`).join('')}`;

const ORDER = `<title>Order</title><h1>Order</h1>
  <form action="/thanks">
    <label>Name <input name="name"></label>
    <label>Street <input name="street"></label>
    <label>Town <input name="town"></label>
    <button>Send order</button>
  </form>
  <a href="/prices.csv" download>Price list</a>`;

export async function startShop(): Promise<Shop> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
    if (pathname === '/prices.csv') {
      response.setHeader('content-disposition', 'attachment; filename="prices.csv"');
      return void response.end(PRICES);
    }
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html>${pageOf(pathname, searchParams)}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function pageOf(path: string, fields: URLSearchParams): string {
  if (path === '/catalogue') return CATALOGUE;
  if (path === '/order') return ORDER;
  if (path !== '/thanks') return `<title>${path}</title><h1>${path}</h1>`;
  const [name, town] = [fields.get('name'), fields.get('town')];
  return `<title>Thanks</title><h1>Thanks, ${name} of ${town}</h1><a href="/catalogue">Go on</a>`;
}
