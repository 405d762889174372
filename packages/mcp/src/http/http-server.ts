import type { PwpoolConfig } from '@pwpool/core';
import { systemClock } from '@pwpool/core/internal';
import { PoolServer, type PoolServerOptions } from '../pool-server.js';
import { Door, MCP_PATH } from './door.js';
import { Listener } from './listener.js';

export type HttpServerOptions = Omit<PoolServerOptions, 'httpAddress'>;

/** Serves many clients over Streamable HTTP, of the revisions of 2025 and from 2026-07-28 on, at one address. */
export class HttpServer implements AsyncDisposable {
  /** Where clients reach it. */
  readonly address: string;
  readonly pool: PoolServer;
  readonly #listener: Listener;
  readonly #door: Door;

  private constructor(listener: Listener, pool: PoolServer, door: Door) {
    this.address = addressAt(listener);
    this.pool = pool;
    this.#listener = listener;
    this.#door = door;
  }

  /** @throws PwpoolError `CONFIG_INVALID`, before a browser is started */
  static async start(config: PwpoolConfig, options: HttpServerOptions): Promise<HttpServer> {
    const { log, parts: { clock = systemClock } = {} } = options;
    // Where nobody can be let in no browser is needed: first the socket, then the pools.
    const listener = await Listener.open({ config: config.server, clock, log });
    try {
      const pool = await PoolServer.start(config, { ...options, httpAddress: addressAt(listener) });
      const door = new Door(pool, log);
      listener.serve(door.handle);
      return new HttpServer(listener, pool, door);
    } catch (error) {
      await listener[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Lets nobody new in, lets running calls end, and closes every browser. */
  async drain(): Promise<void> {
    this.#door.close();
    await this.pool.drain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#door[Symbol.asyncDispose]();
    await this.pool[Symbol.asyncDispose]();
    await this.#listener[Symbol.asyncDispose]();
  }
}

function addressAt({ origin }: Listener): string {
  return origin + MCP_PATH;
}
