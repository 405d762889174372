import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { BrowserContext, Page } from 'playwright';
import type { Clock } from '../clock.js';
import type { InstanceConfig } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { HeldBrowser } from '../instance/held-browser.js';
import type { Instance } from '../instance/instance.js';
import { closedByHolder } from '../instance/instance-errors.js';
import type { Principal } from '../principals/principal.js';
import { redactedUrl } from '../upstream/evidence/redaction.js';
import type { Workspace } from '../upstream/workspace.js';
import { unlessAborted } from '../waiting/abort.js';
import { LeasedTab } from './leased-tab.js';
import { type CallTerms, callPlaced } from './placed-call.js';

/** Who holds a lease, in words for status and messages: `session alice`, `script run`, `call browser_click`. */
export type Holder = string;

export interface ReleaseOptions {
  /** Leave the browser as it is, whatever `RESET` says. */
  detach?: boolean;
}

/**
 * Exclusive use of one instance, from grant to release.
 *
 * `await using lease = await pools.lease()` releases it at the end of the block, also after an error.
 */
export class Lease implements AsyncDisposable {
  readonly id = randomUUID();
  readonly holder: Holder;
  readonly principal: Principal | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly #instance: Instance;
  readonly #browser: HeldBrowser;
  readonly #workspace: Workspace;
  readonly #allowUnsafeCode: boolean;
  readonly #onRelease: (options: ReleaseOptions) => Promise<void>;
  readonly #revoked = new AbortController();
  /** Aborts when the lease ends, however it does: a call that still runs ends with it. */
  readonly #ended = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();
  #released: Promise<void> | undefined;

