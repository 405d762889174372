import { adoptAtOnce, comparePools, type InstanceChange, needsBrowser } from '../config/config-change.js';
import type { InstanceConfig, PoolConfig, PoolSettings } from '../config/model.js';
import type { PwpoolError } from '../errors.js';
import type { HealthMonitor } from '../health/health-monitor.js';
import type { Instance } from '../instance/instance.js';
import type { Availability } from './availability.js';
import type { Leasing } from './leasing.js';
import type { Members } from './members.js';
import { settled } from './settled.js';
import type { StartGate } from './start-gate.js';
import type { Supervisor } from './supervisor.js';
import type { Upkeep } from './upkeep.js';
import type { Warmth } from './warmth.js';

export interface ReconfigurationOptions {
  /** The configuration that holds; a change puts another one in its place. */
  current: { config: PoolConfig };
  members: Members;
  leasing: Leasing;
  supervisor: Supervisor;
  upkeep: Upkeep;
  warmth: Warmth;
  health: HealthMonitor;
  gate: StartGate;
  availability: Availability;
  /** Makes an instance, a member from now on. */
  add: (config: InstanceConfig) => Instance;
  /** Set when the pool is to be closed. */
  refusal: () => PwpoolError | undefined;
}

/** Brings a pool that runs from one configuration to the next: only what differs changes. */
export class Reconfiguration {
  readonly #options: ReconfigurationOptions;
  /** The latest change, until what it removes is gone. */
  #changed: Promise<void> = Promise.resolve();

  constructor(options: ReconfigurationOptions) {
    this.#options = options;
  }

  /** Changes the configuration when what the change before removes is gone: an id may come back. */
  async change(next: (now: PoolConfig) => PoolConfig, timeoutMs: number | undefined): Promise<void> {
    const begun = this.#changed.then(() => this.#apply(next(this.#options.current.config), timeoutMs));
    this.#changed = begun.then(({ removed }) => removed).catch(() => {});
    const { removed, replaced } = await begun;
    await settled([removed, replaced]);
  }

  #apply(
    config: PoolConfig,
    timeoutMs = config.settings.leaseTimeout,
  ): Record<'removed' | 'replaced', Promise<void>> {
    const { add, current, gate, health, leasing, members, refusal, supervisor, upkeep, warmth } =
      this.#options;
    const refused = refusal();
    if (refused) throw refused;
    const before = current.config.settings;
    const change = comparePools([current.config, config]);
    current.config = config;
    leasing.applySettings();
    gate.admit();
    if (change.settings.includes('healthInterval')) health.applySettings();
    warmth.check();
    for (const each of change.instancesAdded) void supervisor.begin(add(each));
    const removed = change.instancesRemoved.map((id) => this.#remove(members.find(id), timeoutMs));
    const replaced = change.instancesChanged.map((each) => this.#alter(each, timeoutMs));
    // What has work to do comes back by that.
    if (allowsMore(config.settings, before)) supervisor.reconsider();
    if (before.lazy && !config.settings.lazy) upkeep.warmAll(members.staying());
    return { removed: settled(removed), replaced: settled(replaced) };
  }

  /** What costs nothing holds at once, also for an instance that is held; the rest needs another browser. */
  async #alter(change: InstanceChange, timeoutMs: number): Promise<void> {
    const instance = this.#options.members.find(change.id);
    instance.reconfigure(adoptAtOnce(instance.configured, change.after));
    if (needsBrowser(change)) await this.#options.upkeep.reconfigure(instance, timeoutMs);
  }

  async #remove(instance: Instance, timeoutMs: number): Promise<void> {
    const { availability, leasing, members, upkeep } = this.#options;
    members.leave(instance);
    try {
      const removed = upkeep.remove(instance, timeoutMs);
      leasing.refuseWaiters(members.notFound(instance.id), instance);
      availability.refuseWaiters(instance);
      await removed;
    } finally {
      members.remove(instance);
      leasing.remove(instance);
      upkeep.forget(instance);
    }
  }
}

/** More restarts, that is. */
function allowsMore(now: PoolSettings, before: PoolSettings): boolean {
  return now.autoRestart && (!before.autoRestart || now.maxRestarts > before.maxRestarts);
}
