import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scenario } from './scenario.js';

export interface ScenarioSite extends AsyncDisposable {
  readonly origin: string;
}

/**
 * Serves the pages of all scenarios, and beside them:
 * - `/redirect`: on to `/plain`
 * - `/basic`: asks for a name and a password
 * - `/status/NUMBER`: a page with that status
 * - `/json`, `/image.png`, `/style.css`: what pages load
 * - `/download`: a file of text
 * - `/empty`: status 204
 * - `/echo`: method and body of the request
 * - `/login`: sets two cookies
 * - `/cookies`: the cookies that came
 * - `/slow`: a page after 300 ms; `/hang`: never answers; `/broken`: cuts the connection
 */
export async function startScenarioSite(scenarios: readonly Scenario[]): Promise<ScenarioSite> {
  const pages = new Map(scenarios.flatMap(({ pages: own = {} }) => Object.entries(own)));
  const server = createServer((request, response) => void answer(request, response, pages));
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

const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pages: ReadonlyMap<string, string>,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://site').pathname.slice(1);
  const send = (type: string, body: string | Buffer, status = 200) =>
    void response.writeHead(status, { 'content-type': type, date: 'now' }).end(body);
  const page = pages.get(path);
  if (page !== undefined) return send('text/html', html(page));
  const [first, second] = path.split('/');
  switch (first) {
    case 'redirect':
      return void response.writeHead(302, { location: '/plain' }).end();
    case 'basic':
      if (request.headers.authorization) return send('text/html', html('<h1>Let in</h1>'));
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="site"' }).end('Who are you?');
    case 'status':
      return send('text/html', html(`<h1>Status ${second}</h1>`), Number(second));
    case 'json':
      return send('application/json', '{"answer":42}');
    case 'image.png':
      return send('image/png', IMAGE);
    case 'style.css':
      return send('text/css', 'h1 { color: green }');
    case 'download':
      response.setHeader('content-disposition', 'attachment; filename="report.txt"');
      return send('text/plain', 'what the report says');
    case 'empty':
      return void response.writeHead(204).end();
    case 'echo': {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      return send('text/plain', `${request.method} ${Buffer.concat(chunks).toString()}`);
    }
    case 'login':
      response.setHeader('set-cookie', ['user=ann; Path=/', 'token=secret; Path=/; HttpOnly; SameSite=Lax']);
      return send('text/html', html('<h1>Logged in</h1>'));
    case 'cookies':
      return send('text/html', html(`<p>${request.headers.cookie ?? 'no cookies'}</p>`));
    case 'slow':
      return void setTimeout(() => send('text/html', html('<h1>At last</h1>')), 300);
    case 'hang':
      return;
    case 'broken':
      return void request.socket.destroy();
    default:
      return send('text/html', html('<h1>Not found</h1>'), 404);
  }
}

function html(inside: string): string {
  const title = /<title>/.test(inside) ? '' : '<title>Page</title>';
  return `<!doctype html><html><head><link rel="icon" href="data:,">${title}</head><body>${inside}</body></html>`;
}
