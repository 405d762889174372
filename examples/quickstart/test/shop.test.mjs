import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startShop } from '../src/shop/server.mjs';

let shop;
before(async () => {
  shop = await startShop({ alice: 'rain', bob: 'ferry', '<i>eve</i>': 'hat' });
});
after(() => shop.close());

/** A browser as far as the shop can tell: it keeps one cookie and follows redirects. */
class Visitor {
  cookie = '';

  async open(path, form) {
    const response = await fetch(shop.url + path, {
      method: form ? 'POST' : 'GET',
      headers: this.cookie ? { cookie: this.cookie } : {},
      body: form && new URLSearchParams(form),
      redirect: 'manual',
    });
    const setCookie = response.headers.get('set-cookie');
    if (setCookie) this.cookie = setCookie.split(';')[0];
    if (response.status === 303) return this.open(response.headers.get('location'));
    return { status: response.status, path, setCookie, text: await response.text() };
  }

  static async loggedIn(user, password) {
    const visitor = new Visitor();
    await visitor.open('/login', { user, password });
    return visitor;
  }
}

test('a visitor without a session is sent to the login page', async () => {
  for (const path of ['/', '/cart', '/receipts/R-1001', '/nowhere']) {
    const { path: landed, text } = await new Visitor().open(path);
    assert.equal(landed, '/login', path);
    assert.match(text, /<label>User name/);
  }
});

test('a login shows the user on the catalogue and sets a random HttpOnly cookie', async () => {
  const response = await fetch(`${shop.url}/login`, {
    method: 'POST',
    body: new URLSearchParams({ user: 'alice', password: 'rain' }),
    redirect: 'manual',
  });
  assert.equal(response.status, 303);
  assert.match(
    response.headers.get('set-cookie'),
    /^shop_session=[0-9a-f]{32}; HttpOnly; SameSite=Lax; Path=\/$/,
  );

  const [first, second] = [await Visitor.loggedIn('alice', 'rain'), await Visitor.loggedIn('alice', 'rain')];
  assert.notEqual(first.cookie, second.cookie);
  const { text } = await first.open('/');
  assert.match(text, /Signed in as alice</);
  assert.equal(text.match(/<li class="product">/g).length, 8);
});

test('a wrong password, a wrong name and an inherited property name are refused', async () => {
  for (const form of [
    { user: 'alice', password: 'wrong' },
    { user: 'nobody', password: 'rain' },
    { user: 'constructor', password: '' },
    { user: 'alice' },
  ]) {
    const visitor = new Visitor();
    const { status, text } = await visitor.open('/login', form);
    assert.equal(status, 401);
    assert.match(text, /role="alert">That user name and password do not match/);
    assert.equal(visitor.cookie, '');
  }
});

test('a made-up cookie opens nothing', async () => {
  const visitor = new Visitor();
  visitor.cookie = 'shop_session=00000000000000000000000000000000';
  assert.equal((await visitor.open('/cart')).path, '/login');
});

test('each cookie has a cart of its own, also for one user in two browsers', async () => {
  const alice = await Visitor.loggedIn('alice', 'rain');
  const bob = await Visitor.loggedIn('bob', 'ferry');
  const aliceElsewhere = await Visitor.loggedIn('alice', 'rain');
  await Promise.all([alice.open('/cart', { product: 'teapot' }), bob.open('/cart', { product: 'lantern' })]);

  const cart = (await alice.open('/cart')).text;
  assert.match(cart, /Teapot/);
  assert.doesNotMatch(cart, /Lantern|bob/);
  assert.match((await bob.open('/cart')).text, /Lantern/);
  assert.match((await aliceElsewhere.open('/cart')).text, /Your cart is empty/);
});

test('the catalogue tells once what was added', async () => {
  const alice = await Visitor.loggedIn('alice', 'rain');
  const { text } = await alice.open('/cart', { product: 'mug' });
  assert.match(text, /role="status">Mug is in your cart/);
  assert.doesNotMatch((await alice.open('/')).text, /role="status"/);
});

test("a receipt shows user, address, lines and total, empties the cart, and is nobody else's to read", async () => {
  const alice = await Visitor.loggedIn('alice', 'rain');
  for (const product of ['teapot', 'mug', 'mug']) await alice.open('/cart', { product });
  const { path, text } = await alice.open('/orders', { address: '1 <Mill> Lane' });

  assert.match(path, /^\/receipts\/R-\d+$/);
  assert.match(text, /Ordered by alice</);
  assert.match(text, /1 &lt;Mill&gt; Lane/);
  assert.match(text, /Teapot<\/th><td>1<\/td>\s*<td>€34\.00<\/td><td>€34\.00/);
  assert.match(text, /Mug<\/th><td>2<\/td>\s*<td>€12\.50<\/td><td>€25\.00/);
  assert.match(text, /Total<\/th><td>€59\.00/);
  assert.match(text, /Cart \(0\)/);
  assert.equal((await alice.open(path)).status, 200);
  assert.equal((await (await Visitor.loggedIn('bob', 'ferry')).open(path)).status, 404);
});

test('orders placed at the same time get different numbers', async () => {
  const visitors = await Promise.all(Array.from({ length: 10 }, () => Visitor.loggedIn('bob', 'ferry')));
  const paths = await Promise.all(
    visitors.map(async (visitor) => {
      await visitor.open('/cart', { product: 'notebook' });
      return (await visitor.open('/orders', { address: 'here' })).path;
    }),
  );
  assert.equal(new Set(paths).size, 10);
});

test('an unknown product, an empty cart and a missing address are refused', async () => {
  const alice = await Visitor.loggedIn('alice', 'rain');
  assert.equal((await alice.open('/cart', { product: 'yacht' })).status, 400);
  assert.equal((await alice.open('/orders', { address: 'here' })).status, 409);
  await alice.open('/cart', { product: 'mug' });
  assert.equal((await alice.open('/orders', { address: '  ' })).status, 400);
  assert.match((await alice.open('/cart')).text, /Cart \(1\)/);
});

test('after logging out the old cookie opens nothing', async () => {
  const alice = await Visitor.loggedIn('alice', 'rain');
  const old = alice.cookie;
  assert.equal((await alice.open('/logout', {})).path, '/login');
  alice.cookie = old;
  assert.equal((await alice.open('/')).path, '/login');
});

test('a name with markup is shown as text', async () => {
  const eve = await Visitor.loggedIn('<i>eve</i>', 'hat');
  assert.match((await eve.open('/')).text, /Signed in as &lt;i&gt;eve&lt;\/i&gt;/);
});
