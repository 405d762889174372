import type { BrowserContext, Page } from 'playwright';
import { type Clock, systemClock } from '../clock.js';
import { type ConfigChange, compareConfigs, serverSettingsToCome } from '../config/config-change.js';
import { type ConfigInput, resolveConfig } from '../config/config-input.js';
import { type ConfigSources, loadConfig } from '../config/load-config.js';
import type { PoolConfig, PwpoolConfig, ServerSettings } from '../config/model.js';
import type { BrowserDriver } from '../driver/browser-driver.js';
import { ConfiguredDriver } from '../driver/configured-driver.js';
import type { PwpoolError } from '../errors.js';
import { shuttingDown } from '../instance/instance-errors.js';
import { Pressure } from '../pressure/pressure.js';
import { type PressureReadings, systemReadings } from '../pressure/pressure-readings.js';
import { mayUse, type Principal } from '../principals/principal.js';
import { Workspaces } from '../upstream/workspace.js';
import { BrowserMutex } from './browser-mutex.js';
import { Emitter, type Unsubscribe } from './emitter.js';
import type { InstanceDetail } from './instance-detail.js';
import type { Lease } from './lease.js';
import type { LeaseOptions } from './lease-options.js';
import { type MapOptions, type MapTask, mapItems } from './map-items.js';
import type { CloseOptions, PoolOperationOptions } from './operation-options.js';
import { settled } from './operations.js';
import { Pool } from './pool.js';
import { poolNotFound } from './pool-errors.js';
import type { PoolEvents } from './pool-events.js';
import { type PoolsStatus, summarise, type WaitingCaller } from './pool-status.js';

export interface PoolsLeaseOptions extends LeaseOptions {
  /** Name of the pool; the default pool if left out. */
  pool?: string | undefined;
}

/** What `BrowserPools.use` gives to work with, until the work is done. */
export interface LeaseUse {
  lease: Lease;
  context: BrowserContext;
  page: Page;
}

export interface BrowserPoolsParts {
  /** Default: the system's. */
  clock?: Clock;
  /** Default: the one that the configuration of each instance chooses. */
  driver?: BrowserDriver;
  /** Default: those of the machine. */
  readings?: PressureReadings;
  /** From 0 to 1, as `Math.random`, which is the default: spreads restarts and recycling. */
  random?: () => number;
}

/** What a reload came to. */
export interface ReloadReport {
  change: ConfigChange;
  /** Settings of the server that are not those it runs with: they take effect when it is started again. */
  needsRestart: readonly (keyof ServerSettings)[];
}

/**
 * All pools of a configuration. The owner disposes of it: `await using pools = await BrowserPools.create(…)`.
 *
 * Browsers start in the background, or, in a lazy pool, with their first lease.
 */
export class BrowserPools implements AsyncDisposable {
  readonly clock: Clock;
  /** The folders of all holders, also of sessions. */
  readonly workspaces: Workspaces;
  readonly #parts: BrowserPoolsParts;
  readonly #driver: BrowserDriver;
  readonly #events = new Emitter<PoolEvents>();
  readonly #pressure: Pressure;
  readonly #mutex = new BrowserMutex();
  readonly #pools = new Map<string, Pool>();
  readonly #startedWith: ServerSettings;
  #config: PwpoolConfig;
  /** The latest reload, until what it removes is gone; the next one comes after it. */
  #changed: Promise<void> = Promise.resolve();
  #shuttingDown: PwpoolError | undefined;
  #stopWatching = () => {};

