import type { PoolConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import { withDeadline } from '../waiting/deadline.js';
import { addSlot } from './add-slot.js';
import { refuseWaiters } from './availability.js';
import type { Lease } from './lease.js';
import type { LeaseOptions } from './lease-options.js';
import { takeLease } from './leasing.js';
import { drain, restart, settled } from './operations.js';
import { placeFor, soonestOf } from './placement.js';
import { takeBack } from './policies/failures.js';
import { HealthChecks } from './policies/health-checks.js';
import { Prewarm } from './policies/prewarm.js';
import { checkCount, Reconfiguration, scaled } from './policies/reconfiguration.js';
import { begin } from './policies/recovery.js';
import { PoolContext, type PoolOptions } from './pool-context.js';
import {
  instanceStatus,
  mayServe,
  type PoolStatus,
  poolStatus,
  type WaitingCaller,
  waitingCaller,
} from './pool-status.js';
import type { Slot } from './slot.js';

/** What of a pool an operation is about, and how long it waits for holders. */
export interface OperationOptions {
  /** Numeric id or alias; every instance if left out. */
  instance?: string | undefined;
  /** Milliseconds that holders have to give their instances back, before they are taken from them; default `LEASE_TIMEOUT`. */
  timeoutMs?: number | undefined;
}

/** A named group of instances with one configuration: leases them out, watches over them, tells their status. */
export class Pool {
  readonly #context: PoolContext;
  readonly #prewarm: Prewarm;
  readonly #health: HealthChecks;
  readonly #reconfiguration: Reconfiguration;
  readonly #stopWatching: () => void;
  #closing: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.#context = new PoolContext(options);
    this.#prewarm = new Prewarm(this.#context);
    this.#health = new HealthChecks(this.#context);
    this.#reconfiguration = new Reconfiguration(this.#context, this.#prewarm, this.#health);
    this.#stopWatching = options.pressure?.onChange(() => this.#holdStarts()) ?? (() => {});
    for (const each of options.config.instances) addSlot(this.#context, this.#prewarm, each);
  }

  get name(): string {
    return this.#context.config.name;
  }

  /** As it is now: scaling and reloading change it. */
  get config(): PoolConfig {
    return this.#context.config;
  }

  /** Whether it has an instance that is worth waiting for. */
  get isOpen(): boolean {
    const { shuttingDown, slots } = this.#context;
    return shuttingDown === undefined && slots.isOpen;
  }

  /** Starts the health checks and, unless the pool is lazy, every browser. Returns at once. */
  start(): void {
    this.#holdStarts();
    this.#health.start();
    this.#prewarm.start();
    for (const slot of this.#context.slots) begin(this.#context, slot);
  }

  /**
   * Leases an instance, in order of arrival. The browser of the lease runs when this resolves.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`, `NO_HEALTHY_INSTANCES`, `LEASE_TIMEOUT`, `POOL_BUSY`, `CANCELLED`,
   *   `BROWSER_NOT_READY`, `INSTANCE_CRASHED`, `SHUTTING_DOWN`
   */
  async lease(options: LeaseOptions = {}): Promise<Lease> {
    const instance = placeFor(this.#context, options);
    return await takeLease(this.#context, { ...options, instance });
  }

  /**
   * Which of the instances of these ids whoever asks next gets soonest; `undefined` if there is none of them.
   * @param headless those configured like this come first
   */
  soonestOf(ids: readonly string[], headless?: boolean): string | undefined {
    return soonestOf(this.#context, ids, headless);
  }

  status(): PoolStatus {
    const { clock, config, slots } = this.#context;
    const now = clock.now();
    const instances = [...slots].map((slot) => instanceStatus(slot, config.description, now));
    const available = [...slots].filter(({ instance, isFree }) => isFree && mayServe(instance));
    return poolStatus(config, instances, available.length);
  }

  /** As `status`, after a look at every browser that was not asked for a moment. Takes a second at most. */
  async checkedStatus(): Promise<PoolStatus> {
    await this.#health.refresh();
    return this.status();
  }

  /** Who waits for an instance, in order of arrival. */
  waiting(): WaitingCaller[] {
    const { clock, name, queue } = this.#context;
    return queue.waiting().map((waiter) => waitingCaller(name, waiter, clock.now()));
  }

  /**
   * Replaces browsers by new ones, as soon as nobody holds their instances; drained and given-up instances come back
   * into service.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`, `SHUTTING_DOWN`, and why a new browser did not start
   */
  async restart(options: OperationOptions = {}): Promise<void> {
    const pool = this.#context;
    if (pool.shuttingDown) throw pool.shuttingDown;
    await this.#each(options, (slot, timeoutMs) => restart(pool, slot, timeoutMs));
  }

  /**
   * Takes instances out of service: they give no new lease, and each browser is closed when its holder is done.
   * `restart` undoes it.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`
   */
  async drain(options: OperationOptions = {}): Promise<void> {
    await this.#each(options, async (slot, timeoutMs) => {
      const drained = drain(this.#context, slot, timeoutMs);
      refuseWaiters(this.#context, slot);
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
          this.#context.others().map(({ config }) => config),
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
    const pool = this.#context;
    pool.shuttingDown ??= new PwpoolError('SHUTTING_DOWN', `Pool '${this.name}' is shutting down.`);
    if (drainMs > 0 && !this.#closing) await this.#drainWithin(drainMs, pool.shuttingDown);
    this.#closing ??= this.#close(pool.shuttingDown);
    await this.#closing;
  }

  /** Whatever keeps an instance from being drained, such as a start under way, ends when the pool is closed. */
  async #drainWithin(timeoutMs: number, error: PwpoolError): Promise<void> {
    const { clock, queue } = this.#context;
    queue.rejectWaiters(error);
    const drained = this.drain({ timeoutMs });
    const deadline = { clock, timeoutMs, onTimeout: () => error };
    await withDeadline(deadline, 'draining', () => drained).catch(() => {});
  }

  async #close(error: PwpoolError): Promise<void> {
    const { queue, slots } = this.#context;
    this.#context.closedBy = error;
    this.#stopWatching();
    this.#health.stop();
    this.#prewarm.stop();
    queue.close(error);
    for (const slot of slots) {
      takeBack(this.#context, slot, error);
      slot.retire();
    }
    await settled([...slots].map(({ instance }) => instance.close()));
  }

  async #each(
    options: OperationOptions,
    operation: (slot: Slot, timeoutMs: number) => Promise<void>,
  ): Promise<void> {
    const { slots, settings } = this.#context;
    const { instance: wanted, timeoutMs = settings.leaseTimeout } = options;
    const chosen = wanted === undefined ? slots.staying() : [slots.find(wanted)];
    await settled(chosen.map((slot) => operation(slot, timeoutMs)));
  }

  #holdStarts(): void {
    this.#context.holdStarts();
    this.#prewarm.check();
  }
}
