import { type Clock, withDeadline } from '../clock.js';
import type { PoolConfig } from '../config/model.js';
import type { BrowserDriver } from '../driver/browser-driver.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { HealthMonitor } from '../health/health-monitor.js';
import { Instance } from '../instance/instance.js';
import type { AcquireOptions, Grant, Wait } from '../lease/grant.js';
import { LeaseQueue } from '../lease/lease-queue.js';
import { Lease, type ReleaseOptions } from './lease.js';
import type { LeaseOptions } from './lease-options.js';
import {
  heldLeases,
  instanceFailed,
  instanceNotFound,
  leaseTimedOut,
  noHealthyInstances,
} from './pool-errors.js';
import { instanceStatus, type PoolStatus } from './pool-status.js';
import { type LeaseKind, ResetPolicy } from './reset-policy.js';
import { Supervisor } from './supervisor.js';

export interface PoolOptions {
  config: PoolConfig;
  driver: BrowserDriver;
  clock: Clock;
}

/** A named group of instances with one configuration: leases them out, watches over them, tells their status. */
export class Pool {
  readonly config: PoolConfig;
  readonly #clock: Clock;
  readonly #instances = new Map<string, Instance>();
  readonly #keys = new Map<string, string>();
  readonly #leases = new Map<string, Lease>();
  readonly #queue: LeaseQueue;
  readonly #reset = new ResetPolicy();
  readonly #supervisor: Supervisor;
  readonly #health: HealthMonitor;
  #closing: Promise<void> | undefined;