  private constructor(config: PwpoolConfig, parts: BrowserPoolsParts) {
    this.clock = parts.clock ?? systemClock;
    this.#parts = parts;
    this.#config = config;
    this.#startedWith = config.server;
    this.workspaces = new Workspaces(config.server.outputDir);
    const outputDir = this.workspaces.outputDir();
    this.#driver =
      parts.driver ??
      new ConfiguredDriver({
        clock: this.clock,
        outputDir,
        toolset: config.server.toolset,
        capabilities: config.server.caps,
        testIdAttribute: config.server.testIdAttribute,
      });
    this.#pressure = new Pressure({
      clock: this.clock,
      ...config.server,
      readings: parts.readings ?? systemReadings(this.clock),
    });
    for (const pool of config.pools) this.#add(pool);
  }

  /**
   * Pools of a configuration given in code.
   * @throws PwpoolError `CONFIG_INVALID` with every violation
   */
  static async create(input: ConfigInput = {}, parts: BrowserPoolsParts = {}): Promise<BrowserPools> {
    return BrowserPools.start(resolveConfig(input), parts);
  }

  /**
   * Pools of the configuration in the environment and `.env` (`PW_MCP_PROXY_…`) [000-env-01].
   * @throws PwpoolError `CONFIG_INVALID` with every violation
   */
  static async fromEnv(sources: ConfigSources = {}, parts: BrowserPoolsParts = {}): Promise<BrowserPools> {
    return BrowserPools.start(loadConfig(sources), parts);
  }

  /** Pools of a configuration that has been checked. */
  static start(config: PwpoolConfig, parts: BrowserPoolsParts = {}): BrowserPools {
    const pools = new BrowserPools(config, parts);
    pools.#start();
    return pools;
  }

  /** As it is now: reloading and scaling change it. */
  get config(): PwpoolConfig {
    return { ...this.#config, pools: [...this.#pools.values()].map(({ config }) => config) };
  }

  /** Calls `listener` for each event of that name, until the returned function is called. */
  on<Name extends keyof PoolEvents>(name: Name, listener: (event: PoolEvents[Name]) => void): Unsubscribe {
    return this.#events.on(name, listener);
  }

  /**
   * Leases an instance of a pool.
   * @throws PwpoolError `POOL_NOT_FOUND`, else as `Pool.lease`
   */
  async lease(options: PoolsLeaseOptions = {}): Promise<Lease> {
    return await this.pool(options.pool, options.principal).lease(options);
  }

  /**
   * Leases an instance for as long as `work` takes, and gives its result. The lease is released also after an error.
   * @throws PwpoolError as `lease`, `BROWSER_NOT_READY` when the browser is behind a remote tool server; what `work` throws
   */
  async use<T>(work: (use: LeaseUse) => T | Promise<T>, options: PoolsLeaseOptions = {}): Promise<T> {
    await using lease = await this.lease(options);
    return await work({ lease, context: lease.context(), page: await lease.page() });
  }

  /**
   * Does the work for every item, on as many browsers of a pool as there are, and gives the results in the order of the
   * items. An item whose browser crashed, or that failed otherwise, is tried again. Items may be without end, and are asked for
   * as browsers become free.
   * @throws PwpoolError `CANCELLED` or the reason of the signal, `INVALID_ARGUMENTS` (`concurrency`, `retries`); as `lease` when
   *   there is no browser to be had; else what the first item failed with that failed for good: the others are given up
   */
  async map<T, R>(
    items: Iterable<T> | AsyncIterable<T>,
    work: (task: MapTask<T>) => R | Promise<R>,
    options: MapOptions = {},
  ): Promise<R[]> {
    return await mapItems(this.pool(options.pool), this.clock, items, work, options);
  }

  /**
   * The pool of that name, or the default pool; for a principal that may not use that one, the first that it may.
   * @throws PwpoolError `POOL_NOT_FOUND` with the valid names
   */
  pool(name?: string, principal?: Principal): Pool {
    const [first = ''] = this.names(principal);
    const preset = this.#config.pools.find(({ isDefault }) => isDefault)?.name ?? first;
    return this.#find(name ?? (mayUse(principal, preset) ? preset : first), 'browser_pool', principal);
  }

  /** The names of the pools that there are for a caller. */
  names(principal?: Principal): string[] {
    return [...this.#pools.keys()].filter((name) => mayUse(principal, name));
  }

  #find(name: string, argument: 'browser_pool' | 'pool_name', principal: Principal | undefined): Pool {
    const pool = mayUse(principal, name) ? this.#pools.get(name) : undefined;
    if (!pool) throw poolNotFound(name, this.names(principal), argument);
    return pool;
  }

  /**
   * What `browser_pool_status` answers [000-status-01], for all pools or one.
   * @throws PwpoolError `POOL_NOT_FOUND`
   */
  status(name?: string): PoolsStatus {
    return summarise(this.#named(name, undefined).map((pool) => pool.status()));
  }

  /**
   * As `status`, after a look at every browser that was not asked for a moment, so that one that does not answer is told
   * as such. Takes a second at most.
   * @throws PwpoolError `POOL_NOT_FOUND`
   */
  async checkedStatus(name?: string, principal?: Principal): Promise<PoolsStatus> {
    return summarise(await Promise.all(this.#named(name, principal).map((pool) => pool.checkedStatus())));
  }

  /** What the person who runs the pools is told of their instances, beside their status. */
  async details(): Promise<InstanceDetail[]> {
    return (await Promise.all([...this.#pools.values()].map((pool) => pool.details()))).flat();
  }

  /** Who waits for an instance, pool by pool, each in order of arrival. */
  waiting(): WaitingCaller[] {
    return [...this.#pools.values()].flatMap((pool) => pool.waiting());
  }

  /**
   * Applies another configuration while the pools run: only what differs changes. A pool that is gone is drained and
   * closed; an instance with other settings gets a new browser; nobody who holds a lease is disturbed before
   * `timeoutMs`. Waits until what an earlier reload removes is gone.
   * @throws PwpoolError `SHUTTING_DOWN`, and why a new browser did not start
   */
  async reload(config: PwpoolConfig, options: PoolOperationOptions = {}): Promise<ReloadReport> {
    const begun = this.#changed.then(() => this.#apply(config, options));
    this.#changed = begun.then(({ removed }) => removed).catch(() => {});
    const { change, removed, changed } = await begun;
    await settled([removed, changed]);
    return { change, needsRestart: serverSettingsToCome(this.#startedWith, config.server) };
  }

  /**
   * Revokes every lease and closes every browser that pwpool started. With `drainMs` holders are waited for first, while
   * nobody gets a new lease. Idempotent.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#shuttingDown ??= shuttingDown('The pools are');
    try {
      await settled([...this.#pools.values()].map((pool) => pool.close(options)));
    } finally {
      this.#stopWatching();
      this.#pressure.stop();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #named(name: string | undefined, principal: Principal | undefined): Pool[] {
    const names = name === undefined ? this.names(principal) : [name];
    return names.map((each) => this.#find(each, 'pool_name', principal));
  }

  #start(): void {
    this.#pressure.start();
    this.#stopWatching = this.#pressure.onChange(() => {
      this.#events.emit('pressure', () => ({ reason: this.#pressure.reason }));
    });
    for (const pool of this.#pools.values()) pool.start();
  }

  #apply(config: PwpoolConfig, options: PoolOperationOptions) {
    if (this.#shuttingDown) throw this.#shuttingDown;
    const change = compareConfigs(this.config, config);
    this.#config = config;
    for (const pool of change.poolsAdded) this.#add(pool).start();
    if (change.poolsAdded.length > 0) this.#tellPools();
    const removed = settled(change.poolsRemoved.map((name) => this.#remove(this.pool(name), options)));
    const added = new Set(change.poolsAdded.map(({ name }) => name));
    // Also those that do not differ now: an earlier change may still wait for its turn.
    const staying = config.pools.filter(({ name }) => !added.has(name));
    const changed = settled(staying.map((pool) => this.pool(pool.name).reconfigure(pool, options)));
    return { change, removed, changed };
  }

  #add(config: PoolConfig): Pool {
    const { random } = this.#parts;
    const pool = new Pool({
      workspaces: this.workspaces,
      allowUnsafeCode: this.#startedWith.allowUnsafeCode,
      fairness: this.#startedWith.leaseFairness,
      config,
      driver: this.#driver,
      clock: this.clock,
      events: this.#events,
      pressure: this.#pressure,
      mutex: this.#mutex,
      others: () =>
        this.#config.pools.filter(({ name }) => name !== config.name).map(({ name }) => this.pool(name)),
      ...(random ? { random } : {}),
    });
    this.#pools.set(config.name, pool);
    return pool;
  }

  async #remove(pool: Pool, options: PoolOperationOptions): Promise<void> {
    try {
      // Closing tells, too, what does not close properly.
      await pool.drain(options).catch(() => {});
      await pool.close();
    } finally {
      this.#pools.delete(pool.name);
      this.#tellPools();
    }
  }

  #tellPools(): void {
    this.#events.emit('pools-changed', () => ({ names: [...this.#pools.keys()] }));
  }
}
