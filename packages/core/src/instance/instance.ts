import type { BrowserContext } from 'playwright';
import type { Clock } from '../clock.js';
import type { InstanceConfig } from '../config/model.js';
import type { BrowserDriver, BrowserHandle } from '../driver/browser-driver.js';
import { PwpoolError, reasonOf } from '../errors.js';
import type { WorkFolders } from '../upstream/workspace.js';
import { withDeadline } from '../waiting/deadline.js';
import { Departures } from './departures.js';
import { findFault } from './find-fault.js';
import { closing, notClosed, notReset, notRunning, notStarted } from './instance-errors.js';
import type { InstanceObserver } from './instance-observer.js';
import { type HealthRecord, type InstanceState, mayBecome } from './instance-state.js';
import { launch } from './launch.js';

/** Milliseconds that closing may take, a start under way included. */
const CLOSE_MS = 8_000;

export interface InstanceOptions {
  config: InstanceConfig;
  driver: BrowserDriver;
  clock: Clock;
  observer: InstanceObserver;
  /** Waits until a browser may be started; what it gives is called when that start is over. */
  enterStart: (signal: AbortSignal) => Promise<() => void>;
}

/** What the owner of an instance may know of its browser, and do to it. */
export type RunningBrowser = Pick<
  BrowserHandle,
  'owned' | 'processId' | 'sharedBy' | 'currentPage' | 'retire'
>;

/** One leasable browser: its state and its driver's handle. It knows nothing of leases and holders. */
export class Instance {
  readonly #options: InstanceOptions;
  readonly #clock: Clock;
  readonly #observer: InstanceObserver;
  /** As configured, and as it is in force: with the mode of the holder, if that asked for one. */
  #configured: InstanceConfig;
  #config: InstanceConfig;
  #headless: boolean | undefined;
  #state: InstanceState = 'stopped';
  #handle: BrowserHandle | undefined;
  #startedAt: number | null = null;
  /** A call had no answer since the last good probe: the browser may be stuck where a ping does not reach. */
  #doubted = false;
  #startFailed = false;
  #starting: Promise<void> | undefined;
  /** Ends the wait of a start for its turn. */
  #turn: AbortController | undefined;
  readonly #departures = new Departures();
  /** Aborted for good by `close`: a start under way is undone, a later one refused, other waits end. */
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;
  #health: HealthRecord = { lastCheck: null, responsive: false, error: null };

  constructor(options: InstanceOptions) {
    this.#options = options;
    this.#configured = this.#config = options.config;
    this.#clock = options.clock;
    this.#observer = options.observer;
  }

  /** In force, or from the next start on. */
  get config(): InstanceConfig {
    return this.#config;
  }

  /** The same without the mode that a holder asked for. */
  get configured(): InstanceConfig {
    return this.#configured;
  }

  get id(): string {
    return this.#config.id;
  }

  get state(): InstanceState {
    return this.#state;
  }

  get health(): HealthRecord {
    return this.#health;
  }

  /** The last try to start a browser failed, and there was none since. */
  get startFailed(): boolean {
    return this.#startFailed;
  }

  /** The running browser's, if there is one. */
  get browser(): RunningBrowser | undefined {
    return this.#handle;
  }

  /** When the running browser came up, milliseconds since the epoch; `null` when none runs. */
  get startedAt(): number | null {
    return this.#handle ? this.#startedAt : null;
  }

  /** The context in use, or `undefined` when no browser runs or the driver has none to give. */
  get context(): BrowserContext | undefined {
    return this.#handle?.context;
  }

