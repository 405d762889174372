import type { BrowserContext, Page } from 'playwright';
import type { CancelTimer, Clock } from '../clock.js';
import type { InstanceConfig } from '../config/model.js';
import type { ToolArguments } from '../connection/tool-connection.js';
import { type ErrorCode, PwpoolError } from '../errors.js';
import type { Lease, ReleaseOptions } from '../pool/lease.js';
import type { LeaseWait } from '../pool/lease-options.js';
import type { Principal } from '../principals/principal.js';
import type { WaitingCalls } from '../principals/waiting-calls.js';
import { traitsOf } from '../upstream/tool-table.js';
import type { Workspace } from '../upstream/workspace.js';
import { Mutex } from '../waiting/mutex.js';
import { sessionGoesOn, sessionIdle, sessionLost } from './session-errors.js';
import type { Interruption, SessionAnswer, SessionInfo } from './session-report.js';
import type { BrowserState } from './state/browser-state.js';
import type { Checkpoint, SessionRecord } from './state/checkpoint.js';
import type { SessionCheckpoint } from './state/checkpoint-store.js';
import { CheckpointTimer } from './state/checkpoint-timer.js';
import type { RestoredState } from './state/restore-state.js';
import { StateKeeper } from './state/state-keeper.js';

export interface SessionOptions {
  id: string;
  /** What others than its owner see of the name. */
  shownId: string;
  /** The client that started it and alone may use it. */
  client: string;
  /** On whose behalf. */
  principal: Principal | undefined;
  waitingCalls: WaitingCalls;
  /** Left out for one that had its browser in a server that was killed: it gets another one with its next call. */
  lease?: Lease | undefined;
  /** The instance that it has, or one like that which it had. */
  config: InstanceConfig;
  /** Where it is kept for a server that comes after this one. Default: nowhere. */
  kept?: { record: SessionRecord; checkpoint: SessionCheckpoint; known?: Checkpoint | undefined } | undefined;
  /** The session's folders, whatever browser it has. It disposes of them. */
  workspace: Workspace;
  clock: Clock;
  /** Milliseconds without a call after which the session ends. */
  idleTimeoutMs: number;
  /** Whether a session whose browser is lost goes on in a new one. */
  restorable: boolean;
  /** Leases another instance like the first one. */
  leaseAgain: (options: CallOptions) => Promise<Lease>;
  /** Closes the session, for who disposes of it. */
  close: (session: Session) => Promise<unknown>;
  /** The session is over of itself: its browser was lost for good, or it was idle for too long. */
  onEnd: (session: Session, error: PwpoolError, reason: string) => void;
}

/** What a call of a session may bring along. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Called when the session has to wait for a browser. */
  onWait?: ((wait: LeaseWait) => void) | undefined;
}

export interface UseSessionOptions extends CallOptions {
  /** What it is for, in messages. */
  what?: string | undefined;
}

/** A session's browser, for as long as `Session.use` has it. */
export type SessionBrowser = Pick<Lease, 'callTool' | 'config' | 'ended' | 'pool' | 'ownFile'>;

/**
 * A named, sticky lease: the calls that bear its id reach the same browser, in order.
 *
 * A session outlives its browser: when that crashes, or is given to someone who waits, the next call gets another one
 * with the last cookies, storage and URL.
 */
