import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Clock, type PwpoolConfig, PwpoolError } from '@pwpool/core';
import { errnoOf } from '@pwpool/core/internal';
import { followKeyPair, readKeyPair } from './certificate.js';
import {
  HEADERS_MS,
  LOOK_MS,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  NEXT_REQUEST_MS,
  REQUEST_MS,
  SILENT_MS,
} from './limits.js';

export interface ListenOptions {
  config: PwpoolConfig['server'];
  clock: Clock;
  log: (line: string) => void;
}

/** The socket of the HTTP server, with its limits and its certificate. */
export class Listener implements AsyncDisposable {
  /** Where clients reach it, without a path. */
  readonly origin: string;
  readonly #server: Server | TlsServer;
  readonly #closing = new AbortController();

  private constructor(server: Server | TlsServer, origin: string) {
    this.#server = server;
    this.origin = origin;
  }

  /**
   * Listens where the configuration says. Until `serve` there is an answer to nobody.
   * @throws PwpoolError `CONFIG_INVALID` when the address is taken or none of this machine, or the certificate is not usable
   */
  static async open({ config, clock, log }: ListenOptions): Promise<Listener> {
    const { httpHost: host, httpPort: port, httpTlsCert: cert, httpTlsKey: key } = config;
    const files = cert === undefined || key === undefined ? undefined : { cert, key };
    const pair = files && (await readKeyPair(files));
    const limits = {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: LOOK_MS,
      keepAliveTimeout: NEXT_REQUEST_MS,
    };
    const server = pair ? createTlsServer({ ...limits, ...pair }) : createServer(limits);
    server.maxConnections = MAX_CONNECTIONS;
    // Node destroys the connection then: who does not read holds no answers in memory for longer.
    server.setTimeout(SILENT_MS);
    await listen(server, host, port);
    const listener = new Listener(server, originOf(server, host, pair ? 'https' : 'http'));
    if (files && pair && 'setSecureContext' in server) {
      const following = { current: pair, clock, log, signal: listener.#closing.signal };
      void followKeyPair(files, following, (changed) => server.setSecureContext(changed));
    }
    return listener;
  }

  serve(handle: RequestListener): void {
    this.#server.on('request', handle);
  }

  /** Takes no more connections, and ends those on which nothing is going on. */
  refuse(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

async function listen(server: Server | TlsServer, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      // Stays for good: what fails later, such as an accept without free descriptors, must not end the process.
      server.on('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    throw cannotListen(host, port, error);
  }
}

const REASONS: Readonly<Record<string, { reason: string; hint: string }>> = {
  EADDRINUSE: {
    reason: 'another process listens there',
    hint: 'If that is pwpool ("pwpool status" shows it), use it; else choose another --port, or 0 for one that is free.',
  },
  EADDRNOTAVAIL: {
    reason: 'this machine has no such address',
    hint: 'Set --host to 127.0.0.1, or to an address of this machine.',
  },
  ENOTFOUND: {
    reason: 'there is no host of that name',
    hint: 'Set --host to 127.0.0.1, or to an address of this machine.',
  },
  EACCES: { reason: 'only root may listen on that port', hint: 'Choose a --port of 1024 or above.' },
};

function cannotListen(host: string, port: number, cause: unknown): PwpoolError {
  const code = errnoOf(cause) ?? '';
  const known = REASONS[code] ?? { reason: String(cause), hint: 'Choose another --host or --port.' };
  return new PwpoolError(
    'CONFIG_INVALID',
    `The HTTP server cannot listen on port ${port} of ${host}: ${known.reason}. ${known.hint}`,
    { details: { host, port, code }, cause },
  );
}

function originOf(server: Server | TlsServer, host: string, scheme: string): string {
  const { port } = server.address() as AddressInfo;
  const every = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `${scheme}://${every.includes(':') ? `[${every}]` : every}:${port}`;
}
