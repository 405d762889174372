import type { PoolConfig } from '../config/model.js';
import type { PwpoolError } from '../errors.js';
import { shuttingDown } from '../instance/instance-errors.js';
import { withDeadline } from '../waiting/deadline.js';
import { addSlot } from './add-slot.js';
import { refuseWaiters } from './availability.js';
import { type InstanceDetail, instanceDetails } from './instance-detail.js';
import type { Lease } from './lease.js';
import type { LeaseOptions } from './lease-options.js';
import { takeLease } from './leasing.js';
import {
  type CloseOptions,
  type OperationOptions,
  type PoolOperationOptions,
  stepsOf,
} from './operation-options.js';
import { drain, restart, settled } from './operations.js';
import { placeFor, soonestOf } from './placement.js';
import { takeBack } from './policies/failures.js';
import { HealthChecks } from './policies/health-checks.js';
import { ITS_TURN, inTurn } from './policies/in-turn.js';
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

  /** What the person who runs the pool is told of its instances, beside their status. */
  async details(): Promise<InstanceDetail[]> {
    return await instanceDetails(this.#context);
  }

  /** Who waits for an instance, in order of arrival. */
  waiting(): WaitingCaller[] {
    const { clock, name, queue } = this.#context;
    return queue.waiting().map((waiter) => waitingCaller(name, waiter, clock.now()));
  }

  /**
   * Replaces browsers by new ones, as soon as nobody holds their instances, those of a whole pool a few at a time
   * (`RESTART_CONCURRENCY`); drained and given-up instances come back into service.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`, `SHUTTING_DOWN`, and why a new browser did not start
   */
  async restart(options: OperationOptions = {}): Promise<void> {
    const pool = this.#context;
    if (pool.shuttingDown) throw pool.shuttingDown;
    const { onStep, timeoutMs = pool.settings.leaseTimeout } = options;
    const chosen = this.#chosen(options);
    const drained = new Set(chosen.filter(({ service }) => service === 'out'));
    const restartOne = async (slot: Slot, leftMs: number) => {
      const onPhase = stepsOf(slot, 'restart', onStep);
      // A drain that was asked for meanwhile has the last word.
      const isOut = slot.leaving || (slot.service === 'out' && !drained.has(slot));
      if (isOut) onPhase?.({ phase: 'skipped', why: 'taken out of service meanwhile' });
      else await restart(pool, slot, { timeoutMs: leftMs, onPhase });
    };
    const [only, ...more] = chosen;
    if (only && more.length === 0) await restartOne(only, timeoutMs);
    else
      await inTurn(pool, chosen, timeoutMs, restartOne, (slot) =>
        stepsOf(slot, 'restart', onStep)?.({ phase: 'waiting', for: ITS_TURN }),
      );
  }

  /**
   * Takes drained and given-up instances back into service, each with a new browser, and leaves the others alone.
   * @throws PwpoolError as `restart`
   */
  async resume(options: OperationOptions = {}): Promise<void> {
    const pool = this.#context;
    if (pool.shuttingDown) throw pool.shuttingDown;
    const { onStep, timeoutMs = pool.settings.leaseTimeout } = options;
    await settled(
      this.#chosen(options).map(async (slot) => {
        const onPhase = stepsOf(slot, 'restart', onStep);
        if (slot.service === 'in') onPhase?.({ phase: 'skipped', why: 'in service' });
        else await restart(pool, slot, { timeoutMs, onPhase });
      }),
    );
  }

  /**
   * Takes instances out of service: they give no new lease, and each browser is closed when its holder is done.
   * `restart` undoes it.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`
   */
  async drain(options: OperationOptions = {}): Promise<void> {
    const { onStep, timeoutMs = this.#context.settings.leaseTimeout } = options;
    await settled(
      this.#chosen(options).map(async (slot) => {
        const onPhase = stepsOf(slot, 'drain', onStep);
        const drained = drain(this.#context, slot, { timeoutMs, onPhase });
        refuseWaiters(this.#context, slot);
        await drained;
      }),
    );
  }

  /**
   * Changes the number of instances. New ones have the configuration that the pool gives them; the last ones are drained
   * and closed first.
   * @throws PwpoolError `INVALID_ARGUMENTS`, `CONFIG_INVALID`, `SHUTTING_DOWN`
   */
  async scale(count: number, options: PoolOperationOptions = {}): Promise<void> {
    checkCount(count);
    await this.#reconfiguration.change(
      (now) =>
        scaled(
          now,
          count,
          this.#context.others().map(({ config }) => config),
        ),
      options,
    );
  }

  /**
   * Applies another configuration of the same pool: only what differs changes. An instance with other settings gets a
   * new browser as soon as nobody holds it. Waits until what an earlier change removes is gone.
   * @throws PwpoolError `SHUTTING_DOWN`, and why a new browser did not start
   */
  async reconfigure(config: PoolConfig, options: PoolOperationOptions = {}): Promise<void> {
    await this.#reconfiguration.change(() => config, options);
  }

  /**
   * Takes every lease back and closes every browser that pwpool started. With `drainMs` holders have so many milliseconds
   * first to give them back, while nobody gets a new lease. Idempotent; the earliest end holds.
   */
  async close({ drainMs = 0, onStep }: CloseOptions = {}): Promise<void> {
    const pool = this.#context;
    pool.shuttingDown ??= shuttingDown(`Pool '${this.name}' is`);
    if (drainMs > 0 && !this.#closing) await this.#drainWithin(drainMs, onStep, pool.shuttingDown);
    this.#closing ??= this.#close(pool.shuttingDown);
    await this.#closing;
  }

  /** Whatever keeps an instance from being drained, such as a start under way, ends when the pool is closed. */
  async #drainWithin(timeoutMs: number, onStep: CloseOptions['onStep'], error: PwpoolError): Promise<void> {
    const { clock, queue } = this.#context;
    queue.rejectWaiters(error);
    const drained = this.drain({ timeoutMs, onStep });
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

  /** @throws PwpoolError `INSTANCE_NOT_FOUND` */
  #chosen({ instance }: OperationOptions): Slot[] {
    const { slots } = this.#context;
    return instance === undefined ? slots.staying() : [slots.find(instance)];
  }

  #holdStarts(): void {
    this.#context.holdStarts();
    this.#prewarm.check();
  }
}