export class Session implements AsyncDisposable {
  readonly id: string;
  readonly client: string;
  readonly principal: Principal | undefined;
  readonly #options: SessionOptions;
  readonly #line = new Mutex();
  readonly #keeper: StateKeeper;
  readonly #checkpoint: CheckpointTimer;
  readonly #createdAt: number;
  #config: InstanceConfig;
  #lease: Lease | undefined;
  #interruption: Interruption | undefined;
  #restored: SessionAnswer['restored'];
  #notices: string[] = [];
  #lastUsedAt: number;
  #cancelExpiry: CancelTimer;
  /** Aborts, with what every later call gets, once the session is over. */
  readonly #ended = new AbortController();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.id = options.id;
    this.client = options.client;
    this.principal = options.principal;
    this.#config = options.config;
    this.#keeper = new StateKeeper(options.clock, this.#line, options.kept);
    this.#checkpoint = new CheckpointTimer(options.clock, () => this.#readState());
    this.#createdAt = this.#lastUsedAt = options.clock.now();
    this.#cancelExpiry = this.#expireAfter(options.idleTimeoutMs);
    if (options.lease) this.#hold(options.lease);
    else this.#interruption = 'crashed';
  }

  /** What others than its owner see of the name. */
  get shownId(): string {
    return this.#options.shownId;
  }

  /** What a server needs that comes after this one, beside what the browser holds. */
  get record(): SessionRecord | undefined {
    return this.#options.kept?.record;
  }

  /** The instance that it has, or had last. */
  get config(): InstanceConfig {
    return this.#config;
  }

  /** False once it was closed or ended of itself. */
  get isOpen(): boolean {
    return !this.#ended.signal.aborted;
  }

  get hasBrowser(): boolean {
    return this.#lease !== undefined;
  }

  /** Milliseconds since the last call; 0 while one runs or waits. */
  get idleMs(): number {
    return this.#line.idle ? this.#options.clock.now() - this.#lastUsedAt : 0;
  }

  /** Where the page is, when there is just one. */
  pageUrl(): string | undefined {
    return this.#lease?.pageUrl();
  }

  /**
   * Runs one tool in the session's browser, after the calls before it.
   * @throws PwpoolError as `use` and `Lease.callTool`
   */
  async callTool(name: string, args: ToolArguments, options: CallOptions = {}): Promise<SessionAnswer> {
    const { signal } = options;
    const call = (browser: SessionBrowser) => browser.callTool(name, args, signal ? { signal } : {});
    return await this.use(call, { ...options, what: name });
  }

  /**
   * Has the session's browser alone, after the calls before it and until `work` is done. One that was lost or parked is
   * replaced first; the answer tells so.
   * @throws PwpoolError `SESSION_EXPIRED` when the session is over, `CANCELLED`, else as `Pool.lease` and what `work` throws
   */
  async use<Result>(
    work: (browser: SessionBrowser) => Promise<Result>,
    options: UseSessionOptions = {},
  ): Promise<SessionAnswer<Result>> {
    const used = { changing: false };
    const use = async () => {
      this.#checkpoint.hold();
      const lease = await this.#browser(options);
      const result = await this.#lend(lease, work, used);
      // With the answer in hand: a kill right behind it costs the session no page.
      if (lease === this.#lease) this.#keeper.answered(lease, used.changing);
      const answer = {
        result,
        notices: this.#notices,
        ...(this.#restored ? { restored: this.#restored } : {}),
      };
      this.#notices = [];
      this.#restored = undefined;
      return answer;
    };
    try {
      return await this.#run(use, options.what ?? 'use', options.signal);
    } finally {
      if (this.#options.restorable && this.#lease && this.isOpen) this.#checkpoint.start(used.changing);
    }
  }

  /**
   * The page that the tools work in, opened if there is none, after the calls before it. It is gone with the session's
   * browser: ask again after a crash.
   * @throws PwpoolError as `callTool`; `BROWSER_NOT_READY` when the browser is behind a remote tool server
   */
  async page(options: CallOptions = {}): Promise<Page> {
    const page = async () => {
      const lease = await this.#browser(options);
      return lease.openPages()?.[0] ?? (await lease.page());
    };
    return await this.#run(page, 'page', options.signal);
  }

  /** Playwright's own context of the session's browser. As `page` otherwise. */
  async context(options: CallOptions = {}): Promise<BrowserContext> {
    const context = async () => {
      const lease = await this.#browser(options);
      await lease.reopen();
      return lease.context();
    };
    return await this.#run(context, 'context', options.signal);
  }

  /**
   * Cookies, storage and URLs as they are now; those of the last checkpoint while the session has no browser.
   * @throws PwpoolError `BROWSER_NOT_READY` when there is nothing to read them from
   */
  async capture(options: CallOptions = {}): Promise<BrowserState> {
    return await this.#run(() => this.#capture(options.signal), 'capture', options.signal);
  }

  /** Brings a state into the session's browser, which must be new. */
  async restore(state: BrowserState, options: CallOptions = {}): Promise<RestoredState> {
    const restore = async () => await this.#keeper.bring(await this.#browser(options), state, options.signal);
    return await this.#run(restore, 'restore', options.signal);
  }

  /**
   * Saves the state and gives the browser back, unless a call runs or waits. @returns whether it did
   * @throws PwpoolError `BROWSER_NOT_READY` when the state cannot be read, or not in full: the browser stays
   */
  async park(): Promise<boolean> {
    if (!this.#line.idle || !this.#lease) return false;
    return await this.#line.run(async () => {
      const lease = this.#lease;
      if (!lease) return false;
      const { incomplete } = await this.#capture();
      // A call that came meanwhile would wait for a browser behind everybody else.
      if (this.#line.waiting > 0) return false;
      if (incomplete.length > 0) throw new PwpoolError('BROWSER_NOT_READY', incomplete.join(' '));
      this.#lease = undefined;
      this.#checkpoint[Symbol.dispose]();
      this.#interruption = 'parked';
      await lease.release();
      return true;
    }, 'parking');
  }

  /** Ends the session and gives its browser back; calls that run or wait fail. */
  async close(error: PwpoolError, options: ReleaseOptions = {}): Promise<void> {
    this.#stop(error);
    const lease = this.#lease;
    this.#lease = undefined;
    await lease?.release(options);
    this.#options.workspace[Symbol.dispose]();
  }

  info(): SessionInfo {
    const { browser, headless } = this.#config.settings;
    return {
      sessionId: this.id,
      type: 'browser',
      capabilities: { browserName: browser, headless },
      browser_pool: this.#config.pool,
      browser_instance: this.#lease?.instance ?? null,
      status: this.#interruption ?? 'active',
      createdAt: iso(this.#createdAt),
      lastUsedAt: iso(this.#lastUsedAt),
      expiresAt: iso(this.#lastUsedAt + this.#options.idleTimeoutMs),
    };
  }

  /** Closes the session, unless it is over: `await using session = …`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isOpen) await this.#options.close(this);
  }

  async #run<T>(work: () => Promise<T>, what: string, signal: AbortSignal | undefined): Promise<T> {
    using waiting = this.#line.idle ? undefined : this.#options.waitingCalls.enter(this.principal);
    return await this.#line.run(
      async () => {
        waiting?.[Symbol.dispose]();
        this.#ended.signal.throwIfAborted();
        this.#lastUsedAt = this.#options.clock.now();
        try {
          return await work();
        } finally {
          this.#lastUsedAt = this.#options.clock.now();
        }
      },
      what,
      signal,
    );
  }

  /** @param used is told whether a tool was called that may change something */
  async #lend<T>(
    lease: Lease,
    work: (browser: SessionBrowser) => Promise<T>,
    used: { changing: boolean },
  ): Promise<T> {
    try {
      return await work({
        config: lease.config,
        ended: lease.ended,
        pool: lease.pool,
        ownFile: (name) => lease.ownFile(name),
        callTool: async (name, args, options) => {
          if (!traitsOf(name)?.repeatable) used.changing = true;
          try {
            return await lease.callTool(name, args, options);
          } catch (error) {
            if (options?.signal?.aborted)
              this.#notices.push(
                `The call ${name} before this one was cancelled; what it did may have happened.`,
              );
            throw error;
          }
        },
      });
    } catch (error) {
      // Its own end gave the lease back.
      if (!lease.revoked.aborted) this.#ended.signal.throwIfAborted();
      const lost = error instanceof PwpoolError && LOSSES.has(error.code);
      if (!lost || !this.#options.restorable) throw error;
      throw sessionGoesOn(this.id, error, this.#keeper.last !== undefined);
    }
  }

  /** The lease that the session has, or a new one into which its last state was brought. */
  async #browser(options: CallOptions): Promise<Lease> {
    if (this.#lease) return this.#lease;
    const after = this.#interruption ?? 'crashed';
    const ended = this.#ended.signal;
    const signal = options.signal ? AbortSignal.any([options.signal, ended]) : ended;
    const lease = await this.#options.leaseAgain({ ...options, signal });
    try {
      const restored = await this.#keeper.bringBack(lease, signal);
      // Closed meanwhile, the session would never give this lease back.
      ended.throwIfAborted();
      this.#restored = { ...restored, after };
      this.#hold(lease);
      return lease;
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  /** What could not be read is read behind the next call. */
  #readState(): void {
    if (this.#lease) void this.#keeper.checkpoint(this.#lease).catch(() => {});
  }

  async #capture(signal?: AbortSignal): Promise<BrowserState> {
    await this.#lease?.reopen();
    const state = this.#lease ? await this.#keeper.capture(this.#lease, signal) : this.#keeper.last;
    if (state) return state;
    throw new PwpoolError('BROWSER_NOT_READY', `Session '${this.id}' has no browser and no saved state.`, {
      hint: 'Use the session first: its next call gets a browser.',
    });
  }

  #hold(lease: Lease): void {
    this.#config = lease.config;
    this.#lease = lease;
    this.#interruption = undefined;
    const lose = () => {
      if (lease === this.#lease) this.#lose(lease.revoked.reason as PwpoolError);
    };
    lease.revoked.addEventListener('abort', lose, { once: true });
    if (lease.revoked.aborted) lose();
  }

  #lose(cause: PwpoolError): void {
    this.#lease = undefined;
    this.#checkpoint[Symbol.dispose]();
    this.#interruption = cause.code === 'LEASE_REVOKED' ? 'revoked' : 'crashed';
    if (cause.code === 'SHUTTING_DOWN') this.#end(cause, cause.message);
    else if (!this.#options.restorable) this.#end(sessionLost(this.id, cause), cause.message);
  }

  #end(error: PwpoolError, reason: string): void {
    this.#stop(error);
    this.#options.workspace[Symbol.dispose]();
    this.#options.onEnd(this, this.#ended.signal.reason as PwpoolError, reason);
  }

  #stop(error: PwpoolError): void {
    this.#ended.abort(error);
    this.#cancelExpiry();
    this.#checkpoint[Symbol.dispose]();
    this.#options.kept?.checkpoint.remove();
  }

  #expireAfter(ms: number): CancelTimer {
    return this.#options.clock.after(ms, () => {
      const { clock, idleTimeoutMs } = this.#options;
      const remaining = this.#line.idle ? this.#lastUsedAt + idleTimeoutMs - clock.now() : idleTimeoutMs;
      if (remaining > 0) {
        this.#cancelExpiry = this.#expireAfter(remaining);
        return;
      }
      const lease = this.#lease;
      this.#lease = undefined;
      this.#end(sessionIdle(this.id, clock.now(), idleTimeoutMs), `It had no call for ${idleTimeoutMs} ms.`);
      void lease?.release();
    });
  }
}

/** Codes of calls whose browser is gone from the session: it died, or was taken away. */
const LOSSES: ReadonlySet<ErrorCode> = new Set(['INSTANCE_CRASHED', 'LEASE_REVOKED']);

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
