import type { Clock } from '../clock.js';
import type { InstanceConfig, PoolConfig } from '../config/model.js';
import type { BrowserDriver } from '../driver/browser-driver.js';
import { PwpoolError } from '../errors.js';
import { HealthMonitor } from '../health/health-monitor.js';
import { Instance } from '../instance/instance.js';
import type { Pressure } from '../pressure/pressure.js';
import type { Workspaces } from '../upstream/workspace.js';
import { withDeadline } from '../waiting/deadline.js';
import { Availability } from './availability.js';
import type { Emitter } from './emitter.js';
import { observe } from './instance-events.js';
import type { Lease } from './lease.js';
import type { LeaseOptions } from './lease-options.js';
import { Leasing } from './leasing.js';
import { Losses } from './losses.js';
import { Members } from './members.js';
import { thoseThatRun } from './mode.js';
import type { PoolEvents } from './pool-events.js';
import {
  instanceStatus,
  mayServe,
  type PoolStatus,
  poolStatus,
  type WaitingCaller,
  waitingCaller,
} from './pool-status.js';
import { Reconfiguration } from './reconfiguration.js';
import { checkCount, scaled } from './scaling.js';
import { settled } from './settled.js';
import type { SoleUse } from './sole-use.js';
import { soonestOf } from './soonest.js';
import { StartGate } from './start-gate.js';
import { Supervisor } from './supervisor.js';
import { Upkeep } from './upkeep.js';
import { Warmth } from './warmth.js';

export interface PoolOptions {
  config: PoolConfig;
  driver: BrowserDriver;
  clock: Clock;
  /** Shared by all pools. */
  workspaces: Workspaces;
  /** Whether holders may run code in this process. */
  allowUnsafeCode: boolean;
  events: Emitter<PoolEvents>;
  /** Whether browsers may be started; `undefined`: always. */
  pressure?: Pressure | undefined;
  /** Shared by all pools. */
  soleUse: SoleUse;
  others: () => readonly Pool[];
  /** From 0 to 1, as `Math.random`, which is the default. */
  random?: () => number;
}

/** What of a pool an operation is about, and how long it waits for holders. */
export interface OperationOptions {
  /** Numeric id or alias; every instance if left out. */
  instance?: string | undefined;
  /** Milliseconds that holders have to give their instances back, before they are taken from them; default `LEASE_TIMEOUT`. */
  timeoutMs?: number | undefined;
}

