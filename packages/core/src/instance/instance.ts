import type { BrowserContext } from 'playwright';
import { type Clock, withDeadline } from '../clock.js';
import type { InstanceConfig } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { BrowserDriver, BrowserHandle } from '../driver/browser-driver.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { callTimedOut, callTimeout, pageClosed } from './call-deadline.js';
import { type HealthRecord, type InstanceState, mayBecome } from './instance-state.js';

/** Milliseconds that closing may take, a start under way included. */
const CLOSE_MS = 8_000;

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
  /** Browsers that were lost or given up and are still being cleared away. */
  readonly #leaving = new Set<Promise<void>>();
  /** Aborted for good by `close`: a start under way is undone, a later one refused, other waits end. */
  readonly #closing = new AbortController();
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
    this.#refuseIfClosing();
    if (this.#state === 'healthy' || this.#state === 'suspect') return;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  async #start(): Promise<void> {
    this.#become('starting');
    const starting = this.#driver.start(this.config);
    let handle: BrowserHandle;
    try {
      handle = await this.#untilStarted(starting);
    } catch (error) {
      if (!this.#isClosing) this.fail(reasonOf(error));
      // One that is up after all, too late, is nobody's.
      starting.then((late) => this.#clearAway(late)).catch(() => {});
      throw error;
    }
    if (this.#isClosing) {
      await this.#clearAway(handle);
      this.#refuseIfClosing();
    }
    if (handle.lost.aborted) {
      // A failed start, and told as that only: `onLost` beside it would have the owner restart twice.
      this.fail(reasonOf(handle.lost.reason));
      void this.#clearAway(handle);
      throw handle.lost.reason;
    }
    this.#handle = handle;
    handle.lost.addEventListener('abort', () => this.#lose(handle), { once: true });
    this.#become('healthy');
    this.#record(null);
  }

  async #untilStarted(starting: Promise<BrowserHandle>): Promise<BrowserHandle> {
    const { id, pool, settings } = this.config;
    const timeoutMs = settings.startTimeout;
    const message = `The browser of instance '${id}' of pool '${pool}' did not start within ${timeoutMs} ms.`;
    const onTimeout = () =>
      new PwpoolError('BROWSER_NOT_READY', message, { hint: 'START_TIMEOUT sets the limit.' });
    return await withDeadline({ clock: this.#clock, timeoutMs, onTimeout }, 'start', () => starting);
  }

  /**
   * Runs one tool on the browser, within the deadline that the configuration sets for it.
   *
   * A call that is given up leaves the browser usable: what blocks the page is stopped before this returns.
   * @param signals any of them ends the call
   * @throws PwpoolError `NAVIGATION_TIMEOUT`, `CALL_TIMEOUT`, `INSTANCE_CRASHED`, `CANCELLED`, `BROWSER_NOT_READY`, or
   *   the PwpoolError that a signal was aborted with
   */
  async callTool(
    name: string,
    args: ToolArguments,
    ...signals: readonly (AbortSignal | undefined)[]
  ): Promise<ToolResult> {
    const handle = this.#running();
    const timeoutMs = callTimeout(name, args, this.config.settings);
    const onTimeout = () => callTimedOut(name, args, timeoutMs);
    let result: ToolResult;
    try {
      result = await withDeadline(
        { clock: this.#clock, timeoutMs, signals: [...signals, handle.lost], onTimeout },
        name,
        (stop) => (name === 'browser_close' ? closePages(handle) : handle.callTool(name, args, stop)),
      );
    } catch (error) {
      // A browser that was lost, given up or closed needs no mending.
      if (handle !== this.#handle || this.#isClosing || !(await handle.unblock())) throw error;
      throw pageClosed(error);
    }
    if (result.isError) {
      // The tool may have failed for the lack of a browser, an instant before the driver is told.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (handle.lost.aborted) throw handle.lost.reason;
    }
    return result;
  }

  /**
   * A clean start for the next holder, within `START_TIMEOUT`. Nothing to do when no browser runs.
   * @throws PwpoolError `CALL_TIMEOUT`, `INSTANCE_CRASHED`, `SHUTTING_DOWN`, else as the driver
   */
  async reset(): Promise<void> {
    const handle = this.#handle;
    if (!handle) return;
    const timeoutMs = this.config.settings.startTimeout;
    const onTimeout = () =>
      new PwpoolError('CALL_TIMEOUT', `The browser was not reset within ${timeoutMs} ms.`);
    const signals = [handle.lost, this.#closing.signal];
    await withDeadline({ clock: this.#clock, timeoutMs, signals, onTimeout }, 'reset', () => handle.reset());
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
        { clock: this.#clock, timeoutMs, signals: [handle.lost, this.#closing.signal], onTimeout },
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
    if (handle) await this.#clearAway(handle);
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

  /** Closes the browser for good, and waits for those before it that are still being cleared away. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#become('draining');
    this.#closing.abort(
      new PwpoolError('SHUTTING_DOWN', `Instance '${this.id}' of pool '${this.config.pool}' is closing.`),
    );
    const handle = this.#handle;
    this.#handle = undefined;
    const gone = async () => {
      await this.#starting?.catch(() => {});
      await Promise.all(this.#leaving);
      await handle?.[Symbol.asyncDispose]();
    };
    const onTimeout = () =>
      new PwpoolError(
        'CALL_TIMEOUT',
        `Instance '${this.id}' of pool '${this.config.pool}' did not close in time.`,
      );
    try {
      await withDeadline({ clock: this.#clock, timeoutMs: CLOSE_MS, onTimeout }, 'closing', gone);
    } catch (error) {
      // A browser that is only now coming up is cleared away when it does; nobody has to wait for that.
      if (!(error instanceof PwpoolError && error.code === 'CALL_TIMEOUT')) throw error;
    } finally {
      this.#become('stopped');
    }
  }

  #running(): BrowserHandle {
    this.#refuseIfClosing();
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

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #refuseIfClosing(): void {
    this.#closing.signal.throwIfAborted();
  }

  #lose(handle: BrowserHandle): void {
    if (handle !== this.#handle || this.#isClosing) return;
    const error = handle.lost.reason as PwpoolError;
    this.fail(error.message);
    this.#onLost(error);
    void this.#clearAway(handle);
  }

  /** Ends a browser of no more use. It has been replaced by then, so nobody can do more about a failure than this. */
  #clearAway(handle: BrowserHandle): Promise<void> {
    const leaving = handle[Symbol.asyncDispose]()
      .catch(() => {})
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    return leaving;
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

/** Upstream's `browser_close` closes nothing of a context that it was given, and is of no use afterwards. */
async function closePages(handle: BrowserHandle): Promise<ToolResult> {
  await handle.reset();
  return {
    content: [{ type: 'text', text: '### Result\nNo open tabs. Navigate to a URL to create one.' }],
  };
}
