import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site on loopback that knows its users by an HttpOnly cookie. Disposing closes it at once. */
export interface LoginSite extends AsyncDisposable {
  readonly origin: string;
}

/**
 * - `/login/USER`: logs in with a new HttpOnly cookie, and keeps `cart of USER` in localStorage
 * - `/account/…`: a page of a shop, the same for everyone, which stores nothing
 * - `/user`: the name behind the cookie
 */
export async function startLoginSite(): Promise<LoginSite> {
  const users = new Map<string, string>();
  const server = createServer((request, response) => {
    const [, place, user = ''] = (request.url ?? '').split('/');
    response.setHeader('content-type', 'text/html');
    if (place === 'login') {
      const id = randomUUID();
      users.set(id, user);
      response.setHeader('set-cookie', `sid=${id}; HttpOnly; SameSite=Lax; Path=/`);
      response.end(
        `<!doctype html><title>Welcome</title><script>localStorage.cart = 'cart of ${user}'</script>`,
      );
    } else if (place === 'account') {
      response.end(`<!doctype html><title>Account</title><h1>Account</h1>${ORDERS}`);
    } else if (place === 'user') {
      const id = /sid=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
      response.end(users.get(id) ?? 'nobody');
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const ORDERS = Array.from(
  { length: 100 },
  (_, order) => `<p>Order ${order} <a href="/account/">Open</a></p>`,
).join('');
