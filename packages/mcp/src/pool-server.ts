import type { McpRequestContext, Server } from '@modelcontextprotocol/server';
import {
  BrowserPools,
  type BrowserPoolsParts,
  type Clock,
  type ConfigInspection,
  loadToolset,
  type OperationStep,
  type PwpoolConfig,
  PwpoolError,
  SessionManager,
  SiteLimits,
  type ToolResult,
  type Toolset,
} from '@pwpool/core';
import {
  Artifacts,
  CallRates,
  type CheckpointStore,
  type Client,
  type Control,
  type ControlOperations,
  changedKeys,
  compareConfigs,
  keyOf,
  type Principal,
  Principals,
  reasonOf,
  type ServerStatus,
  type SharingWindow,
  SnapshotCache,
  serveControl,
  serverSettingsToCome,
  shownUrl,
  watchFiles,
} from '@pwpool/core/internal';
import type { Backend } from './backend.js';
import { checkedConfig } from './checked-config.js';
import { ClientTools } from './client-tools.js';
import { InFlight } from './in-flight.js';
import { logEvents } from './log/log-events.js';
import { ServerLog } from './log/server-log.js';
import { offerOf } from './offered-tools.js';
import { operationsOf } from './operations/all.js';
import { describeReload } from './operations/describe-reload.js';
import { leaseOperations } from './operations/leases.js';
import type { OperatedServer, Reloaded } from './operations/operated-server.js';
import { createMcpServer, createRequestServer } from './server.js';
import type { ConnectedClient, McpServerParts } from './server-parts.js';
import type { Offer } from './tools/pool-tool.js';
import { VERSION } from './version.js';

export interface PoolServerOptions {
  /** Where a person reads what goes wrong. */
  log: (line: string) => void;
  /** Reads the configuration again, for a reload. Default: it was given in code, and there is nothing to read. */
  inspect?: (() => ConfigInspection) | undefined;
  /** The browser tools. Default: as the configuration has them. */
  toolset?: Toolset | undefined;
  /** What the pools are made of. Default: the system's clock, and the drivers that are configured. */
  parts?: BrowserPoolsParts | undefined;
  /** Where clients reach it over HTTP, for `pwpool status`. */
  httpAddress?: string | undefined;
  /** Where the server is found. Default: as the environment of this process says; `null`: nowhere. */
  env?: NodeJS.ProcessEnv | null | undefined;
  /** Where the sessions of clients that can come back are kept, for a server that takes the place of this one. Default: nowhere. */
  checkpoints?: CheckpointStore | undefined;
  /** Called when another configuration holds, with what of it does not before a new start. `pwpool reload` waits for it. */
  onReloaded?: ((config: PwpoolConfig, reloaded: Reloaded) => Promise<void>) | undefined;
  /** The windows that share it, for `pwpool status`. Default: it is no shared server. */
  windows?: (() => SharingWindow[]) | undefined;
}

type Parts = McpServerParts & { artifacts: Artifacts; log: ServerLog };

/**
 * What all clients of one server process share, whatever transport they come by: pools, sessions, artifacts, and the
 * control endpoint by which `pwpool status` finds it.
 */
export class PoolServer implements Backend, OperatedServer, AsyncDisposable {
  /** Those who have a token, as `HTTP_TOKENS_FILE` has them at the moment; `undefined` where none is set. */
  readonly principals: Principals | undefined;
  readonly #parts: Parts;
  readonly #inspect: PoolServerOptions['inspect'];
  readonly #windows: PoolServerOptions['windows'];
  readonly #onReloaded: PoolServerOptions['onReloaded'];
  readonly #startedWith: PwpoolConfig;
  readonly #stopping = new AbortController();
  /** What the person who runs the server can have it do; over HTTP an administrator. */
  readonly operations: ControlOperations;
  /** Of clients without a connection that are known again, by their ids. */
  readonly #tools = new Map<string, ClientTools>();
  #control: AsyncDisposable | undefined;
  #watch: Disposable | undefined;

