import type { Clock } from '../clock.js';
import type { InstanceConfig, PoolSettings } from '../config/model.js';
import { memoryOf, type ProcessTable, readProcessTable } from '../driver/process-tree.js';
import { type BrowserLife, decideRecycle, type RecycleReason } from '../health/recycle-policy.js';
import type { Instance } from '../instance/instance.js';
import type { RunningBrowser } from '../instance/running-browser.js';
import type { Emitter } from './emitter.js';
import type { Leasing } from './leasing.js';
import type { Patience } from './patience.js';
import type { PoolEvents } from './pool-events.js';
import type { Supervisor } from './supervisor.js';

export interface UpkeepOptions {
  clock: Clock;
  settings: () => PoolSettings;
  events: Emitter<PoolEvents>;
  leasing: Leasing;
  supervisor: Supervisor;
  random: () => number;
  /** What the instance is to be like by now. */
  configOf: (instance: Instance) => InstanceConfig;
  /** Why no browser is started at the moment. */
  barred: () => string | undefined;
}

/** What a browser has been through. */
type Wear = Omit<BrowserLife, 'startedAt'>;

/** Work on instances while nobody holds them: restarting, recycling, draining, closing what is idle. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #wear = new WeakMap<RunningBrowser, Wear>();
  /** The latest work on each instance; more of it comes after that. */
  readonly #work = new Map<Instance, Promise<void>>();
  readonly #outOfService = new Set<Instance>();

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Those that are drained or being drained: they give no new lease. */
  get outOfService(): ReadonlySet<Instance> {
    return this.#outOfService;
  }

  /** Counts a lease. */
  used(instance: Instance): void {
    if (instance.browser) this.#wearOf(instance.browser).uses += 1;
  }

  /** Replaces a browser that has served long enough, before the next holder gets the instance. */
  recycleIfDue(instance: Instance): void {
    if (this.#work.has(instance)) return;
    const reason = this.#dueFor(instance);
    if (!reason) return;
    const about = { pool: instance.config.pool, instance: instance.id };
    this.#options.events.emit('instance-recycled', () => ({ ...about, ...reason }));
    // A start that fails is the supervisor's, and told by events of its own.
    this.#maintain(instance, undefined, () => this.#replace(instance)).catch(() => {});
  }

  /** Replaces browsers that have become too old or too large, if nobody uses them. */
  async look(instances: readonly Instance[]): Promise<void> {
    const measured = this.#options.settings().maxMemoryMb !== undefined;
    const table = measured && instances.length > 0 ? readProcessTable() : undefined;
    await Promise.all(
      instances.map(async (instance) => {
        if (table) await this.#measure(instance, table);
        if (this.#options.leasing.isIdle(instance)) this.recycleIfDue(instance);
      }),
    );
  }

  async #measure({ browser }: Instance, table: ProcessTable): Promise<void> {
    if (!browser?.owned || browser.processId === null) return;
    const bytes = await memoryOf(browser.processId, table);
    this.#wearOf(browser).memoryBytes = bytes === undefined ? undefined : bytes / browser.sharedBy;
  }

  /**
   * Replaces the browser as soon as nobody holds the instance, and takes a drained or given-up one back into service.
   * Rejects when the new browser does not start.
   */
  async restart(instance: Instance, timeoutMs: number): Promise<void> {
    // At once: a drain that is asked for later, while this waits for the holder, has the last word.
    this.#outOfService.delete(instance);
    this.#options.supervisor.forgive(instance);
    await this.#maintain(instance, { timeoutMs, work: 'is restarted' }, () => this.#replace(instance));
  }

  /** The same with other settings, but one that is out of service stays there. */
  async reconfigure(instance: Instance, timeoutMs: number): Promise<void> {
    this.#options.supervisor.forgive(instance);
    const patience = { timeoutMs, work: 'is restarted with other settings' };
    await this.#maintain(instance, patience, () => this.#replace(instance));
  }

  /** Takes the instance out of service: it gives no new lease, and when its holder is done, its browser is closed. */
  async drain(instance: Instance, timeoutMs: number): Promise<void> {
    const patience = { timeoutMs, work: 'is taken out of service' };
    await this.#takeOut(instance, patience, () => instance.stop());
  }

  /** Drains the instance, and closes it for good. It is out of service until `forget`. */
  async remove(instance: Instance, timeoutMs: number): Promise<void> {
    await this.#takeOut(instance, { timeoutMs, work: 'is removed' }, () => instance.close());
  }

  /** The instance is no longer one of the pool. */
  forget(instance: Instance): void {
    this.#outOfService.delete(instance);
  }

  async #takeOut(instance: Instance, patience: Patience, work: () => Promise<void>): Promise<void> {
    this.#outOfService.add(instance);
    this.#options.supervisor.forgive(instance);
    instance.drain();
    await this.#maintain(instance, patience, work);
  }

  /** Starts the browser of an instance that nobody has leased. */
  async warm(instance: Instance): Promise<void> {
    await this.#maintain(instance, undefined, () => instance.start());
  }

  /** The same for all that rest; each tells by itself how that goes. */
  warmAll(instances: readonly Instance[]): void {
    const resting = instances.filter(
      (each) => each.state === 'stopped' && this.#options.leasing.isIdle(each),
    );
    // A start that fails is the supervisor's.
    for (const instance of resting) void this.warm(instance).catch(() => {});
  }

  /** Closes the browser of an instance that nobody has leased; the next lease starts it again. */
  async cool(instance: Instance): Promise<void> {
    await this.#maintain(instance, undefined, () => instance.stop());
  }

  /** Runs work on an instance that is out of circulation, one after the other, and puts it back afterwards. */
  async #maintain(
    instance: Instance,
    patience: Patience | undefined,
    work: () => Promise<void>,
  ): Promise<void> {
    const { leasing, supervisor } = this.#options;
    const run = async () => {
      supervisor.leave(instance);
      await leasing.claim(instance, patience);
      await work();
    };
    const before = this.#work.get(instance);
    if (before && patience) leasing.hasten(instance, patience);
    const running = before === undefined ? run() : before.then(run, run);
    this.#work.set(instance, running);
    try {
      await running;
    } finally {
      if (this.#work.get(instance) === running) {
        this.#work.delete(instance);
        this.#handBack(instance);
      }
    }
  }

  #handBack(instance: Instance): void {
    const { leasing, supervisor } = this.#options;
    if (this.#outOfService.has(instance)) return;
    supervisor.take(instance);
    if (instance.state === 'failed') supervisor.recover(instance);
    else leasing.restore(instance);
  }

  async #replace(instance: Instance): Promise<void> {
    const ran = instance.startedAt !== null;
    instance.browser?.retire();
    // Nobody can do more about a browser that does not close properly than to replace it.
    await instance.stop().catch(() => {});
    instance.reconfigure(this.#options.configOf(instance));
    if (this.#outOfService.has(instance)) return;
    if (ran || !this.#options.settings().lazy) await instance.start();
  }

  #dueFor(instance: Instance): RecycleReason | undefined {
    const { browser, startedAt } = instance;
    if (!browser || startedAt === null) return undefined;
    const { barred, clock, settings } = this.#options;
    const life = { startedAt, ...this.#wearOf(browser) };
    const { maxUses, maxAge, maxMemoryMb } = settings();
    // An old browser is better than none; one that is too large is part of the trouble.
    const limits = { maxUses: undefined, maxAge: undefined, maxMemoryMb };
    return decideRecycle(life, barred() === undefined ? { ...limits, maxUses, maxAge } : limits, clock.now());
  }

  #wearOf(browser: RunningBrowser): Wear {
    const known = this.#wear.get(browser);
    if (known) return known;
    const wear = { uses: 0, jitter: this.#options.random(), memoryBytes: undefined };
    this.#wear.set(browser, wear);
    return wear;
  }
}
