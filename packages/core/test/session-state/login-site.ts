import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A site with a login, on a port of its own. Each page records in `atStart` what its first script finds stored.
 *
 * `/login` logs Ada in and fills every kind of storage; `/home` greets her by name, or nobody; `/never` never answers.
 */
export async function startLoginSite(): Promise<LoginSite> {
  let unanswered = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/never')) unanswered += 1;
    else respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    otherOrigin: `http://other.localhost:${port}`,
    unanswered: () => unanswered,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export interface LoginSite extends AsyncDisposable {
  origin: string;
  /** The same pages as another site. */
  otherOrigin: string;
  /** How many requests have come to `/never`. */
  unanswered(): number;
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', 'http://site.test');
  const headers: Record<string, string | string[]> = { 'content-type': 'text/html' };
  if (pathname === '/login') {
    headers['set-cookie'] = [
      'sid=secret-of-ada; HttpOnly; SameSite=Lax; Path=/',
      'remember=ada; Max-Age=86400; Path=/',
    ];
  }
  if (pathname === '/sandboxed') headers['content-security-policy'] = 'sandbox allow-scripts';
  const isAda = request.headers.cookie?.includes('sid=secret-of-ada') ?? false;
  response.writeHead(200, headers);
  response.end(page(isAda ? 'Ada' : 'nobody', pathname === '/login'));
}

const page = (who: string, isLogin: boolean) => `<!doctype html>
<script>
  try { window.atStart = { local: { ...localStorage }, session: { ...sessionStorage } }; } catch {}
</script>
<h1>Hello, ${who}</h1>
${isLogin ? `<script>${FILL}</script>` : ''}`;

/** Sets `filled` when all is stored. */
const FILL = `
  localStorage.theme = 'dark';
  sessionStorage.draft = 'half a letter';
  const opening = indexedDB.open('letters', 3);
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore('sent', { keyPath: 'id' });
    store.createIndex('by-receiver', 'receiver');
    store.add({ id: 1, receiver: 'Bob', at: new Date(0), body: new Uint8Array([1, 2, 3]) });
    store.transaction.oncomplete = () => { opening.result.close(); window.filled = true; };
  };
`;