  constructor({ config, driver, clock }: PoolOptions) {
    this.config = config;
    this.#clock = clock;
    this.#queue = new LeaseQueue({
      clock,
      onTimeout: (info) =>
        leaseTimedOut({
          info,
          pool: config.name,
          leases: this.#leases.values(),
          instances: this.#instances.values(),
          now: clock.now(),
        }),
    });
    for (const instanceConfig of config.instances) {
      const instance: Instance = new Instance({
        config: instanceConfig,
        driver,
        clock,
        onLost: (error) => this.#lose(instance, error),
      });
      this.#instances.set(instance.id, instance);
      this.#keys.set(instance.id, instance.id);
      if (instanceConfig.alias !== null) this.#keys.set(instanceConfig.alias, instance.id);
      this.#queue.add(instance.id, { reserve: true });
    }
    this.#supervisor = new Supervisor({
      clock,
      settings: config.settings,
      onReady: (instance) => this.#queue.restore(instance.id),
      onGivenUp: (instance) => this.#rejectWaiters(instance),
    });
    this.#health = new HealthMonitor({
      instances: () => this.#instances.values(),
      clock,
      intervalMs: config.settings.healthInterval,
      timeoutMs: config.settings.healthTimeout,
      onUnresponsive: (instance) =>
        this.#giveUp(instance, instance.health.error ?? 'The browser does not answer.'),
    });
  }

  get name(): string {
    return this.config.name;
  }

  /** Starts the health checks and, unless the pool is lazy, every browser. Returns at once. */
  start(): void {
    this.#health.start();
    this.#supervisor.startAll([...this.#instances.values()]);
  }

  /**
   * Leases an instance, in order of arrival. The browser of the lease runs when this resolves.
   * @throws PwpoolError `INSTANCE_NOT_FOUND`, `NO_HEALTHY_INSTANCES`, `LEASE_TIMEOUT`, `CANCELLED`,
   *   `BROWSER_NOT_READY`, `INSTANCE_CRASHED`, `SHUTTING_DOWN`
   */
  async lease(options: LeaseOptions = {}): Promise<Lease> {
    const key = options.instance === undefined ? undefined : this.#keyOf(options.instance);
    const refusal = this.#refusal(key);
    if (refusal) throw refusal;
    const holder = options.holder ?? 'library';
    const kind = options.kind ?? 'lease';
    const timeoutMs = options.timeoutMs ?? this.config.settings.leaseTimeout;
    const grant = await this.#acquire(
      { key, timeoutMs, signal: options.signal, label: holder },
      options.onWait,
    );
    const instance = this.#instance(grant.key);
    await this.#prepare(instance, grant, kind, options.signal);
    const lease = new Lease({
      instance,
      holder,
      startedAt: this.#clock.now(),
      onRelease: (release) => this.#release(instance, grant, kind, release),
    });
    this.#leases.set(instance.id, lease);
    return lease;
  }

  status(): PoolStatus {
    const now = this.#clock.now();
    const instances = [...this.#instances.values()].map((instance) =>
      instanceStatus(instance, this.#leases.get(instance.id)?.startedAt, now),
    );
    return {
      name: this.name,
      description: this.config.description,
      is_default: this.config.isDefault,
      total_instances: instances.length,
      healthy_instances: instances.filter(({ status }) => status === 'healthy').length,
      leased_instances: instances.filter(({ leased }) => leased).length,
      available_instances: this.#queue.counts().idle,
      instances,
    };
  }

  /** Takes every lease back and closes every browser that pwpool started. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const error = new PwpoolError('SHUTTING_DOWN', `Pool '${this.name}' is shutting down.`);
    this.#health.stop();
    this.#supervisor.stop();
    this.#queue.close(error);
    for (const lease of this.#leases.values()) lease.revoke(error);
    this.#leases.clear();
    const closes = await Promise.allSettled(
      [...this.#instances.values()].map((instance) => instance.close()),
    );
    for (const close of closes) if (close.status === 'rejected') throw close.reason;
  }

  async #acquire(options: AcquireOptions, onWait: LeaseOptions['onWait']): Promise<Grant> {
    const over = new AbortController();
    const tell = ({ position }: Wait) =>
      onWait?.({
        pool: this.name,
        instance: options.key,
        over: over.signal,
        position,
        holders: () => heldLeases(this.#leases.values(), this.#clock.now()),
      });
    try {
      return await this.#queue.acquire({ ...options, onWait: tell });
    } finally {
      over.abort();
    }
  }

  /** Brings the instance of a fresh grant to where its holder may use it. On failure the grant is given back. */
  async #prepare(
    instance: Instance,
    grant: Grant,
    kind: LeaseKind,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { startTimeout, reset } = instance.config.settings;
    const onTimeout = () =>
      new PwpoolError(
        'BROWSER_NOT_READY',
        `Instance '${instance.id}' of pool '${this.name}' was not ready within ${startTimeout} ms.`,
      );
    const work = this.#ready(instance, kind, reset);
    try {
      await withDeadline(
        { clock: this.#clock, timeoutMs: startTimeout, signals: [signal], onTimeout },
        'lease',
        () => work,
      );
      if (grant.released) throw crashedBeforeUse(instance);
    } catch (error) {
      // What was begun is finished before anyone else gets the instance, also when this caller has left.
      void this.#giveBack(instance, grant, work);
      throw error;
    }
  }

  async #ready(instance: Instance, kind: LeaseKind, mode: 'never' | 'session' | 'lease'): Promise<void> {
    const fresh = instance.state === 'stopped';
    await instance.start();
    if (fresh) this.#reset.clean(instance.id);
    else if (this.#reset.beforeLease(instance.id, kind, mode)) await this.#clean(instance);
  }

  async #release(instance: Instance, grant: Grant, kind: LeaseKind, options: ReleaseOptions): Promise<void> {
    if (grant.released) return;
    this.#leases.delete(instance.id);
    this.#reset.used(instance.id);
    if (options.detach || !this.#reset.afterLease(kind, instance.config.settings.reset)) {
      grant.release();
      return;
    }
    await this.#giveBack(instance, grant, this.#clean(instance));
  }

  /**
   * Puts the instance back into circulation after `work` on its browser, or replaces the browser if that failed. The
   * grant is kept until then: a crash voids it, and with it whatever the work on the lost browser comes to.
   */
  async #giveBack(instance: Instance, grant: Grant, work: Promise<void>): Promise<void> {
    try {
      await work;
      grant.release();
    } catch (error) {
      if (!grant.released) this.#giveUp(instance, reasonOf(error));
    }
  }

  async #clean(instance: Instance): Promise<void> {
    await instance.reset();
    this.#reset.clean(instance.id);
  }

  /** The driver told that the browser is gone. */
  #lose(instance: Instance, error: PwpoolError): void {
    if (this.#closing !== undefined) return;
    this.#takeBack(instance, error);
    this.#supervisor.recover(instance);
  }

  /** The browser did not start, or is there but of no use: it is killed and replaced. */
  #giveUp(instance: Instance, reason: string): void {
    if (this.#closing !== undefined) return;
    const error = new PwpoolError(
      'INSTANCE_CRASHED',
      `Instance '${instance.id}' of pool '${this.name}' was given up: ${reason}`,
    );
    this.#takeBack(instance, error);
    void instance.abandon(reason).then(() => this.#supervisor.recover(instance));
  }

  #takeBack(instance: Instance, error: PwpoolError): void {
    this.#queue.revoke(instance.id);
    this.#leases.get(instance.id)?.revoke(error);
    this.#leases.delete(instance.id);
    this.#reset.clean(instance.id);
  }

  /** Why that instance, or any, is not worth waiting for: it failed for good. */
  #refusal(key?: string): PwpoolError | undefined {
    const instances = [...this.#instances.values()];
    const failed = instances.filter((instance) => this.#supervisor.hasGivenUp(instance));
    if (failed.length === instances.length) return noHealthyInstances(this.config, instances);
    const wanted = failed.find(({ id }) => id === key);
    return wanted && instanceFailed(wanted);
  }

  /** Tells those who wait for an instance that has failed for good; all who wait, when it was the last. */
  #rejectWaiters({ id }: Instance): void {
    const noneLeft = this.#refusal();
    const error = noneLeft ?? this.#refusal(id);
    if (error) this.#queue.rejectWaiters(error, noneLeft ? undefined : id);
  }

  #keyOf(wanted: string): string {
    const key = this.#keys.get(wanted);
    if (key === undefined) throw instanceNotFound(this.name, wanted, this.#instances.values());
    return key;
  }

  #instance(key: string): Instance {
    const instance = this.#instances.get(key);
    if (!instance) throw instanceNotFound(this.name, key, this.#instances.values());
    return instance;
  }
}

function crashedBeforeUse(instance: Instance): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `The browser of instance '${instance.id}' of pool '${instance.config.pool}' ended before it could be used.`,
    {
      hint: 'Try again: the pool starts a new one.',
    },
  );
}
