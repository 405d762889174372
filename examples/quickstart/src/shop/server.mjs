import { once } from 'node:events';
import { createServer } from 'node:http';
import { findProduct } from './catalogue.mjs';
import { cartPage, cataloguePage, loginPage, messagePage, receiptPage } from './pages.mjs';
import { cartContents, ShopStore } from './store.mjs';
import { style } from './style.mjs';

const COOKIE = 'shop_session';

/**
 * Serves the shop on loopback, at a port the system picks.
 * @param {Record<string, string>} accounts password by user name
 * @returns {Promise<{ url: string, close(): Promise<void> }>} `url` ends without a slash
 */
export async function startShop(accounts) {
  const store = new ShopStore(accounts);
  const server = createServer((request, response) => {
    answer(store, request).then(
      (reply) => send(response, reply),
      (error) => {
        console.error(error);
        send(response, page(500, messagePage(undefined, 'Something broke', 'Please try again.')));
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** One reply to one request: nothing here writes to the socket. */
async function answer(store, request) {
  const { pathname } = new URL(request.url, 'http://shop');
  const route = `${request.method} ${pathname}`;
  if (route === 'GET /style.css') return { status: 200, type: 'text/css; charset=utf-8', body: style };
  if (route === 'GET /login') return page(200, loginPage(''));
  if (route === 'POST /login') return logIn(store, await readForm(request));

  const sessionId = readCookie(request);
  const session = store.session(sessionId);
  if (!session) return redirect('/login');
  const visitor = () => ({ user: session.user, count: cartContents(session).count });

  switch (route) {
    case 'GET /': {
      const { notice } = session;
      session.notice = '';
      return page(200, cataloguePage(visitor(), notice));
    }
    case 'GET /cart':
      return page(200, cartPage(visitor(), cartContents(session)));
    case 'POST /cart': {
      const product = findProduct((await readForm(request)).get('product'));
      if (!product) return page(400, messagePage(visitor(), 'Not for sale', 'The shop has no such product.'));
      session.cart.set(product.id, (session.cart.get(product.id) ?? 0) + 1);
      session.notice = `${product.name} is in your cart.`;
      return redirect('/');
    }
    case 'POST /orders': {
      const address = (await readForm(request)).get('address')?.trim();
      if (!address) return page(400, messagePage(visitor(), 'Where to?', 'A delivery address is needed.'));
      if (session.cart.size === 0)
        return page(409, messagePage(visitor(), 'Nothing to order', 'Your cart is empty.'));
      return redirect(`/receipts/${store.placeOrder(session, address).number}`);
    }
    case 'POST /logout':
      store.logOut(sessionId);
      return redirect('/login', `${COOKIE}=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0`);
  }
  const order =
    route.startsWith('GET /receipts/') && store.orderOf(session.user, pathname.slice('/receipts/'.length));
  if (order) return page(200, receiptPage(visitor(), order));
  return page(404, messagePage(visitor(), 'Not found', 'There is no such page.'));
}

function logIn(store, form) {
  const sessionId = store.logIn(form.get('user'), form.get('password'));
  if (!sessionId) return page(401, loginPage('That user name and password do not match.'));
  return redirect('/', `${COOKIE}=${sessionId}; HttpOnly; SameSite=Lax; Path=/`);
}

function page(status, body) {
  return { status, type: 'text/html; charset=utf-8', body };
}

function redirect(location, cookie) {
  return { status: 303, location, cookie };
}

function send(response, { status, type, body, location, cookie }) {
  response.writeHead(status, {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'",
    ...(type && { 'content-type': type }),
    ...(location && { location }),
    ...(cookie && { 'set-cookie': cookie }),
  });
  response.end(body);
}

function readCookie(request) {
  const pairs = (request.headers.cookie ?? '').split('; ').map((pair) => pair.split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1];
}

async function readForm(request) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return new URLSearchParams(body);
}
