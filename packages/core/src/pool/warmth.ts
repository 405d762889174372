import type { CancelTimer, Clock } from '../clock.js';
import type { PoolSettings } from '../config/model.js';
import type { Instance } from '../instance/instance.js';
import type { Leasing } from './leasing.js';
import type { Members } from './members.js';
import type { Upkeep } from './upkeep.js';

export interface WarmthOptions {
  clock: Clock;
  settings: () => PoolSettings;
  members: Members;
  leasing: Leasing;
  upkeep: Upkeep;
  /** Why no browser is started at the moment. */
  barred: () => string | undefined;
}

/** Keeps as many browsers running that nobody uses as `MIN_IDLE` asks for, and closes others after `IDLE_TIMEOUT`. */
export class Warmth {
  readonly #options: WarmthOptions;
  /** Since when each instance has been idle with its browser running. */
  readonly #idleSince = new WeakMap<Instance, number>();
  /** Instances whose browser is being started for nobody. */
  readonly #warming = new Set<Instance>();
  #cancelTimer: CancelTimer | undefined;
  #running = false;
  /** A look is due now. */
  #due = false;

  constructor(options: WarmthOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.check();
  }

  stop(): void {
    this.#running = false;
    this.#cancelTimer?.();
  }

  /** The instance was used until now. */
  used(instance: Instance): void {
    this.#idleSince.set(instance, this.#options.clock.now());
    this.check();
  }

  /** Something about the instances has changed: looks at them soon, once for many changes. */
  check(): void {
    const { idleTimeout, minIdle } = this.#options.settings();
    if (!this.#running || this.#due || (idleTimeout === 0 && minIdle === 0)) return;
    this.#due = true;
    this.#lookAfter(0);
  }

  #lookAfter(delayMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.clock.after(delayMs, () => this.#look());
  }

  #look(): void {
    this.#due = false;
    const { clock, members, leasing, upkeep, barred, settings } = this.#options;
    const { idleTimeout, minIdle } = settings();
    const now = clock.now();
    const idle = [...members].filter((instance) => leasing.isIdle(instance));
    const cold = idle.filter(({ state }) => state === 'stopped');
    const warm = idle.filter((instance) => !cold.includes(instance));
    for (const instance of members) if (!warm.includes(instance)) this.#idleSince.delete(instance);
    for (const instance of warm) if (!this.#idleSince.has(instance)) this.#idleSince.set(instance, now);

    const lacking = barred() === undefined ? minIdle - warm.length - this.#warming.size : 0;
    for (const instance of cold.slice(0, Math.max(lacking, 0))) this.#warm(instance);

    if (idleTimeout === 0) return;
    const since = (instance: Instance) => this.#idleSince.get(instance) ?? now;
    const spare = warm.sort((a, b) => since(a) - since(b)).slice(0, Math.max(warm.length - minIdle, 0));
    const [due, later] = [
      spare.filter((each) => since(each) + idleTimeout <= now),
      spare.filter((each) => since(each) + idleTimeout > now),
    ];
    for (const instance of due) upkeep.cool(instance).catch(() => {});
    const [next] = later;
    if (next && !this.#due) this.#lookAfter(since(next) + idleTimeout - now);
  }

  #warm(instance: Instance): void {
    this.#warming.add(instance);
    // A start that fails is the supervisor's.
    const warmed = this.#options.upkeep.warm(instance).catch(() => {});
    void warmed.finally(() => this.#warming.delete(instance));
  }
}
