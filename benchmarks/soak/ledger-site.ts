import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A site that knows whose browser asks. `/of/<user>` gives the browser a cookie with that name at its first visit; a
 * browser that bears another user's cookie has been in two hands.
 */
export class LedgerSite implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    const user = /^\/of\/(.+)$/.exec(request.url ?? '')?.[1];
    if (user === undefined) {
      response.statusCode = 404;
      response.end();
      return;
    }
    const owner = /user=([^;]*)/.exec(request.headers.cookie ?? '')?.[1];
    this.visits += 1;
    if (owner !== undefined && owner !== user) this.mixUps.push(`${user} came with the browser of ${owner}`);
    response.setHeader('set-cookie', `user=${user}; Path=/`);
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${user}</title><button>${user}</button>`);
  });
  visits = 0;
  readonly mixUps: string[] = [];

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