  private constructor(
    parts: Parts,
    principals: Principals | undefined,
    { inspect, windows, onReloaded }: PoolServerOptions,
  ) {
    this.#parts = parts;
    this.principals = principals;
    this.#inspect = inspect;
    this.#windows = windows;
    this.#onReloaded = onReloaded;
    this.#startedWith = parts.pools.config;
    this.operations = operationsOf(this);
  }

  /** @throws PwpoolError `CONFIG_INVALID`, before anything is started */
  static async start(config: PwpoolConfig, options: PoolServerOptions): Promise<PoolServer> {
    const { log: tell, inspect, parts: made, env, checkpoints } = options;
    const { sitesFile, httpTokensFile } = config.server;
    const sites = sitesFile === undefined ? undefined : await SiteLimits.load(sitesFile);
    const toolset = options.toolset ?? (await loadToolset(config.server));
    const principals =
      httpTokensFile === undefined ? undefined : await Principals.load(httpTokensFile, namesOf(config));
    const pools = BrowserPools.start(config, made);
    const sessions = new SessionManager(pools, checkpoints);
    const artifacts = new Artifacts(pools);
    const snapshots = new SnapshotCache(pools.clock);
    const inFlight = new InFlight();
    const log = new ServerLog({ clock: pools.clock, config, tell });
    const rates = new CallRates(pools.clock);
    const parts = { pools, sessions, toolset, sites, snapshots, artifacts, rates, inFlight, log };
    const server = new PoolServer(parts, principals, options);
    const tellOfTokens = (line: string) => log.write('warn', line);
    principals?.start({ clock: pools.clock, pools: () => namesOf(pools.config), log: tellOfTokens });
    logEvents(pools, sessions, log);
    artifacts.start();
    if (config.server.watchConfig && inspect) server.#watchConfig(inspect);
    try {
      if (env !== null) server.#control = await server.#beFound(options);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  get pools(): BrowserPools {
    return this.#parts.pools;
  }

  get config(): PwpoolConfig {
    return this.#parts.pools.config;
  }

  get clock(): Clock {
    return this.#parts.pools.clock;
  }

  get started(): Promise<PoolServer> {
    return Promise.resolve(this);
  }

  async ensureStarted(): Promise<PoolServer> {
    return this;
  }

  offer(principal: Principal | undefined): Offer {
    return offerOf(this.#parts, principal);
  }

  get sessions(): SessionManager {
    return this.#parts.sessions;
  }

  get artifacts(): Artifacts {
    return this.#parts.artifacts;
  }

  get toolset(): Toolset {
    return this.#parts.toolset;
  }

  get sites(): SiteLimits | undefined {
    return this.#parts.sites;
  }

  get log(): ServerLog {
    return this.#parts.log;
  }

  /** What it answers to whoever may operate it. */
  get control(): Control {
    const { pools, sessions } = this.#parts;
    const source = {
      status: async (): Promise<ServerStatus> => ({
        ...(await pools.checkedStatus()),
        sessions: sessions.all(),
        waiting: pools.waiting(),
        windows: this.#windows?.(),
      }),
      details: async () =>
        (await pools.details()).map((detail) => ({ ...detail, url: detail.url && addressOf(detail.url) })),
    };
    return { source, operations: this.operations, version: VERSION };
  }

  /** Aborts when somebody has told the server to end (`pwpool stop`): whoever serves it drains it then. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async track(call: () => Promise<ToolResult>): Promise<ToolResult> {
    return await this.#parts.inFlight.track(call);
  }

  /**
   * Takes the configuration in that its sources have now: only what differs changes. One that is not valid is refused whole.
   * Resolves when it holds; `done` when the browsers are those that it asks for, as `BrowserPools.reload`.
   * @throws PwpoolError `CONFIG_INVALID` with every violation: then nothing changes
   */
  async reload({
    onStep,
  }: {
    onStep?: ((step: OperationStep) => void) | undefined;
  } = {}): Promise<Reloaded & { done: Promise<void> }> {
    const { pools, log } = this.#parts;
    const config = await checkedConfig(this.#inspect);
    const change = compareConfigs(pools.config, config);
    const done = pools.reload(config, { onStep });
    log.use(config);
    const { poolsAdded, poolsRemoved } = change;
    const reloaded = {
      poolsAdded: poolsAdded.map(({ name }) => name),
      poolsRemoved,
      changed: changedKeys(change),
      needsRestart: serverSettingsToCome(this.#startedWith.server, config.server).map(keyOf),
    };
    log.write('info', describeReload(reloaded), { ...reloaded });
    const told = this.#onReloaded?.(config, reloaded);
    return { ...reloaded, done: Promise.all([done, told]).then(() => {}) };
  }

  /** The same for who waits for nothing, as on SIGHUP: what came of it is in the log. */
  async reloadAndLog(): Promise<void> {
    const { log } = this.#parts;
    try {
      await (await this.reload()).done;
    } catch (error) {
      const isRefused = error instanceof PwpoolError && error.code === 'CONFIG_INVALID';
      log.write('error', `${isRefused ? 'Not reloaded, and nothing has changed: ' : ''}${reasonOf(error)}`);
    }
  }

  toolsFor(client: Client): ClientTools {
    return new ClientTools(client, this.#parts);
  }

  /** The MCP server of one client connection. Its sessions end with `SessionManager.closeClient(client.id)`. */
  serve(client: ConnectedClient, era: McpRequestContext['era']): Server {
    return createMcpServer(client, this, era);
  }

  /** The MCP server of one request of a client without a connection. Its sessions stay until they are idle for too long. */
  serveRequest(client: ConnectedClient): Server {
    const tools = this.#tools.get(client.id) ?? this.toolsFor(client);
    if (client.secret === undefined) this.#tools.set(client.id, tools);
    return createRequestServer(client, this, tools);
  }

  /** Refuses new calls, gives those that run `SHUTDOWN_GRACE` to be answered, and closes every browser. */
  async drain(): Promise<void> {
    const { pools, inFlight } = this.#parts;
    await inFlight.finish(pools.clock, pools.config.server.shutdownGrace);
    await pools.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pools, sessions, artifacts, log } = this.#parts;
    this.principals?.[Symbol.dispose]();
    this.#watch?.[Symbol.dispose]();
    await this.#control?.[Symbol.asyncDispose]();
    await artifacts[Symbol.asyncDispose]();
    await sessions[Symbol.asyncDispose]();
    await pools[Symbol.asyncDispose]();
    await log[Symbol.asyncDispose]();
  }

  /** Takes in by itself what changes in the files that the configuration was read from (`WATCH_CONFIG`). */
  #watchConfig(inspect: () => ConfigInspection): void {
    const { pools } = this.#parts;
    const files = [...inspect().files, '.env'];
    this.#watch = watchFiles(files, pools.clock, () => void this.reloadAndLog());
  }

  /** Makes the server findable by `pwpool status`. One that cannot be found serves its clients all the same. */
  async #beFound({ env, httpAddress }: PoolServerOptions): Promise<AsyncDisposable | undefined> {
    const { pools, log } = this.#parts;
    try {
      // Whoever leases says where files go: that is for the user of this machine alone.
      const operations = { ...this.operations, ...leaseOperations(this) };
      const serving = { ...this.control, operations, httpAddress, clock: pools.clock, env: env ?? undefined };
      return await serveControl(serving);
    } catch (error) {
      if (!(error instanceof PwpoolError)) throw error;
      log.write('warn', `This server does not show in "pwpool status": ${error.message} ${error.hint ?? ''}`);
      return undefined;
    }
  }
}

/** Without what may be secret in it. */
function addressOf(url: string): string {
  return url === 'about:blank' ? url : shownUrl(url);
}

function namesOf({ pools }: PwpoolConfig): string[] {
  return pools.map(({ name }) => name);
}