  /** Made by a pool only. */
  constructor(options: {
    instance: Instance;
    clock: Clock;
    workspace: Workspace;
    holder: Holder;
    principal: Principal | undefined;
    allowUnsafeCode: boolean;
    startedAt: number;
    onRelease: (options: ReleaseOptions) => Promise<void>;
  }) {
    // As many listeners as calls that run at once; Node warns from eleven on.
    setMaxListeners(0, this.#ended.signal);
    const { instance, clock, workspace } = options;
    this.#instance = instance;
    this.#browser = new HeldBrowser({ instance, clock, folders: workspace, ended: this.#ended.signal });
    this.#workspace = workspace;
    this.#allowUnsafeCode = options.allowUnsafeCode;
    this.#onRelease = options.onRelease;
    this.holder = options.holder;
    this.principal = options.principal;
    this.startedAt = options.startedAt;
  }

  /** What its events are about. */
  get about(): { pool: string; instance: string; lease: string; holder: Holder; principal?: string } {
    const { pool, instance, id: lease, holder, principal } = this;
    return { pool, instance, lease, holder, ...(principal ? { principal: principal.name } : {}) };
  }

  get pool(): string {
    return this.#instance.config.pool;
  }

  /** The instance's numeric id. */
  get instance(): string {
    return this.#instance.id;
  }

  /** The configuration of the leased instance. */
  get config(): InstanceConfig {
    return this.#instance.config;
  }

  /** Aborts, with the error that later calls get, when the lease is taken back: a crash, a shutdown, `LEASE_MAX`. */
  get revoked(): AbortSignal {
    return this.#revoked.signal;
  }

  /** Aborts, with the error that later calls get, when the lease is over: taken back or released. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Runs one browser tool on the leased instance.
   * @throws PwpoolError `LEASE_REVOKED` after release, the reason after a revocation, `TOOL_NOT_FOUND` for a tool that runs
   *   code in this process unless `ALLOW_UNSAFE_CODE`, else as `HeldBrowser.callTool`.
   *   A call that still runs at that moment is ended with the same error.
   */
  async callTool(
    name: string,
    args: ToolArguments = {},
    options: { signal?: AbortSignal } = {},
  ): Promise<ToolResult> {
    const call = this.#callTool(name, args, options.signal);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  async #callTool(name: string, args: ToolArguments, signal: AbortSignal | undefined): Promise<ToolResult> {
    return await callPlaced(this.#terms(this.#workspace), name, args, (placed) =>
      this.#browser.callTool(name, placed, signal),
    );
  }

  /**
   * Opens a tab with tools of its own, for one of several that work in the browser at once: from the first on, the lease is used by its
   * tabs alone. A tab ends with the lease.
   * @param workspace where the tools of the tab read and write files
   * @throws PwpoolError as `callTool`; `BROWSER_NOT_READY` when the browser is behind a remote tool server, or opens none
   */
  async openTab(workspace: Workspace = this.#workspace): Promise<LeasedTab> {
    this.#usable();
    return new LeasedTab(this, await this.#browser.openTab(workspace), this.#terms(workspace));
  }

  /**
   * Playwright's own context of the instance. It is the lease's: unless that has `keep`, an isolated one is closed, with
   * its pages, before the release has ended. A profile's stays open for the next holder, without those pages.
   * @throws PwpoolError as `callTool`; `BROWSER_NOT_READY` when the browser is behind a remote tool server, or was closed by
   *   `browser_close` and not used since
   */
  context(): BrowserContext {
    const { browser, context } = this.#usable();
    if (context) return context;
    if (!browser) throw closedByHolder(this.config);
    throw new PwpoolError(
      'BROWSER_NOT_READY',
      `Instance '${this.instance}' of pool '${this.pool}' gives no Playwright objects.`,
      {
        hint: 'Use callTool, or a pool whose driver is embedded.',
      },
    );
  }

  /** Starts a browser again that `browser_close` closed. Throws as `callTool`. */
  async reopen(): Promise<void> {
    this.#ended.signal.throwIfAborted();
    await this.#browser.reopen();
  }

  /** The first page of the context, opened if there is none, as is a browser that was closed. Throws as `context`. */
  async page(): Promise<Page> {
    await this.reopen();
    const context = this.context();
    // Playwright 1.65.1 waits for ever for a page that was being made when the browser died.
    return context.pages()[0] ?? (await unlessAborted(this.#ended.signal, context.newPage()));
  }

  /**
   * The open pages, first the one that the tools work in; `undefined` when the browser is behind a remote tool server. A
   * browser that was closed has none.
   * @throws PwpoolError `LEASE_REVOKED` after release, the reason after a revocation
   */
  openPages(): Page[] | undefined {
    const { browser, context } = this.#usable();
    if (!browser) return [];
    const current = browser.currentPage;
    const pages = context?.pages();
    if (!pages || !current || !pages.includes(current)) return pages;
    return [current, ...pages.filter((page) => page !== current)];
  }

  /** Where the page is, when there is just one, as its tools would tell it: without what `REDACT_URL_PARAMS` names. */
  pageUrl(): string | undefined {
    const pages = this.#instance.context?.pages() ?? [];
    return pages.length === 1 ? redactedUrl(pages[0]?.url(), this.config.settings) : undefined;
  }

  /** Where a file lies that an answer names, if it is this holder's (`Workspace.ownFile`). */
  ownFile(name: string): string | undefined {
    return this.#workspace.ownFile(name);
  }

  /** Gives the instance back. Idempotent; resolves when the instance is in circulation again. */
  release(options: ReleaseOptions = {}): Promise<void> {
    this.#released ??= this.#end(released(this), options);
    return this.#released;
  }

  /**
   * Takes the instance from its holder and gives it back: later use throws `reason`. Nothing happens to a lease that is
   * over. Resolves as `release`.
   */
  expire(reason: PwpoolError): Promise<void> {
    if (this.#released === undefined) {
      this.#released = this.#end(reason, {});
      this.#revoked.abort(reason);
    }
    return this.#released;
  }

  async #end(reason: PwpoolError, options: ReleaseOptions): Promise<void> {
    this.#ended.abort(reason);
    // What mends the pages after a call that was given up must not come upon those of the next holder.
    await Promise.allSettled(this.#calls);
    await this.#onRelease(options);
  }

  /** Ends the lease because its browser is gone: later use throws `reason`. The pool frees the instance itself. */
  revoke(reason: PwpoolError): void {
    this.#released ??= Promise.resolve();
    this.#ended.abort(reason);
    this.#revoked.abort(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  #terms(workspace: Workspace): CallTerms {
    const { config, ended, revoked } = this;
    return { config, workspace, allowUnsafeCode: this.#allowUnsafeCode, ended, revoked };
  }

  #usable(): Instance {
    this.#ended.signal.throwIfAborted();
    return this.#instance;
  }
}

function released({ instance, pool }: Lease): PwpoolError {
  return new PwpoolError(
    'LEASE_REVOKED',
    `The lease of instance '${instance}' of pool '${pool}' was released.`,
    { hint: 'Take a new lease; the instance may have another holder by now.' },
  );
}
