import type { Clock } from '../clock.js';
import type { InstanceConfig, PoolConfig, PoolSettings } from '../config/model.js';
import type { BrowserDriver } from '../driver/browser-driver.js';
import type { PwpoolError } from '../errors.js';
import { type LeaseFairness, LeaseQueue, type LineFullInfo } from '../lease/lease-queue.js';
import type { Pressure } from '../pressure/pressure.js';
import { mayUse, type Principal } from '../principals/principal.js';
import type { Workspaces } from '../upstream/workspace.js';
import { Semaphore } from '../waiting/semaphore.js';
import type { BrowserMutex } from './browser-mutex.js';
import type { Emitter } from './emitter.js';
import { heldLeases, leaseTimedOut, poolBusy } from './pool-errors.js';
import type { PoolEvents } from './pool-events.js';
import { whyUnavailable } from './slot-owner.js';
import { Slots } from './slots.js';
import { StartGate } from './start-gate.js';

export interface PoolOptions {
  config: PoolConfig;
  driver: BrowserDriver;
  clock: Clock;
  /** Shared by all pools. */
  workspaces: Workspaces;
  /** Whether holders may run code in this process. */
  allowUnsafeCode: boolean;
  /** How those who wait are served; default `principal`. */
  fairness?: LeaseFairness | undefined;
  events: Emitter<PoolEvents>;
  /** Whether browsers may be started; `undefined`: always. */
  pressure?: Pressure | undefined;
  /** Shared by all pools. */
  mutex: BrowserMutex;
  /** The other pools. */
  others: () => readonly OtherPool[];
  /** From 0 to 1, as `Math.random`, which is the default. */
  random?: () => number;
}

/** What a pool knows of another one. */
export interface OtherPool {
  readonly name: string;
  readonly isOpen: boolean;
  readonly config: PoolConfig;
}

/** What all parts of a pool share: its slots, the queue, the gate for starts, and what holds for all of them. */
export class PoolContext {
  readonly name: string;
  readonly clock: Clock;
  readonly driver: BrowserDriver;
  readonly workspaces: Workspaces;
  readonly allowUnsafeCode: boolean;
  readonly events: Emitter<PoolEvents>;
  readonly pressure: Pressure | undefined;
  readonly mutex: BrowserMutex;
  readonly random: () => number;
  readonly others: () => readonly OtherPool[];
  readonly slots: Slots;
  readonly queue: LeaseQueue;
  readonly gate: StartGate;
  /** A place for each browser in service that is being replaced (`RESTART_CONCURRENCY`). */
  readonly replacing: Semaphore;
  /** The configuration that holds; scaling and reloading put another one in its place. */
  config: PoolConfig;
  /** Set as soon as the pool is to be closed: it gives no new lease. */
  shuttingDown: PwpoolError | undefined;
  /** Set when it is closed: no browser is looked after any more. */
  closedBy: PwpoolError | undefined;

  constructor(options: PoolOptions) {
    const { config, clock, pressure } = options;
    this.name = config.name;
    this.config = config;
    this.clock = clock;
    this.driver = options.driver;
    this.workspaces = options.workspaces;
    this.allowUnsafeCode = options.allowUnsafeCode;
    this.events = options.events;
    this.pressure = pressure;
    this.mutex = options.mutex;
    this.random = options.random ?? Math.random;
    this.others = options.others;
    this.slots = new Slots(config.name);
    this.queue = new LeaseQueue({
      clock,
      strategy: config.settings.strategy,
      ...(options.fairness ? { fairness: options.fairness } : {}),
      limit: config.settings.queueLimit,
      onTimeout: (info) =>
        leaseTimedOut({
          ...this.#refusal(info),
          instances: [...this.slots].map(({ instance }) => instance),
          unavailable: this.unavailable(),
          throttled: this.throttled,
        }),
      onFull: (info) => poolBusy(this.#refusal(info)),
      // At once: the start takes its place at the gate before another cold instance is granted.
      onCold: (grant) => this.slots.get(grant.key)?.beginStart(grant),
    });
    this.gate = new StartGate({
      limit: () => this.settings.startConcurrency,
      pressure,
      onChange: () => this.holdStarts(),
    });
    this.replacing = new Semaphore(config.settings.restartConcurrency);
  }

  get settings(): PoolSettings {
    return this.config.settings;
  }

  /** Why no browser is started at the moment. */
  get throttled(): string | undefined {
    return this.pressure?.reason;
  }

  /** The other pools of a caller that have browsers. */
  elsewhere(principal: Principal | undefined): string[] {
    return this.others().flatMap(({ name, isOpen }) => (isOpen && mayUse(principal, name) ? [name] : []));
  }

  /** What the instance of that id is to be like by now. */
  configOf(id: string): InstanceConfig | undefined {
    return this.config.instances.find((each) => each.id === id);
  }

  /** Who holds what, and for how long, as far as a caller is told. */
  held(principal: Principal | undefined): ReturnType<typeof heldLeases> {
    const leases = [...this.slots].flatMap(({ lease }) => lease ?? []);
    return heldLeases(leases, this.clock.now(), principal);
  }

  /** Which instances nobody can lease although nobody holds them, and why. */
  unavailable(): { instance: string; why: string }[] {
    const now = this.clock.now();
    return [...this.slots].flatMap(({ id, owner }) => {
      const why = whyUnavailable(owner, now);
      return why === undefined ? [] : [{ instance: id, why }];
    });
  }

  /** While no browser can start, no lease is given that would need one. */
  holdStarts(): void {
    this.queue.holdCold(this.gate.isFull);
  }

  #refusal<Info extends LineFullInfo>({ principal, ...info }: Info) {
    return {
      info,
      pool: this.name,
      held: this.held(principal),
      elsewhere: this.elsewhere(principal),
    };
  }
}
