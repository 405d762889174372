import type { CancelTimer, Clock } from '../clock.js';
import { driverOf } from '../config/instance-driver.js';
import type { PoolSettings } from '../config/model.js';
import { decideRestart, type RestartHistory } from '../health/restart-policy.js';
import type { Instance } from '../instance/instance.js';
import type { Emitter } from './emitter.js';
import type { PoolEvents } from './pool-events.js';

/** Milliseconds, at the least, between two tries to start what was given up. */
const RETRY_DELAY_MS = 60_000;

export interface SupervisorOptions {
  clock: Clock;
  settings: () => PoolSettings;
  events: Emitter<PoolEvents>;
  /** From 0 to 1, as `Math.random`: spreads restarts. */
  random: () => number;
  /** The instance may be leased: its browser runs, or the next lease starts it. */
  onReady: (instance: Instance) => void;
  /** The instance stays failed. */
  onGivenUp: (instance: Instance) => void;
}

/**
 * Starts the browsers of a pool and brings failed ones back, within the budget of the restart policy.
 *
 * It looks after an instance until somebody else does: between `leave` and `take` it does nothing with it.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #histories = new WeakMap<Instance, RestartHistory>();
  readonly #timers = new Map<Instance, CancelTimer>();
  /** With when it was tried last, milliseconds since the epoch. */
  readonly #givenUp = new Map<Instance, number>();
  /** Those given up that were told of, and have not started since. */
  readonly #told = new WeakSet<Instance>();
  readonly #left = new WeakSet<Instance>();
  #stopped = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Those that nobody should wait for; one that has failed otherwise comes back, now or after its back-off. */
  get givenUp(): Pick<ReadonlySet<Instance>, 'has' | 'size'> {
    return this.#givenUp;
  }

  /** Starts the browser; a lazy pool's is left for its first lease. */
  async begin(instance: Instance): Promise<void> {
    if (this.#options.settings().lazy) {
      instance.rest();
      this.#ready(instance);
    } else {
      await this.start(instance);
    }
  }

  /** Starts the browser. If that fails, the instance is recovered. */
  async start(instance: Instance): Promise<void> {
    if (this.#stopped) return;
    try {
      await instance.start();
    } catch {
      // The instance keeps the reason, for status and messages.
      this.recover(instance);
      return;
    }
    this.#ready(instance);
  }

  /** Starts a failed instance again, now or later, as the restart policy says. */
  recover(instance: Instance): void {
    if (this.#stopped || this.#timers.has(instance) || this.#left.has(instance)) return;
    // It took long to clear the old browser away, and the instance has been started again meanwhile.
    if (instance.state !== 'failed') return;
    const { clock, events, random } = this.#options;
    const { autoRestart, maxRestarts } = this.#options.settings();
    const history = this.#histories.get(instance) ?? { restarts: [] };
    const decision = decideRestart(history, clock.now(), autoRestart ? maxRestarts : 0, random);
    const { delayMs } = decision;
    const about = { pool: instance.config.pool, instance: instance.id };
    this.#histories.set(instance, decision.history);
    const again = () => {
      this.#timers.delete(instance);
      if (!this.#stopped && !this.#left.has(instance)) void this.begin(instance);
    };
    if (delayMs === undefined) {
      // Somebody else runs what is behind it, and whoever starts that again does not tell us.
      if (autoRestart && driverOf(instance.config) === 'endpoint') {
        this.#timers.set(instance, clock.after(RETRY_DELAY_MS, again));
      }
      const isNew = !this.#givenUp.has(instance);
      this.#givenUp.set(instance, clock.now());
      if (!isNew) return;
      if (!this.#told.has(instance)) {
        this.#told.add(instance);
        events.emit('instance-given-up', () => ({ ...about, reason: instance.health.error }));
      }
      this.#options.onGivenUp(instance);
      return;
    }
    if (delayMs > 0) this.#timers.set(instance, clock.after(delayMs, again));
    // Last: a listener may close the pool, or take the instance out of service.
    events.emit('instance-restarting', () => ({ ...about, delayMs }));
    if (delayMs === 0) again();
  }

  /** Whether `recover` would start the instance again. */
  comesBack(instance: Instance): boolean {
    const { clock } = this.#options;
    const { autoRestart, maxRestarts } = this.#options.settings();
    const history = this.#histories.get(instance) ?? { restarts: [] };
    return decideRestart(history, clock.now(), autoRestart ? maxRestarts : 0, () => 0).delayMs !== undefined;
  }

  /** Somebody wants that instance, or any: what was given up a while ago is tried again. Who asked may wait for it. */
  ask(wanted?: Instance): void {
    const { clock, settings } = this.#options;
    if (!settings().autoRestart) return;
    for (const [instance, triedAt] of [...this.#givenUp]) {
      const isWanted = wanted === undefined || wanted === instance;
      if (!isWanted || this.#timers.has(instance) || Math.abs(clock.now() - triedAt) < RETRY_DELAY_MS)
        continue;
      this.#givenUp.delete(instance);
      void this.begin(instance);
    }
  }

  /** Forgets what the instance has failed before: it may come back into service. */
  forgive(instance: Instance): void {
    this.#histories.delete(instance);
    this.#givenUp.delete(instance);
    this.#told.delete(instance);
  }

  /** More restarts are allowed than were: what was given up is tried again. */
  reconsider(): void {
    for (const instance of [...this.#givenUp.keys()]) {
      this.#cancelTimer(instance);
      this.forgive(instance);
      this.recover(instance);
    }
  }

  /** The browser runs, whoever started it. */
  started(instance: Instance): void {
    this.#told.delete(instance);
  }

  /** Somebody else looks after the instance from now on. */
  leave(instance: Instance): void {
    this.#left.add(instance);
    this.#cancelTimer(instance);
  }

  take(instance: Instance): void {
    this.#left.delete(instance);
  }

  /** No start is begun after this. */
  stop(): void {
    this.#stopped = true;
    for (const cancelTimer of this.#timers.values()) cancelTimer();
    this.#timers.clear();
  }

  #cancelTimer(instance: Instance): void {
    this.#timers.get(instance)?.();
    this.#timers.delete(instance);
  }

  #ready(instance: Instance): void {
    if (this.#left.has(instance)) return;
    this.#givenUp.delete(instance);
    this.#options.onReady(instance);
  }
}
