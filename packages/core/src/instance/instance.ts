import type { BrowserContext } from 'playwright';
import { type Clock, withDeadline } from '../clock.js';
import type { InstanceConfig } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { BrowserDriver, BrowserHandle } from '../driver/browser-driver.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { callTimedOut, callTimeout, pageClosed } from './call-deadline.js';
import { type InstanceState, mayBecome } from './instance-state.js';

/** What the last probe, start or crash showed. */
export interface HealthRecord {
  /** Milliseconds since the epoch; `null` before the first start. */
  lastCheck: number | null;
  responsive: boolean;
  error: string | null;
}

export interface InstanceOptions {
  config: InstanceConfig;
  driver: BrowserDriver;
  clock: Clock;
  /** Called once for each browser that is gone without having been asked to close. */
  onLost: (error: PwpoolError) => void;
}

/** One leasable browser: its state, its driver's handle, and calls on it. It knows nothing of leases. */
export class Instance {
  readonly config: InstanceConfig;
  readonly #driver: BrowserDriver;
  readonly #clock: Clock;
  readonly #onLost: (error: PwpoolError) => void;
  #state: InstanceState = 'stopped';
  #handle: BrowserHandle | undefined;
  #starting: Promise<void> | undefined;
  /** Set for good by `close`: a start under way is undone, a later one refused. */
  #closing = false;
  #health: HealthRecord = { lastCheck: null, responsive: false, error: null };

  constructor(options: InstanceOptions) {
    this.config = options.config;
    this.#driver = options.driver;
    this.#clock = options.clock;
    this.#onLost = options.onLost;
  }

  get id(): string {
    return this.config.id;
  }

  get state(): InstanceState {
    return this.#state;
  }

  get health(): HealthRecord {
    return this.#health;
  }

  get processId(): number | null {
    return this.#handle?.processId ?? null;
  }

  /** The context in use, or `undefined` when no browser runs or the driver has none to give. */
  get context(): BrowserContext | undefined {
    return this.#handle?.context;
  }

