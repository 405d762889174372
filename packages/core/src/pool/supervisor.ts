import type { CancelTimer, Clock } from '../clock.js';
import type { PoolSettings } from '../config/model.js';
import { decideRestart, type RestartHistory } from '../health/restart-policy.js';
import type { Instance } from '../instance/instance.js';

export interface SupervisorOptions {
  clock: Clock;
  settings: PoolSettings;
  /** The instance may be leased: its browser runs, or the next lease starts it. */
  onReady: (instance: Instance) => void;
  /** The instance stays failed. */
  onGivenUp: (instance: Instance) => void;
}

/** Starts the browsers of a pool and brings failed ones back, within the budget of the restart policy. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #histories = new Map<Instance, RestartHistory>();
  readonly #timers = new Map<Instance, CancelTimer>();
  readonly #givenUp = new Set<Instance>();
  #stopped = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Starts all, `START_CONCURRENCY` at a time; a lazy pool's are left for their first lease. Returns at once. */
  startAll(instances: readonly Instance[]): void {
    if (this.#options.settings.lazy) {
      for (const instance of instances) this.#options.onReady(instance);
      return;
    }
    const line = instances.values();
    const startNext = async (): Promise<void> => {
      for (const instance of line) await this.#start(instance);
    };
    for (let running = 0; running < this.#options.settings.startConcurrency; running++) void startNext();
  }

  /** The instance stays failed; one that has failed otherwise comes back, now or after its back-off. */
  hasGivenUp(instance: Instance): boolean {
    return this.#givenUp.has(instance);
  }

  /** Starts a failed instance again, now or later, as the restart policy says. */
  recover(instance: Instance): void {
    if (this.#stopped || this.#timers.has(instance)) return;
    const { clock, settings } = this.#options;
    const history = this.#histories.get(instance) ?? { restarts: [] };
    const decision = decideRestart(history, clock.now(), settings.autoRestart ? settings.maxRestarts : 0);
    this.#histories.set(instance, decision.history);
    if (decision.delayMs === undefined) {
      this.#givenUp.add(instance);
      this.#options.onGivenUp(instance);
    } else if (decision.delayMs === 0) {
      void this.#bringBack(instance);
    } else {
      this.#timers.set(
        instance,
        clock.after(decision.delayMs, () => {
          this.#timers.delete(instance);
          void this.#bringBack(instance);
        }),
      );
    }
  }

  /** No start is begun after this. */
  stop(): void {
    this.#stopped = true;
    for (const cancelTimer of this.#timers.values()) cancelTimer();
    this.#timers.clear();
  }

  async #bringBack(instance: Instance): Promise<void> {
    if (!this.#options.settings.lazy) {
      await this.#start(instance);
      return;
    }
    instance.rest();
    this.#options.onReady(instance);
  }

  async #start(instance: Instance): Promise<void> {
    if (this.#stopped) return;
    try {
      await instance.start();
    } catch {
      // The instance keeps the reason, for status and messages.
      this.recover(instance);
      return;
    }
    this.#options.onReady(instance);
  }
}
