import { setImmediate } from 'node:timers/promises';
import type { Clock, PwpoolConfig, Toolset } from '@pwpool/core';
import { loadToolset, mayUse } from '@pwpool/core/first-answers';
import type { Principal } from '@pwpool/core/internal';
import { systemClock } from '@pwpool/core/light';
import type { Backend } from './backend.js';
import type { PoolServer, PoolServerOptions } from './pool-server.js';
import type { Offer } from './tools/pool-tool.js';

/** Milliseconds that a client has to ask what there is before pools, which it need not wait for then, are loaded. */
const HEAD_START_MS = 100;

/**
 * A pool server that starts with the first call, or when its client has had time to ask which tools there are: loading pools
 * takes as long as that answer.
 */
export class DeferredServer implements Backend, AsyncDisposable {
  readonly clock: Clock;
  readonly started: Promise<PoolServer>;
  /** Aborts when the server was told to end (`pwpool stop`), or did not start. */
  readonly stopping: AbortSignal;
  readonly #config: PwpoolConfig;
  readonly #toolset: Toolset;
  readonly #options: PoolServerOptions;
  readonly #stop = new AbortController();
  #onStarted: (server: PoolServer) => void = () => {};
  #cancelTimer: () => void = () => {};
  #starting: Promise<PoolServer> | undefined;
  #server: PoolServer | undefined;

  private constructor(config: PwpoolConfig, toolset: Toolset, options: PoolServerOptions) {
    this.#config = config;
    this.#toolset = toolset;
    this.#options = options;
    this.clock = options.parts?.clock ?? systemClock;
    this.stopping = this.#stop.signal;
    this.started = new Promise((resolve) => {
      this.#onStarted = resolve;
    });
  }

  /** @throws PwpoolError `CONFIG_INVALID`, before anything is started */
  static async prepare(config: PwpoolConfig, options: PoolServerOptions): Promise<DeferredServer> {
    const { sitesFile, httpTokensFile } = config.server;
    const deferred = new DeferredServer(config, await loadToolset(config.server), options);
    // These are read by what is loaded later, and a mistake in them is to be told now.
    if (sitesFile !== undefined || httpTokensFile !== undefined) await deferred.ensureStarted();
    else deferred.#startSoon();
    return deferred;
  }

  get config(): PwpoolConfig {
    return this.#server?.pools.config ?? this.#config;
  }

  offer(principal: Principal | undefined): Offer {
    if (this.#server) return this.#server.offer(principal);
    const { server: settings, pools } = this.#config;
    const names = pools.map(({ name }) => name).filter((name) => mayUse(principal, name));
    return { toolset: this.#toolset, settings, pools: names };
  }

  async ensureStarted(): Promise<PoolServer> {
    this.#starting ??= this.#start();
    return await this.#starting;
  }

  async reloadAndLog(): Promise<void> {
    await (await this.ensureStarted()).reloadAndLog();
  }

  /** As `PoolServer.drain`. @throws what kept it from starting */
  async drain(): Promise<void> {
    this.#cancelTimer();
    const server = await this.#starting;
    // Calls that waited for it, too, are to run before it refuses more.
    await setImmediate();
    await server?.drain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelTimer();
    const server = await this.#starting?.catch(() => undefined);
    await server?.[Symbol.asyncDispose]();
  }

  #startSoon(): void {
    // What keeps it from starting is told by `drain`, which `stopping` calls for.
    this.#cancelTimer = this.clock.after(HEAD_START_MS, () => void this.ensureStarted().catch(() => {}));
  }

  async #start(): Promise<PoolServer> {
    this.#cancelTimer();
    try {
      const { PoolServer } = await import('./pool-server.js');
      const server = await PoolServer.start(this.#config, { ...this.#options, toolset: this.#toolset });
      server.stopping.addEventListener('abort', () => this.#stop.abort(), { once: true });
      this.#server = server;
      this.#onStarted(server);
      return server;
    } catch (error) {
      this.#stop.abort();
      throw error;
    }
  }
}
