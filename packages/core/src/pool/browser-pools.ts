import { resolve } from 'node:path';
import { type Clock, systemClock } from '../clock.js';
import { type ConfigInput, resolveConfig } from '../config/config-input.js';
import { type ConfigSources, loadConfig } from '../config/load-config.js';
import type { PwpoolConfig } from '../config/model.js';
import type { BrowserDriver } from '../driver/browser-driver.js';
import { EmbeddedDriver } from '../driver/embedded-driver.js';
import type { Lease } from './lease.js';
import type { LeaseOptions } from './lease-options.js';
import { Pool } from './pool.js';
import { poolNotFound } from './pool-errors.js';
import { type PoolsStatus, summarise } from './pool-status.js';

export interface PoolsLeaseOptions extends LeaseOptions {
  /** Name of the pool; the default pool if left out. */
  pool?: string | undefined;
}

export interface BrowserPoolsParts {
  /** Default: the system's. */
  clock?: Clock;
  /** Default: browsers launched by Playwright in this process. */
  driver?: BrowserDriver;
}

/**
 * All pools of a configuration. The owner disposes of it: `await using pools = await BrowserPools.create(…)`.
 *
 * Browsers start in the background, or, in a lazy pool, with their first lease.
 */
export class BrowserPools implements AsyncDisposable {
  readonly config: PwpoolConfig;
  readonly clock: Clock;
  readonly #pools: ReadonlyMap<string, Pool>;
  readonly #defaultPool: string;

  private constructor(config: PwpoolConfig, parts: BrowserPoolsParts) {
    this.config = config;
    this.clock = parts.clock ?? systemClock;
    const outputDir = resolve(config.server.outputDir ?? '.pwpool');
    const driver = parts.driver ?? new EmbeddedDriver({ clock: this.clock, outputDir });
    this.#pools = new Map(
      config.pools.map((pool) => [pool.name, new Pool({ config: pool, driver, clock: this.clock })]),
    );
    this.#defaultPool = config.pools.find((pool) => pool.isDefault)?.name ?? '';
  }

  /**
   * Pools of a configuration given in code.
   * @throws PwpoolError `CONFIG_INVALID` with every violation
   */
  static async create(input: ConfigInput = {}, parts: BrowserPoolsParts = {}): Promise<BrowserPools> {
    return BrowserPools.start(resolveConfig(input), parts);
  }

  /**
   * Pools of the configuration in the environment and `.env` (`PW_MCP_PROXY_…`, seed 000).
   * @throws PwpoolError `CONFIG_INVALID` with every violation
   */
  static async fromEnv(sources: ConfigSources = {}, parts: BrowserPoolsParts = {}): Promise<BrowserPools> {
    return BrowserPools.start(loadConfig(sources), parts);
  }

  /** Pools of a configuration that has been checked. */
  static start(config: PwpoolConfig, parts: BrowserPoolsParts = {}): BrowserPools {
    const pools = new BrowserPools(config, parts);
    for (const pool of pools.#pools.values()) pool.start();
    return pools;
  }

  /**
   * Leases an instance of a pool.
   * @throws PwpoolError `POOL_NOT_FOUND`, else as `Pool.lease`
   */
  async lease(options: PoolsLeaseOptions = {}): Promise<Lease> {
    return await this.pool(options.pool).lease(options);
  }

  /**
   * The pool of that name, or the default pool.
   * @throws PwpoolError `POOL_NOT_FOUND` with the valid names
   */
  pool(name: string = this.#defaultPool): Pool {
    const pool = this.#pools.get(name);
    if (!pool) throw poolNotFound(name, [...this.#pools.keys()]);
    return pool;
  }

  /**
   * What `browser_pool_status` answers (seed 000), for all pools or one.
   * @throws PwpoolError `POOL_NOT_FOUND`
   */
  status(name?: string): PoolsStatus {
    const pools = name === undefined ? [...this.#pools.values()] : [this.pool(name)];
    return summarise(pools.map((pool) => pool.status()));
  }

  /** Revokes every lease and closes every browser that pwpool started. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