/** A named group of instances with one configuration: leases them out, watches over them, tells their status. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #members: Members;
  readonly #leasing: Leasing;
  readonly #supervisor: Supervisor;
  readonly #upkeep: Upkeep;
  readonly #warmth: Warmth;
  readonly #health: HealthMonitor;
  readonly #gate: StartGate;
  readonly #stopWatching: () => void;
  readonly #availability: Availability;
  readonly #losses: Losses;
  readonly #reconfiguration: Reconfiguration;
  readonly #current: { config: PoolConfig };
  /** Set as soon as the pool is to be closed: it gives no new lease. */
  #shuttingDown: PwpoolError | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    const { config, clock, events, pressure, random = Math.random } = options;
    const current = { config };
    const settings = () => current.config.settings;
    const barred = () => pressure?.reason;
    const elsewhere = () =>
      options
        .others()
        .filter(({ isOpen }) => isOpen)
        .map(({ name }) => name);
    const members = new Members(config.name);
    this.#options = options;
    this.#current = current;
    this.#members = members;
    const gate = new StartGate({
      limit: () => settings().startConcurrency,
      pressure,
      onChange: () => this.#leasing.holdStarts(gate.isFull),
    });
    this.#gate = gate;
    this.#leasing = new Leasing({
      pool: config.name,
      clock,
      settings,
      members,
      workspaces: options.workspaces,
      allowUnsafeCode: options.allowUnsafeCode,
      events,
      barred,
      elsewhere,
      refusal: (wanted) => this.#shuttingDown ?? this.#availability.answer(wanted),
      onMove: () => this.#warmth.check(),
      onUsed: (instance) => this.#upkeep.used(instance),
      onReturn: (instance) => {
        this.#upkeep.recycleIfDue(instance);
        this.#warmth.used(instance);
      },
      onStartFailed: (instance, reason) => this.#losses.startFailed(instance, reason),
      giveUp: (instance, cause, reason) => this.#losses.giveUp(instance, cause, reason),
    });
    this.#supervisor = new Supervisor({
      clock,
      settings,
      events,
      random,
      onReady: (instance) => this.#leasing.restore(instance),
      onGivenUp: (instance) => this.#availability.refuseWaiters(instance),
    });
    const [leasing, supervisor] = [this.#leasing, this.#supervisor];
    const configOf = ({ id, config }: Instance) =>
      current.config.instances.find((each) => each.id === id) ?? config;
    const upkeep = new Upkeep({ clock, settings, events, leasing, supervisor, random, configOf, barred });
    this.#upkeep = upkeep;
    this.#warmth = new Warmth({ clock, settings, members, leasing, upkeep, barred });
    this.#availability = new Availability({
      current: () => current.config,
      members,
      leasing,
      supervisor,
      upkeep,
      elsewhere,
    });
    this.#losses = new Losses({ events, leasing, supervisor, availability: this.#availability });
    this.#health = new HealthMonitor({
      instances: () => members,
      clock,
      settings,
      idleAfter: (instance) => leasing.idleAfter(instance),
      onWell: (instances) => upkeep.look(instances),
      onUnresponsive: (instance) => this.#losses.unresponsive(instance),
    });
    this.#reconfiguration = new Reconfiguration({
      current,
      members,
      leasing,
      supervisor,
      upkeep,
      gate,
      warmth: this.#warmth,
      health: this.#health,
      availability: this.#availability,
      add: (each) => this.#add(each),
      refusal: () => this.#shuttingDown,
    });
    this.#stopWatching = pressure?.onChange(() => this.#holdStarts()) ?? (() => {});
    for (const each of config.instances) this.#add(each);
  }

  get name(): string {
    return this.#current.config.name;
  }

  /** As it is now: scaling and reloading change it. */
  get config(): PoolConfig {
    return this.#current.config;
  }

  /** Whether it has an instance that is worth waiting for. */
  get isOpen(): boolean {
    return this.#shuttingDown === undefined && this.#availability.isOpen;
  }

  /** Starts the health checks and, unless the pool is lazy, every browser. Returns at once. */
  start(): void {
    this.#holdStarts();
    this.#health.start();
    this.#warmth.start();
    for (const instance of this.#members) void this.#supervisor.begin(instance);
  }

  /**
   * Leases an instance, in order of arrival. The browser of the lease runs when this resolves.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`, `NO_HEALTHY_INSTANCES`, `LEASE_TIMEOUT`, `POOL_BUSY`, `CANCELLED`,
   *   `BROWSER_NOT_READY`, `INSTANCE_CRASHED`, `SHUTTING_DOWN`
   */
  async lease(options: LeaseOptions = {}): Promise<Lease> {
    return await this.#leasing.lease({ ...options, instance: this.#placeFor(options) });
  }

  /**
   * Which of the instances of these ids whoever asks next gets soonest; `undefined` if there is none of them.
   * @param headless those configured like this come first
   */
  soonestOf(ids: readonly string[], headless?: boolean): string | undefined {
    return soonestOf(ids, this.#members, this.#leasing, this.#availability, headless);
  }

  status(): PoolStatus {
    const now = this.#options.clock.now();
    const instances = [...this.#members].map((instance) =>
      instanceStatus(instance, this.config.description, this.#leasing.leaseOf(instance)?.startedAt, now),
    );
    const available = [...this.#members].filter(
      (instance) => this.#leasing.isFree(instance) && mayServe(instance),
    );
    return poolStatus(this.config, instances, available.length);
  }

  /** As `status`, after a look at every browser that was not asked for a moment. Takes a second at most. */
  async checkedStatus(): Promise<PoolStatus> {
    await this.#health.refresh();
    return this.status();
  }

  /** Who waits for an instance, in order of arrival. */
  waiting(): WaitingCaller[] {
    const now = this.#options.clock.now();
    return this.#leasing.waiting().map((waiter) => waitingCaller(this.config.name, waiter, now));
  }

  /**
   * Replaces browsers by new ones, as soon as nobody holds their instances; drained and given-up instances come back
   * into service.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`, `SHUTTING_DOWN`, and why a new browser did not start
   */
  async restart(options: OperationOptions = {}): Promise<void> {
    if (this.#shuttingDown) throw this.#shuttingDown;
    await this.#each(options, (instance, timeoutMs) => this.#upkeep.restart(instance, timeoutMs));
  }

  /**
   * Takes instances out of service: they give no new lease, and each browser is closed when its holder is done.
   * `restart` undoes it.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`
   */
  async drain(options: OperationOptions = {}): Promise<void> {
    await this.#each(options, async (instance, timeoutMs) => {
      const drained = this.#upkeep.drain(instance, timeoutMs);
      this.#availability.refuseWaiters(instance);
      await drained;
    });
  }

  /**
   * Changes the number of instances. New ones have the configuration that the pool gives them; the last ones are drained
   * and closed first.
   * @throws PwpoolError `INVALID_ARGUMENTS`, `CONFIG_INVALID`, `SHUTTING_DOWN`
   */
  async scale(count: number, { timeoutMs }: Pick<OperationOptions, 'timeoutMs'> = {}): Promise<void> {
    checkCount(count);
    await this.#reconfiguration.change(
      (now) =>
        scaled(
          now,
          count,
          this.#options.others().map(({ config }) => config),
        ),
      timeoutMs,
    );
  }

  /**
   * Applies another configuration of the same pool: only what differs changes. An instance with other settings gets a
   * new browser as soon as nobody holds it. Waits until what an earlier change removes is gone.
   * @throws PwpoolError `SHUTTING_DOWN`, and why a new browser did not start
   */
  async reconfigure(config: PoolConfig, options: Pick<OperationOptions, 'timeoutMs'> = {}): Promise<void> {
    await this.#reconfiguration.change(() => config, options.timeoutMs);
  }

  /**
   * Takes every lease back and closes every browser that pwpool started. With `drainMs` holders have so many milliseconds
   * first to give them back, while nobody gets a new lease. Idempotent; the earliest end holds.
   */
  async close({ drainMs = 0 }: { drainMs?: number | undefined } = {}): Promise<void> {
    this.#shuttingDown ??= new PwpoolError('SHUTTING_DOWN', `Pool '${this.name}' is shutting down.`);
    if (drainMs > 0 && !this.#closing) await this.#drainWithin(drainMs, this.#shuttingDown);
    this.#closing ??= this.#close(this.#shuttingDown);
    await this.#closing;
  }

  /** Whatever keeps an instance from being drained, such as a start under way, ends when the pool is closed. */
  async #drainWithin(timeoutMs: number, error: PwpoolError): Promise<void> {
    this.#leasing.refuseWaiters(error);
    const deadline = { clock: this.#options.clock, timeoutMs, onTimeout: () => error };
    const drained = this.drain({ timeoutMs });
    await withDeadline(deadline, 'draining', () => drained).catch(() => {});
  }

  async #close(error: PwpoolError): Promise<void> {
    this.#stopWatching();
    this.#losses.stop();
    this.#health.stop();
    this.#warmth.stop();
    this.#supervisor.stop();
    this.#leasing.close(error);
    await settled([...this.#members].map((instance) => instance.close()));
  }

  #add(config: InstanceConfig): Instance {
    const { driver, clock, events, soleUse } = this.#options;
    const instance: Instance = new Instance({
      config,
      driver,
      clock,
      enterStart: (signal) => this.#enterStart(instance, signal),
      observer: observe(events, config, {
        lost: (error) => this.#losses.lose(instance, error),
        started: () => this.#supervisor.started(instance),
        stopped: () => soleUse.end(instance),
        suspected: (isSuspect) => this.#leasing.suspect(instance, isSuspect),
        doubted: () => this.#health.doubt(instance),
      }),
    });
    this.#members.add(instance);
    this.#leasing.add(instance);
    return instance;
  }

  /** The instance for a lease that asks for a mode; else what it asks for. */
  #placeFor({ instance, headless }: LeaseOptions): string | undefined {
    if (headless === undefined) return instance;
    const wanted = instance === undefined ? undefined : this.#members.find(instance);
    const members = wanted ? [wanted] : [...this.#members];
    const able = thoseThatRun(
      members.map(({ configured }) => configured),
      { instance, headless },
    );
    const anyWillDo = able.length === members.length && !members.some((each) => this.#leasing.isIdle(each));
    if (wanted || anyWillDo) return instance;
    return this.soonestOf(
      able.map(({ id }) => id),
      headless,
    );
  }

  /** A start that need not wait has its place at the gate before this returns. */
  async #enterStart(instance: Instance, signal: AbortSignal): Promise<() => void> {
    const turn = this.#options.soleUse.turn(instance, signal);
    if (turn !== undefined) await turn;
    return await this.#gate.enter(signal);
  }

  async #each(
    options: OperationOptions,
    operation: (instance: Instance, timeoutMs: number) => Promise<void>,
  ): Promise<void> {
    const { instance: wanted, timeoutMs = this.config.settings.leaseTimeout } = options;
    const chosen = wanted === undefined ? this.#members.staying() : [this.#members.find(wanted)];
    await settled(chosen.map((instance) => operation(instance, timeoutMs)));
  }

  #holdStarts(): void {
    this.#leasing.holdStarts(this.#gate.isFull);
    this.#warmth.check();
  }
}