  /**
   * Makes sure that the browser runs. Concurrent callers share one start.
   * @throws PwpoolError `BROWSER_NOT_READY`, `SHUTTING_DOWN`
   */
  async start(): Promise<void> {
    if (this.#closing) throw this.#closed();
    if (this.#state === 'healthy' || this.#state === 'suspect') return;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  async #start(): Promise<void> {
    this.#become('starting');
    let handle: BrowserHandle;
    try {
      handle = await this.#driver.start(this.config);
    } catch (error) {
      if (!this.#closing) this.fail(reasonOf(error));
      throw error;
    }
    if (this.#closing) {
      await handle[Symbol.asyncDispose]();
      throw this.#closed();
    }
    this.#handle = handle;
    handle.lost.addEventListener('abort', () => this.#lose(handle), { once: true });
    if (handle.lost.aborted) {
      this.#lose(handle);
      throw handle.lost.reason;
    }
    this.#become('healthy');
    this.#record(null);
  }

  /**
   * Runs one tool on the browser, within the deadline that the configuration sets for it.
   *
   * A call that is given up leaves the browser usable: what blocks the page is stopped before this returns.
   * @throws PwpoolError `NAVIGATION_TIMEOUT`, `CALL_TIMEOUT`, `INSTANCE_CRASHED`, `CANCELLED`, `BROWSER_NOT_READY`
   */
  async callTool(name: string, args: ToolArguments, signal?: AbortSignal): Promise<ToolResult> {
    const handle = this.#running();
    if (name === 'browser_close') return await this.#closePages(handle);
    const timeoutMs = callTimeout(name, args, this.config.settings);
    const onTimeout = () => callTimedOut(name, args, timeoutMs);
    let result: ToolResult;
    try {
      const signals = [signal, handle.lost];
      result = await withDeadline({ clock: this.#clock, timeoutMs, signals, onTimeout }, name, (stop) =>
        handle.callTool(name, args, stop),
      );
    } catch (error) {
      if (handle.lost.aborted || !(await handle.unblock())) throw error;
      throw pageClosed(error);
    }
    if (result.isError) {
      // The tool may have failed for the lack of a browser, an instant before the driver is told.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (handle.lost.aborted) throw handle.lost.reason;
    }
    return result;
  }

  /** Upstream's `browser_close` closes nothing of a context that it was given, and is of no use afterwards. */
  async #closePages(handle: BrowserHandle): Promise<ToolResult> {
    await handle.reset();
    return {
      content: [{ type: 'text', text: '### Result\nNo open tabs. Navigate to a URL to create one.' }],
    };
  }

  /** A clean start for the next holder. Nothing to do when no browser runs. */
  async reset(): Promise<void> {
    await this.#handle?.reset();
  }

  /**
   * Probes the browser: process alive, then a round trip. Takes part in no call, and needs no lease.
   * @returns whether it answered in time; `health` tells more
   */
  async probe(timeoutMs: number): Promise<boolean> {
    const handle = this.#handle;
    if (!handle) return false;
    const onTimeout = () =>
      new PwpoolError('CALL_TIMEOUT', `No answer to the health check within ${timeoutMs} ms.`);
    try {
      if (handle.processId !== null) process.kill(handle.processId, 0);
      await withDeadline(
        { clock: this.#clock, timeoutMs, signals: [handle.lost], onTimeout },
        'health check',
        () => handle.ping(),
      );
    } catch (error) {
      if (handle === this.#handle) {
        this.#record(reasonOf(error));
        if (this.#state === 'healthy') this.#become('suspect');
      }
      return false;
    }
    if (handle === this.#handle) {
      this.#record(null);
      if (this.#state === 'suspect') this.#become('healthy');
    }
    return true;
  }

  /** Gives the browser up: closes or kills it, whatever it does. Ends in `failed`, and `onLost` is not called. */
  async abandon(reason: string): Promise<void> {
    const handle = this.#handle;
    this.fail(reason);
    await handle?.[Symbol.asyncDispose]();
  }

  /** Marks the instance as failed, with the reason that status shows. */
  fail(reason: string): void {
    this.#handle = undefined;
    if (mayBecome(this.#state, 'failed')) this.#become('failed');
    this.#record(reason);
  }

  /** Lets a failed instance be started again by the next lease. */
  rest(): void {
    if (this.#state === 'failed') this.#become('stopped');
  }

  /** Closes the browser for good. Idempotent. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#become('draining');
    await this.#starting?.catch(() => {});
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.[Symbol.asyncDispose]();
    this.#become('stopped');
  }

  #running(): BrowserHandle {
    if (this.#closing) throw this.#closed();
    if (this.#handle) return this.#handle;
    throw new PwpoolError(
      'BROWSER_NOT_READY',
      `Instance '${this.id}' of pool '${this.config.pool}' has no running browser.`,
      {
        hint: 'Lease it again: a lease starts the browser.',
        details: { pool: this.config.pool, instance: this.id, reason: this.#health.error },
      },
    );
  }

  #closed(): PwpoolError {
    return new PwpoolError(
      'SHUTTING_DOWN',
      `Instance '${this.id}' of pool '${this.config.pool}' is closing.`,
    );
  }

  #lose(handle: BrowserHandle): void {
    if (handle !== this.#handle || this.#closing) return;
    const error = handle.lost.reason as PwpoolError;
    this.fail(error.message);
    this.#onLost(error);
    // Frees what the driver holds for a browser that is gone: connections, temporary files.
    void handle[Symbol.asyncDispose]().catch(() => {});
  }

  #record(error: string | null): void {
    this.#health = { lastCheck: this.#clock.now(), responsive: error === null, error };
  }

  #become(state: InstanceState): void {
    if (!mayBecome(this.#state, state)) {
      throw new Error(`Instance ${this.config.pool}/${this.id} cannot go from ${this.#state} to ${state}.`);
    }
    this.#state = state;
  }
}
