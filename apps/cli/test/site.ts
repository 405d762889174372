import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Site {
  readonly origin: string;
  /** Paths in the order in which they were asked for, without favicons. */
  readonly requests: readonly string[];
  /** Answers what waits at `/slow/NAME`. */
  answerSlow(): void;
}

/**
 * A web site on loopback, until the test has finished: `/page/NAME` has that title, `/hang` never answers, `/slow/NAME` when it
 * is told to.
 */
export async function startSite(): Promise<Site> {
  const requests: string[] = [];
  const slow: (() => void)[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === '/favicon.ico') return void response.writeHead(404).end();
    requests.push(path);
    if (path === '/hang') return;
    const name = path.split('/')[2] ?? '';
    response.setHeader('content-type', 'text/html');
    const answer = () =>
      response.end(`<!doctype html><title>${name}</title><h1>${name}</h1><button>Press ${name}</button>`);
    if (path.startsWith('/slow/')) slow.push(answer);
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const answerSlow = () => {
    for (const answer of slow.splice(0)) answer();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, answerSlow };
}