  /** Takes effect with the next start: the owner stops the browser first. */
  reconfigure(config: InstanceConfig): void {
    this.#configured = config;
    this.runHeadless(this.#headless);
  }

  /** Takes effect with the next start: with or without a window, whatever is configured; `undefined`: as configured. */
  runHeadless(headless: boolean | undefined): void {
    const { settings } = this.#configured;
    this.#headless = headless;
    this.#config =
      headless === undefined || headless === settings.headless
        ? this.#configured
        : { ...this.#configured, settings: { ...settings, headless } };
  }

  /**
   * Makes sure that the browser runs. Concurrent callers share one start.
   * @throws PwpoolError `BROWSER_NOT_READY`, `SHUTTING_DOWN`
   */
  async start(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    if (this.#handle) return;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  async #start(): Promise<void> {
    this.#become('starting');
    const turn = new AbortController();
    this.#turn = turn;
    let leave = () => {};
    let begunAt: number | undefined;
    try {
      leave = await this.#options.enterStart(turn.signal);
      turn.signal.throwIfAborted();
      this.#turn = undefined;
      begunAt = this.#clock.now();
      const { signal } = this.#closing;
      const [config, departures] = [this.#config, this.#departures];
      this.#use(await launch({ ...this.#options, config, departures, signal }));
      this.#observer.startEnded(this.#clock.now() - begunAt, undefined);
    } catch (error) {
      if (!this.#isClosing) {
        this.fail(causeOf(error));
        // One that never had its turn was not begun.
        this.#startFailed = begunAt !== undefined;
        if (begunAt !== undefined) this.#observer.startEnded(this.#clock.now() - begunAt, error);
      }
      throw error;
    } finally {
      leave();
    }
  }

  #use(handle: BrowserHandle): void {
    if (this.#isClosing || handle.lost.aborted) {
      void this.#departures.discard(handle);
      // A loss is not told to the observer beside the failed start: its owner would restart twice.
      throw this.#isClosing ? this.#closing.signal.reason : handle.lost.reason;
    }
    this.#handle = handle;
    this.#startedAt = this.#clock.now();
    this.#doubted = false;
    this.#startFailed = false;
    handle.lost.addEventListener('abort', () => this.#lose(handle), { once: true });
    this.#become('healthy');
    this.#record(null);
  }

  /**
   * The browser, to be called by whoever holds the instance.
   * @throws PwpoolError `BROWSER_NOT_READY`, `SHUTTING_DOWN`
   */
  running(): BrowserHandle {
    this.#closing.signal.throwIfAborted();
    if (this.#handle) return this.#handle;
    throw notRunning(this.#config, this.#health.error);
  }

  /** Whether that browser is still the one in use. */
  uses(handle: BrowserHandle): boolean {
    return handle === this.#handle && !this.#isClosing;
  }

  /** A call on that browser is over, as `InstanceObserver.callEnded` has it. */
  callEnded(handle: BrowserHandle, tool: string, elapsedMs: number, error: unknown, isError: boolean): void {
    if (error !== undefined && this.uses(handle)) this.#doubted = true;
    this.#observer.callEnded(tool, elapsedMs, error, isError);
  }

  /**
   * A clean start for the next holder, within `START_TIMEOUT`. Nothing to do when no browser runs.
   * @throws PwpoolError `BROWSER_NOT_READY`, `INSTANCE_CRASHED`, `SHUTTING_DOWN`, else as the driver
   */
  async reset(): Promise<void> {
    const handle = this.#handle;
    if (!handle) return;
    const timeoutMs = this.#config.settings.startTimeout;
    const signals = [handle.lost, this.#closing.signal];
    const deadline = { clock: this.#clock, timeoutMs, signals, onTimeout: () => notReset(timeoutMs) };
    await withDeadline(deadline, 'reset', (signal) => handle.reset(signal, true));
  }

  /** Has the tools work in these folders, as `BrowserHandle.workIn`. Nothing to do when no browser runs. */
  async workIn(folders: WorkFolders): Promise<void> {
    await this.#handle?.workIn(folders);
  }

  /**
   * Probes the browser: process alive, then a round trip, then, while nobody holds the instance or after a call without
   * an answer, a closer look. Takes part in no call, and needs no lease.
   * @returns whether it answered in time; `health` tells more
   */
  async probe(timeoutMs: number, isIdle: () => boolean): Promise<boolean> {
    const handle = this.#handle;
    if (!handle) return false;
    const signal = this.#closing.signal;
    const doubted = this.#doubted;
    this.#doubted = false;
    const error = await findFault(handle, { clock: this.#clock, timeoutMs, signal, isIdle, doubted });
    if (handle !== this.#handle) return error === null;
    if (error !== null && doubted) this.#doubted = true;
    this.#record(error);
    if (error !== null && this.#state === 'healthy') this.#become('suspect');
    if (error === null && this.#state === 'suspect') this.#become('healthy');
    return error === null;
  }

  /**
   * Asks for a sign of life, which takes a browser that is well no time. One that gives none is `suspect`; only a probe
   * clears it.
   */
  async glance(timeoutMs: number): Promise<void> {
    const handle = this.#handle;
    if (!handle) return;
    const onTimeout = () => new PwpoolError('CALL_TIMEOUT', `No answer within ${timeoutMs} ms.`);
    const signals = [handle.lost, this.#closing.signal];
    const deadline = { clock: this.#clock, timeoutMs, signals, onTimeout };
    const fault = await withDeadline(deadline, 'status', () => handle.ping()).then(() => null, reasonOf);
    if (handle !== this.#handle || this.#state !== 'healthy') return;
    this.#record(fault);
    if (fault !== null) this.#become('suspect');
  }

  /** Gives the browser up: closes or kills it, whatever it does. Ends in `failed`, and `lost` is not told. */
  async abandon(reason: string): Promise<void> {
    const handle = this.#handle;
    this.fail(reason);
    if (handle) await this.#departures.discard(handle);
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

  /** Shows that the browser is to be closed; its holder may go on until `stop`. A start is given up before its turn. */
  drain(): void {
    this.#turn?.abort(notStarted(this.#config));
    if (this.#handle && this.#state !== 'draining') this.#become('draining');
  }

  /**
   * Closes the browser; it may be started again. A start under way is awaited first, or given up before its turn.
   * Rejects as the driver does.
   */
  async stop(): Promise<void> {
    this.#turn?.abort(notStarted(this.#config));
    await this.#starting?.catch(() => {});
    if (this.#isClosing || this.#state === 'stopped') return;
    await this.#end();
  }

  /**
   * Closes the browser for good, and waits for those before it that are still being cleared away. Idempotent. Rejects as
   * the driver does.
   */
  close(): Promise<void> {
    if (!this.#closed) {
      const reason = closing(this.#config);
      this.#closing.abort(reason);
      this.#turn?.abort(reason);
      this.#closed = this.#end();
    }
    return this.#closed;
  }

  async #end(): Promise<void> {
    if (this.#state !== 'draining') this.#become('draining');
    const handle = this.#handle;
    this.#handle = undefined;
    this.#health = { ...this.#health, responsive: false, error: null };
    this.#startFailed = false;
    const gone = async () => {
      const ended = handle && this.#departures.end(handle);
      await this.#starting?.catch(() => {});
      await this.#departures.allGone();
      await ended;
    };
    try {
      await withDeadline({ clock: this.#clock, timeoutMs: CLOSE_MS, onTimeout: notClosed }, 'closing', gone);
    } catch (error) {
      // A browser that is only now coming up is cleared away when it does; nobody has to wait for that.
      if (!(error instanceof PwpoolError && error.code === 'CALL_TIMEOUT')) throw error;
    } finally {
      if (this.state !== 'stopped') this.#become('stopped');
    }
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #lose(handle: BrowserHandle): void {
    if (handle !== this.#handle || this.#isClosing) return;
    const error = handle.lost.reason as PwpoolError;
    this.fail(error.message);
    void this.#departures.discard(handle);
    this.#observer.lost(error);
  }

  #record(error: string | null): void {
    this.#health = { lastCheck: this.#clock.now(), responsive: error === null, error };
  }

  #become(state: InstanceState): void {
    const from = this.#state;
    if (!mayBecome(from, state)) {
      throw new Error(`Instance ${this.#config.pool}/${this.id} cannot go from ${from} to ${state}.`);
    }
    this.#state = state;
    this.#observer.stateChanged(from, state);
  }
}

/** Why a browser did not start and what to do about it: status and later refusals have nothing else to tell. */
function causeOf(error: unknown): string {
  const reason = reasonOf(error);
  if (!(error instanceof PwpoolError) || error.hint === undefined) return reason;
  return `${reason}${reason.endsWith('.') ? '' : '.'} ${error.hint}`;
}
