import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BrowserPools } from '@pwpool/core';
import { hashToken } from '@pwpool/core/internal';
import { packedPool, pool, StdioServer, temporaryDirectory } from '../fixtures/stdio-server.js';
import { connectOld, type HttpClient } from '../http/fixtures/clients.js';
import { startHttpProcess } from '../http/fixtures/http-process.js';

/** What a model finds on the page: a button, and one that is covered. */
const PAGE = `<!doctype html><title>Shop</title><p>Hello.</p>
  <div style="position: relative; width: 200px; height: 50px">
    <button id="covered" style="position: absolute">Covered</button>
    <div id="overlay" style="position: absolute; inset: 0">Loading…</div>
  </div>`;

/** A pool of two browsers that is everybody's, and one beside it. */
const POOLS = {
  ...packedPool('WEB', 2, {
    LEASE_TIMEOUT: '5000',
    QUEUE_LIMIT: '2',
    TIMEOUT_ACTION: '3000',
    TIMEOUT_NAVIGATION: '8000',
  }),
  ...packedPool('SIDE', 2, { IS_DEFAULT: 'false' }),
  PW_MCP_PROXY__SIDE__1_ALIAS: 'main',
};

/** Where errors are provoked: each place is made by whoever asks for it first, and is there until the end. */
export class Places implements AsyncDisposable {
  /** What ends what was made, the latest last. */
  readonly #endings: (() => Promise<unknown>)[] = [];
  #site: Promise<string> | undefined;
  /** How often `/hang` was asked for. */
  #hanging = 0;
  #server: Promise<StdioServer> | undefined;
  #poor: Promise<StdioServer> | undefined;
  #http: Promise<HttpClient> | undefined;
  #library: Promise<BrowserPools> | undefined;

  /** The host of the page; `/hang` is never answered. */
  site(): Promise<string> {
    this.#site ??= this.#startSite();
    return this.#site;
  }

  /** How many of the page's visitors wait in vain. */
  get hanging(): number {
    return this.#hanging;
  }

  /** The server as an agent starts it, on stdio. */
  server(): Promise<StdioServer> {
    this.#server ??= this.#start({ ...POOLS, PW_MCP_PROXY_SESSION_LIMIT_PER_CLIENT: '2' });
    return this.#server;
  }

  /** Another one: the browsers of its default pool are not there, and its sessions end soon. */
  poor(): Promise<StdioServer> {
    this.#poor ??= this.#start({
      ...pool('WEB', 2, { AUTO_RESTART: 'false', EXECUTABLE_PATH: '/opt/browser' }),
      ...pool('SIDE', 1, { IS_DEFAULT: 'false' }),
      PW_MCP_PROXY_SESSION_IDLE_TIMEOUT: '1000',
    });
    return this.#poor;
  }

  /** A client over HTTP, whose token is good for two calls a minute. */
  http(): Promise<HttpClient> {
    this.#http ??= this.#startHttp();
    return this.#http;
  }

  /** The pools of a program. */
  library(): Promise<BrowserPools> {
    this.#library ??= this.#startLibrary();
    return this.#library;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#endings.reverse()) await end();
  }

  #keep<T extends AsyncDisposable>(made: T): T {
    this.#endings.push(async () => await made[Symbol.asyncDispose]());
    return made;
  }

  async #start(variables: Record<string, string>): Promise<StdioServer> {
    return this.#keep(await StdioServer.start(variables));
  }

  async #startSite(): Promise<string> {
    const server: Server = createServer((request, response) => {
      if (request.url === '/hang') {
        this.#hanging += 1;
        return;
      }
      response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#endings.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #startHttp(): Promise<HttpClient> {
    const directory = this.#keep(await temporaryDirectory());
    const file = join(directory.path, 'tokens.json');
    const alice = { name: 'alice', sha256: hashToken('token-of-alice').toString('hex') };
    const tokens = [{ ...alice, limits: { calls_per_minute: 2 } }];
    await writeFile(file, JSON.stringify({ tokens }), { mode: 0o600 });
    const process = this.#keep(
      await startHttpProcess({ ...pool('WEB', 1), PW_MCP_PROXY_HTTP_TOKENS_FILE: file }),
    );
    return this.#keep(await connectOld(process.address, 'token-of-alice'));
  }

  async #startLibrary(): Promise<BrowserPools> {
    const directory = this.#keep(await temporaryDirectory());
    const pools = await BrowserPools.create({
      outputDir: directory.path,
      pools: { WEB: { instances: 1, isDefault: true, isolated: true, lazy: true } },
    });
    this.#endings.push(() => pools.close());
    return pools;
  }
}
