import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Workplace } from './command.js';

const EXAMPLES = fileURLToPath(new URL('../../../examples/scripts/', import.meta.url));

const PAGES: Readonly<Record<string, string>> = {
  '/shop': `<title>Shop</title><h1>Prices</h1><p>In euros.</p>
    <table><tbody><tr><td>Tea</td><td>4.50 €</td></tr><tr><td>Pot</td><td>19 €</td></tr><tr><td>Set</td><td>49 €</td></tr></tbody></table>
    <a href="/login">Log in</a> <a href="/gone">Gone</a> <a href="/gone#again">Again</a> <a href="mailto:a@b.example">Mail</a>`,
  '/login':
    '<title>Login</title><form action="/session"><input name="user"><input name="password" type="password"><button>Log in</button></form>',
};

/** A shop on loopback: a page with a table and links, and an export for those who have logged in. */
async function startShop(): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
    if (pathname === '/session') {
      const good = searchParams.get('user') === 'ada' && searchParams.get('password') === 's3cret';
      response.writeHead(302, { location: '/shop', ...(good ? { 'set-cookie': 'session=ada' } : {}) });
      return void response.end();
    }
    if (pathname === '/export') {
      const good = request.headers.cookie?.includes('session=ada');
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify(good ? { month: searchParams.get('month'), orders: 3 } : {}));
    }
    const page = PAGES[pathname];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html>${page ?? '<title>Not found</title>'}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs an example over rows, in one browser, and gives what the results hold. */
async function results(
  workplace: Workplace,
  name: string,
  rows: string,
  variables: Record<string, string> = {},
) {
  const { status, stdout, stderr } = await workplace.runHere(
    ['run', join(EXAMPLES, name), '--data', '-', '--concurrency', '1', '--files', 'files', '--ordered'],
    variables,
    rows,
  );
  expect({ status, failed: /^Row .*/m.exec(stderr)?.[0] }).toEqual({ status: 0, failed: undefined });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { result: unknown }).result);
}

test('titles.yaml tells title and status', async () => {
  const shop = await startShop();
  const workplace = await Workplace.make();
  expect(await results(workplace, 'titles.yaml', `url\n${shop}/shop\n${shop}/gone\n`)).toEqual([
    { url: `${shop}/shop`, landed: `${shop}/shop`, title: 'Shop', status: 200 },
    { url: `${shop}/gone`, landed: `${shop}/gone`, title: 'Not found', status: 404 },
  ]);
});

test('screenshots.yaml takes a picture at each width', { tags: ['at-length'] }, async () => {
  const shop = await startShop();
  const workplace = await Workplace.make();
  await results(workplace, 'screenshots.yaml', `url\n${shop}/shop\n`);
  for (const width of [390, 820, 1440]) {
    const picture = await readFile(join(workplace.path, 'files/1', `${width}.png`));
    expect(picture.readUInt32BE(16)).toBe(width);
  }
});

test('export-after-login.yaml logs in once and exports each month', { tags: ['at-length'] }, async () => {
  const shop = await startShop();
  const workplace = await Workplace.make();
  const variables = { SHOP: shop, SHOP_USER: 'ada', SHOP_PASSWORD: 's3cret' };
  expect(await results(workplace, 'export-after-login.yaml', 'month\n2026-01\n2026-02\n', variables)).toEqual(
    [
      { month: '2026-01', orders: 3 },
      { month: '2026-02', orders: 3 },
    ],
  );
});

test('prices.yaml picks from a table', { tags: ['at-length'] }, async () => {
  const shop = await startShop();
  const workplace = await Workplace.make();
  expect(await results(workplace, 'prices.yaml', `url\n${shop}/shop\n`)).toEqual([
    { url: `${shop}/shop`, cheapest: 'Tea', affordable: ['Tea', 'Pot'], count: 3 },
  ]);
});

test('markdown.mjs writes a page as Markdown', { tags: ['at-length'] }, async () => {
  const shop = await startShop();
  const workplace = await Workplace.make();
  const [result] = (await results(workplace, 'markdown.mjs', `url\n${shop}/shop\n`)) as {
    title: string;
    file: string;
  }[];
  expect(result?.title).toBe('Shop');
  const markdown = await readFile(join(workplace.path, result?.file ?? ''), 'utf8');
  expect(markdown).toMatch(/^# Prices\n\nIn euros\.\n/);
  expect(markdown).toContain('- [Log in](/login)');
});

test('broken-links.mjs finds what leads nowhere', { tags: ['at-length'] }, async () => {
  const shop = await startShop();
  const workplace = await Workplace.make();
  expect(await results(workplace, 'broken-links.mjs', `url\n${shop}/shop\n`)).toEqual([
    { url: `${shop}/shop`, links: 2, broken: [{ href: `${shop}/gone`, status: 404 }] },
  ]);
});
